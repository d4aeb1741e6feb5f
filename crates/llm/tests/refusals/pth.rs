//! Refusals of `.pth` files: the zip, the pickle in it, and the tensors it names.

use crate::common::pth::{Entry, PAIR, View, dict, int, one, pth, zip};
use bessemer_llm::files::Pth;

pub(crate) fn said() -> Vec<String> {
    let mut said = vec![file(b"\x80\x02".to_vec()), file(b"<!DOCTYPE html>".to_vec())];
    said.extend(zips());
    said.extend(pickles());
    said.extend(tensors());
    said
}

fn file(bytes: Vec<u8>) -> String {
    Pth::from_bytes(bytes).err().unwrap().to_string()
}

fn zips() -> Vec<String> {
    let (pickle, data) = (Entry::new("m/data.pkl", &one(PAIR)), Entry::new("m/data/0", &[0; 8]));
    let entries = [
        Entry { flags: 1, ..data.clone() },
        Entry { method: 8, ..data.clone() },
        Entry { stored: Some(7), ..data.clone() },
        Entry { size: Some(9000), stored: Some(9000), ..data.clone() },
        Entry { start: Some(5), ..data.clone() },
        Entry { start: Some(0), ..data.clone() },
        Entry { start: Some(u32::MAX), ..data.clone() },
        Entry { name: vec![0xff], ..data.clone() },
        Entry { start: Some(0), ..pickle.clone() },
        Entry::new("m/byteorder", b"big"),
    ];
    let mut said: Vec<String> =
        entries.into_iter().map(|entry| file(zip(&[pickle.clone(), entry], false))).collect();
    said.push(file(zip(std::slice::from_ref(&data), false)));
    let whole = zip(&[pickle, data], false);
    let end = whole.len() - 22;
    let changed = |at: usize, to: u8| {
        let mut bytes = whole.clone();
        bytes[at] = to;
        file(bytes)
    };
    said.push(file(whole[..end].to_vec()));
    said.push(changed(end + 19, 0xff));
    said.push(changed(end + 16, whole[end + 16] - 1));
    said.push(changed(end + 12, whole[end + 12] - 1));
    said
}

fn pickles() -> Vec<String> {
    let pickle = |bytes: &[u8]| file(pth(bytes, &[&[0; 8]]));
    vec![
        pickle(b"\x80\x09."),
        pickle(b"\x80\x02cos\nsystem\n."),
        pickle(b"\x80\x02i."),
        pickle(b"\x80\x02\x81."),
        pickle(b"\x80\x02"),
        pickle(b"\x80\x02R."),
        pickle(b"\x8c\x01\xff."),
        pickle(b"N."),
        pickle(&b"N".repeat(3_000_000)),
        pickle(&vec![0; (64 << 20) + 1]),
        pickle(&dict(&[("a", int(1)), ("a", b"h\x07".to_vec())])),
    ]
}

fn tensors() -> Vec<String> {
    let view = |view: View<'_>| file(pth(&one(view), &[&[0; 8]]));
    let shared = View { elements: 1 << 18, shape: &[1 << 18], ..PAIR }.opcodes();
    let names: Vec<String> = (0..8).map(|i| i.to_string()).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), shared.clone())).collect();
    vec![
        view(View { kind: "Long", elements: 1, shape: &[1], ..PAIR }),
        view(View { key: 1, ..PAIR }),
        view(View { elements: 3, ..PAIR }),
        view(View { shape: &[3], ..PAIR }),
        view(View { offset: 1, ..PAIR }),
        file(pth(&dict(&many), &[&vec![0; 1 << 20]])),
    ]
}
