//! Chores of the repository: `cargo xtask test` and friends.

fn main() {}
