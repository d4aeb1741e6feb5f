//! The quick cases are few and small: every program that opens `auto` waits for them.

use bessemer_conformance::Selection;
use bessemer_cpu::Reference;

#[test]
fn they_touch_little_memory() {
    let reference = Reference::new();
    for case in Selection::quick().cases().unwrap() {
        let op = case.make(&reference).unwrap();
        let bytes: usize = op.access().views().map(|view| view.buffer().bytes()).sum();
        assert!(bytes < 256 << 10, "{case:?} touches {bytes} bytes");
    }
}
