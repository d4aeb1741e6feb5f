//! `.pth` files: what PyTorch saves is read as safetensors has it; what is hostile is refused by name.

mod common;

use bessemer_core::DType;
use bessemer_llm::files::{Pth, Safetensors};
use common::pth::{Entry, PAIR, View, dict, int, ints, one, pth, text, zip};
use std::path::PathBuf;

fn fixture(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/pth").join(file)
}

fn refusal(bytes: Vec<u8>) -> String {
    match Pth::from_bytes(bytes) {
        Ok(_) => panic!("it was accepted"),
        Err(error) => error.to_string(),
    }
}

/// What is said of this pickle.
fn pickled(pickle: &[u8]) -> String {
    refusal(pth(pickle, &[&[0; 8]]))
}

#[test]
fn reads_what_pytorch_saves() {
    for name in ["module", "views", "dtypes"] {
        let ours = Pth::open(fixture(&format!("{name}.pth"))).unwrap();
        let theirs = Safetensors::open(fixture(&format!("{name}.safetensors"))).unwrap();
        let (ours, theirs) = (ours.tensors(), theirs.tensors());
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for tensor in theirs.iter() {
            let found = ours.require(&tensor.name).unwrap();
            assert_eq!((found.dtype, found.shape), (tensor.dtype, tensor.shape), "{}", tensor.name);
            assert_eq!(ours.bytes(found), theirs.bytes(tensor), "{name}: {}", tensor.name);
        }
    }
}

#[test]
fn tensors_are_used_in_place_unless_elements_are_scattered() {
    let file = Pth::open(fixture("views.pth")).unwrap();
    let file_of = |name: &str| file.tensors().require(name).unwrap().file;
    for name in ["whole", "part", "row", "tied", "number", "none"] {
        assert_eq!(file_of(name), 0, "{name}");
    }
    for name in ["transposed", "permuted", "every_third"] {
        assert_eq!(file_of(name), 1, "{name}");
    }
}

#[test]
fn tensors_are_found_beside_the_state_of_training() {
    let file = Pth::open(fixture("nested.pth")).unwrap();
    let names: Vec<&str> = file.tensors().iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["a"]);
}

#[test]
fn files_of_old_versions_are_named() {
    let error = Pth::open(fixture("legacy.pth")).err().unwrap().to_string();
    assert!(error.contains("PyTorch 1.5 or older; load it and save it again"), "{error}");
}

#[test]
fn hand_written_files_are_read() {
    let floats: Vec<u8> = [1.0f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let entries = [Entry::new("m/data.pkl", &one(PAIR)), Entry::new("m/data/0", &floats)];
    for wide in [false, true] {
        let file = Pth::from_bytes(zip(&entries, wide)).unwrap();
        let tensor = file.tensors().require("a").unwrap();
        assert_eq!((tensor.dtype, &*tensor.shape), (DType::F32, &[2][..]));
        assert_eq!(file.tensors().bytes(tensor), floats);
    }
    // Sizes of 64 bits, after an extra field of another kind.
    let mut entry = entries[1].clone();
    (entry.size, entry.stored) = (Some(u32::MAX), Some(u32::MAX));
    entry.extra =
        [&b"FB\x02\0ZZ\x01\0\x10\0"[..], &8u64.to_le_bytes(), &8u64.to_le_bytes()].concat();
    Pth::from_bytes(zip(&[entries[0].clone(), entry], false)).unwrap();
    // What is not a tensor is left out.
    let more = dict(&[("a", PAIR.opcodes()), ("b", int(7)), ("c", b"]".to_vec())]);
    let file = Pth::from_bytes(pth(&more, &[&floats])).unwrap();
    assert_eq!(file.tensors().len(), 1);
}

#[test]
fn nothing_is_run() {
    let error = pickled(b"\x80\x02cos\nsystem\nX\x02\0\0\0ls\x85R.");
    assert!(error.contains("byte 42: global `os.system` is not supported"), "{error}");
    let error = pickled(b"\x80\x04\x8c\x02os\x8c\x06system\x93.");
    assert!(error.contains("global `os.system`"), "{error}");
    let error = pickled(b"\x80\x02ctorch\nload\n.");
    assert!(error.contains("global `torch.load`"), "{error}");
    for (pickle, opcode) in [
        (&b"\x80\x02(i__builtin__\neval\n."[..], "0x69 ('i')"),
        (b"\x80\x02(o.", "0x6f ('o')"),
        (b"\x80\x02N)\x81.", "0x81"),
        (b"\x80\x02N0.", "0x30 ('0')"),
        (b"\x80\x02P1\n.", "0x50 ('P')"),
        (b"\x80\x02\x82\x01.", "0x82"),
    ] {
        let error = pickled(pickle);
        assert!(error.contains(&format!("pickle opcode {opcode} is not supported")), "{error}");
    }
    // A known name is not called with what it is not for.
    for pickle in [
        &b"ccollections\nOrderedDict\nX\x01\0\0\0a\x85R."[..],
        b"ctorch\nFloatStorage\n)R.",
        b"ctorch._utils\n_rebuild_tensor_v2\n)R.",
        b"ctorch._utils\n_rebuild_parameter\nNNN\x87R.",
        b"NNR.",
        b"NQ.",
        b"N}b.",
    ] {
        let error = pickled(pickle);
        assert!(error.contains("has unexpected operands"), "{error}");
    }
}

#[test]
fn stacks_marks_and_memos_must_be_sound() {
    for pickle in [
        &b"."[..],
        b"t.",
        b"u.",
        b"N(\x85.",
        b"N(N\x86.",
        b"h\x07.",
        b"q\0.",
        b"N(u.",
        b"}(Nu.",
        b"Na.",
        b"(e.",
        b"NN\x93.",
        b"}N(s.",
    ] {
        let error = pickled(pickle);
        assert!(error.contains("has unexpected operands"), "{pickle:?}: {error}");
    }
    for pickle in
        [&b""[..], b"X\xff\xff\xff\xffab", b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff", b"cos", b"J\0"]
    {
        assert!(pickled(pickle).contains("the pickle ends early"), "{pickle:?}");
    }
}

#[test]
fn bombs_do_no_harm() {
    // Nested a million deep, and a dict that holds itself.
    let deep = [b"]".repeat(1_000_000), b"a".repeat(999_999), b".".to_vec()].concat();
    assert!(pickled(&deep).contains("something else than a dict"));
    let cycle = [b"}q\0".to_vec(), text("state_dict"), b"h\0s.".to_vec()].concat();
    assert!(Pth::from_bytes(pth(&cycle, &[])).unwrap().tensors().is_empty());
    // Each list holds the one before it twice: 2^1000 values, if they were copied.
    let doubling = [b"]q\0".to_vec(), b"](h\0h\0eq\0".repeat(1000), b".".to_vec()].concat();
    assert!(pickled(&doubling).contains("something else than a dict"));
    for bomb in [b"N", b"(", b"]"] {
        assert!(pickled(&bomb.repeat(3_000_000)).contains("more than 2,000,000 values"));
    }
    let memos = [b"N".to_vec(), b"\x94".repeat(3_000_000)].concat();
    assert!(pickled(&memos).contains("more than 2,000,000 values"));
    let recalls = [b"Nq\0".to_vec(), b"h\0".repeat(3_000_000)].concat();
    assert!(pickled(&recalls).contains("more than 2,000,000 values"));
    // Numbers that are repeated by their strides, and by many views.
    let expanded = one(View { shape: &[1 << 20, 1 << 20], strides: &[0, 0], ..PAIR });
    assert!(pickled(&expanded).contains("elements in a storage of 2"));
    let view = View { elements: 1 << 20, shape: &[1 << 20], ..PAIR }.opcodes();
    let names: Vec<String> = (0..64).map(|i| i.to_string()).collect();
    let items: Vec<(&str, Vec<u8>)> =
        names.iter().map(|name| (name.as_str(), view.clone())).collect();
    let error = refusal(pth(&dict(&items), &[&vec![0; 4 << 20]]));
    assert!(error.contains("one of many views of the same numbers"), "{error}");
}

#[test]
fn views_stay_within_their_storage() {
    let said = |view: View<'_>| pickled(&one(view));
    assert!(said(View { offset: 1, ..PAIR }).contains("reaches past the end"));
    assert!(said(View { strides: &[2], ..PAIR }).contains("reaches past the end"));
    assert!(said(View { strides: &[i32::MAX], ..PAIR }).contains("reaches past the end"));
    assert!(said(View { offset: 3, shape: &[0], ..PAIR }).contains("reaches past the end"));
    assert!(said(View { shape: &[3], ..PAIR }).contains("3 elements in a storage of 2"));
    assert!(
        said(View { shape: &[i32::MAX; 4], strides: &[1; 4], ..PAIR }).contains("no valid shape")
    );
    assert!(said(View { elements: 3, ..PAIR }).contains("of 3 elements, which has 8 bytes"));
    assert!(said(View { key: 1, ..PAIR }).contains("the storage `1`, which the file lacks"));
    assert!(said(View { kind: "Long", elements: 1, shape: &[1], ..PAIR }).contains("dtype int64"));
    assert!(said(View { shape: &[-1], ..PAIR }).contains("unexpected operands"));
    assert!(said(View { shape: &[2, 1], ..PAIR }).contains("unexpected operands"));
    assert!(
        said(View { shape: &[1; 9], strides: &[1; 9], ..PAIR }).contains("unexpected operands")
    );
    let twice = dict(&[("a", PAIR.opcodes()), ("a", PAIR.opcodes())]);
    assert!(pickled(&twice).contains("tensor `a` occurs twice"));
    assert!(pickled(&[ints(&[1]), b".".to_vec()].concat()).contains("something else than a dict"));
}

#[test]
fn zips_that_lie_are_named() {
    let (pickle, data) = (Entry::new("m/data.pkl", &one(PAIR)), Entry::new("m/data/0", &[0; 8]));
    let said = |entry: Entry| refusal(zip(&[pickle.clone(), entry], false));
    let error = said(Entry { flags: 1, ..data.clone() });
    assert!(error.contains("zip entry `m/data/0`: encryption is not supported"), "{error}");
    let error = said(Entry { method: 8, ..data.clone() });
    assert!(error.contains("zip entry `m/data/0`: compression is not supported"), "{error}");
    assert!(
        said(Entry { stored: Some(7), ..data.clone() }).contains("has 8 bytes, but is stored as 7")
    );
    let long = Entry { size: Some(9000), stored: Some(9000), ..data.clone() };
    assert!(said(long).contains("that the zip directory starts at"));
    assert!(said(Entry { start: Some(0), ..data.clone() }).contains("has another name at byte 0"));
    assert!(said(Entry { start: Some(5), ..data.clone() }).contains("has no header at byte 5"));
    assert!(said(Entry { start: Some(u32::MAX), ..data.clone() }).contains("lacks its size"));
    assert!(said(Entry { name: vec![0xff], ..data.clone() }).contains("is not UTF-8"));
    let name_again = Some(b"m/data/1".to_vec());
    assert!(said(Entry { name_again, ..data.clone() }).contains("has another name"));
    // One header, named by two entries.
    let twice = Entry { start: Some(0), ..pickle.clone() };
    assert!(said(twice).contains("overlaps `m/data.pkl`"));
    assert!(refusal(zip(std::slice::from_ref(&data), false)).contains("has no entry `data.pkl`"));
    let order = Entry::new("m/byteorder", b"big");
    assert!(said(order).contains("a big-endian file"));

    let whole = zip(&[pickle, data], false);
    let mut lie = whole.clone();
    let end = lie.len() - 22;
    lie[end + 16..][..4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refusal(lie).contains("lies outside of the file"));
    let mut lie = whole.clone();
    lie[end + 16] -= 1;
    assert!(refusal(lie).contains("has no entry there"));
    let mut lie = whole.clone();
    lie[end + 12] -= 1;
    assert!(refusal(lie).contains("the zip directory ends early"));
    for len in 0..whole.len() {
        Pth::from_bytes(whole[..len].to_vec()).err().unwrap();
    }
}
