//! `.pth` files by hand: zips and pickles, right and wrong.
#![allow(dead_code, unreachable_pub)]

/// An entry of a zip, with what its records say of it.
#[derive(Clone)]
pub struct Entry {
    pub name: Vec<u8>,
    pub data: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    /// What the directory says, if it is not the truth.
    pub size: Option<u32>,
    pub stored: Option<u32>,
    pub start: Option<u32>,
    /// The extra field of the directory.
    pub extra: Vec<u8>,
    /// The name before the data, if it is another.
    pub name_again: Option<Vec<u8>>,
}

impl Entry {
    pub fn new(name: &str, data: &[u8]) -> Entry {
        Entry {
            name: name.into(),
            data: data.into(),
            flags: 0,
            method: 0,
            size: None,
            stored: None,
            start: None,
            extra: Vec::new(),
            name_again: None,
        }
    }
}

/// A zip of these entries, with records of 64 bits if `wide`.
pub fn zip(entries: &[Entry], wide: bool) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    let u16s =
        |numbers: &[u16]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_le_bytes()).collect() };
    for entry in entries {
        let start = out.len() as u32;
        let len = entry.data.len() as u32;
        let name = entry.name_again.as_ref().unwrap_or(&entry.name);
        out.extend(b"PK\x03\x04");
        out.extend(u16s(&[0, entry.flags, entry.method, 0, 0]));
        out.extend([0u32.to_le_bytes(), len.to_le_bytes(), len.to_le_bytes()].concat());
        out.extend(u16s(&[name.len() as u16, 0]));
        out.extend(name);
        out.extend(&entry.data);
        directory.extend(b"PK\x01\x02");
        directory.extend(u16s(&[0, 0, entry.flags, entry.method, 0, 0]));
        directory.extend(0u32.to_le_bytes());
        directory.extend(entry.stored.unwrap_or(len).to_le_bytes());
        directory.extend(entry.size.unwrap_or(len).to_le_bytes());
        directory.extend(u16s(&[entry.name.len() as u16, entry.extra.len() as u16, 0, 0, 0]));
        directory.extend(0u32.to_le_bytes());
        directory.extend(entry.start.unwrap_or(start).to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
    }
    let (start, len, count) = (out.len() as u64, directory.len() as u64, entries.len() as u64);
    out.extend(directory);
    let (mut short_len, mut short_start) = (len as u32, start as u32);
    if wide {
        let end = out.len() as u64;
        out.extend(b"PK\x06\x06");
        out.extend(44u64.to_le_bytes());
        out.extend([0; 12]);
        out.extend([count, count, len, start].iter().flat_map(|n| n.to_le_bytes()));
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend(end.to_le_bytes());
        out.extend(1u32.to_le_bytes());
        (short_len, short_start) = (u32::MAX, u32::MAX);
    }
    out.extend(b"PK\x05\x06");
    out.extend(u16s(&[0, 0, count as u16, count as u16]));
    out.extend([short_len.to_le_bytes(), short_start.to_le_bytes()].concat());
    out.extend(0u16.to_le_bytes());
    out
}

/// A `.pth` file of this pickle and these storages.
pub fn pth(pickle: &[u8], storages: &[&[u8]]) -> Vec<u8> {
    let mut entries = vec![Entry::new("m/data.pkl", pickle)];
    for (key, data) in storages.iter().enumerate() {
        entries.push(Entry::new(&format!("m/data/{key}"), data));
    }
    zip(&entries, false)
}

/// The opcodes of a text.
pub fn text(text: &str) -> Vec<u8> {
    [b"X".as_slice(), &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

/// The opcodes of an integer.
pub fn int(number: i32) -> Vec<u8> {
    [b"J".as_slice(), &number.to_le_bytes()].concat()
}

/// The opcodes of a tuple of integers.
pub fn ints(numbers: &[i32]) -> Vec<u8> {
    let all: Vec<u8> = numbers.iter().flat_map(|&n| int(n)).collect();
    [b"(".as_slice(), &all, b"t"].concat()
}

/// A view of a storage.
pub struct View<'a> {
    pub kind: &'a str,
    pub key: i32,
    /// How many elements the storage has.
    pub elements: i32,
    pub offset: i32,
    pub shape: &'a [i32],
    pub strides: &'a [i32],
}

impl View<'_> {
    /// Opcodes that make the tensor.
    pub fn opcodes(&self) -> Vec<u8> {
        let storage = [
            b"(".to_vec(),
            text("storage"),
            format!("ctorch\n{}Storage\n", self.kind).into_bytes(),
            text(&self.key.to_string()),
            text("cpu"),
            int(self.elements),
            b"tQ".to_vec(),
        ];
        [
            b"ctorch._utils\n_rebuild_tensor_v2\n(".to_vec(),
            storage.concat(),
            int(self.offset),
            ints(self.shape),
            ints(self.strides),
            b"\x89ccollections\nOrderedDict\n)RtR".to_vec(),
        ]
        .concat()
    }
}

/// The pickle of a dict.
pub fn dict(items: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let all: Vec<u8> =
        items.iter().flat_map(|(name, value)| [text(name), value.clone()].concat()).collect();
    [b"\x80\x02}(".as_slice(), &all, b"u."].concat()
}

/// The pickle of one tensor, `a`.
pub fn one(view: View<'_>) -> Vec<u8> {
    dict(&[("a", view.opcodes())])
}

/// Two floats, in a storage of as many.
pub const PAIR: View<'static> =
    View { kind: "Float", key: 0, elements: 2, offset: 0, shape: &[2], strides: &[1] };
