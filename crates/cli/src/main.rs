//! The `bessemer` command.

fn main() {}
