// Keys of one word.
fn above(a: u32, b: u32) -> bool { return a > b; }
fn same(a: u32, b: u32) -> bool { return a == b; }
fn most() -> u32 { return 0xffffffffu; }
fn kept_key(i: u32) -> u32 { return kept[i]; }
fn keep_key(i: u32, key: u32) { kept[i] = key; }
