//! Connections: accepted up to a limit, with time limits for slow clients, TLS where there is a
//! certificate, and an end that lets requests in progress finish.

mod listen;
mod patient;
mod tls;

pub(crate) use listen::serve;
pub(crate) use tls::Acceptor;
pub use tls::BadCertificate;
