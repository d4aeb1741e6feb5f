//! The contract of `Device`, on both devices: memory, order, errors.

use bessemer_core::{
    Access, Batch, Cost, DType, Device, Element, Error, Host, HostMemory, Operation, Result, Shape,
    Slice, View, cpu::CpuContext,
};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use std::{io::Write, sync::Arc};

/// `out = x + 1`, or a panic.
#[derive(Debug)]
struct Increment {
    x: View,
    out: View,
    in_place: bool,
    panics: bool,
}

impl Operation for Increment {
    fn name(&self) -> &'static str {
        "increment"
    }

    fn check(&self) -> Result<()> {
        if self.x.shape() != self.out.shape() {
            let operands = [("x", &self.x), ("out", &self.out)];
            return Err(Error::rule("increment", "x and out have the same shape", &operands));
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let access = Access::new(&[&self.x], &[&self.out]);
        if self.in_place { access.in_place() } else { access }
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        assert!(!self.panics, "on purpose");
        let x: Vec<f64> = host.read(&self.x).iter().map(|x| x + 1.0).collect();
        host.write(&self.out, &x);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        let x = cpu.rows(&self.x);
        cpu.for_each_row(&self.out, 1, |i, out| {
            assert!(!self.panics, "on purpose");
            let mut row = vec![0.0; x.width()];
            x.load(i, &mut row);
            row.iter_mut().for_each(|x| *x += 1.0);
            out.store(&row);
        });
    }
}

fn devices() -> [Box<dyn Device>; 2] {
    let cpu = Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap();
    [Box::new(cpu), Box::new(Reference::new())]
}

fn view(device: &dyn Device, dims: &[usize]) -> View {
    let shape = Shape::new(dims).unwrap();
    let buffer = device.alloc(shape.elements() * 4).unwrap();
    let view = View::new(&buffer, DType::F32, shape).unwrap();
    write(device, &view, &vec![0.0; shape.elements()]);
    view
}

fn write(device: &dyn Device, view: &View, values: &[f32]) {
    device.write(&view.slice().unwrap(), f32::as_bytes(values)).unwrap();
}

fn read(device: &dyn Device, view: &View) -> Vec<f32> {
    let mut values = vec![0.0; view.elements()];
    device.read(&view.slice().unwrap(), f32::as_bytes_mut(&mut values)).unwrap();
    values
}

fn increment(x: &View, out: &View) -> Increment {
    Increment { x: x.clone(), out: out.clone(), in_place: true, panics: false }
}

#[test]
fn ops_take_effect_in_order() {
    for device in devices() {
        let (a, b) = (view(&*device, &[40, 3]), view(&*device, &[40, 3]));
        let mut batch = Batch::new();
        for _ in 0..10 {
            batch.push(increment(&a, &b)).unwrap();
            batch.push(increment(&b, &a)).unwrap();
        }
        for _ in 0..2 {
            let ticket = device.submit(&batch).unwrap();
            device.wait(ticket).unwrap();
        }
        assert_eq!(read(&*device, &a), vec![40.0; 120]);
        assert_eq!((device.stats().submissions, device.stats().dispatches), (2, 40));
    }
}

#[test]
fn in_place_only_where_the_op_allows_and_only_exactly() {
    for device in devices() {
        let x = view(&*device, &[4, 4]);
        let mut batch = Batch::new();
        batch.push(increment(&x, &x)).unwrap();
        let refused = batch.push(Increment { in_place: false, ..increment(&x, &x) });
        assert!(refused.unwrap_err().to_string().contains("overlaps an input"));
        let (top, lower) = (x.narrow(0, 0..2).unwrap(), x.narrow(0, 1..3).unwrap());
        assert!(batch.push(increment(&top, &lower)).is_err());
        assert!(batch.push(increment(&x, &x.transpose().unwrap())).is_err());
        assert_eq!(batch.len(), 1);
    }
}

#[test]
fn refused_ops_say_why_and_write_nothing() {
    for device in devices() {
        let (x, out) = (view(&*device, &[4, 4]), view(&*device, &[4, 5]));
        let error = Batch::new().push(increment(&x, &out)).unwrap_err().to_string();
        assert_eq!(
            error,
            "increment: x and out have the same shape (x: f32 [4, 4], out: f32 [4, 5])"
        );
        let row = view(&*device, &[1, 4]);
        let wide = row.broadcast_to(Shape::new(&[4, 4]).unwrap()).unwrap();
        let error = Batch::new().push(increment(&x, &wide)).unwrap_err().to_string();
        assert!(error.contains("more than once"), "{error}");
    }
}

#[test]
fn a_panicking_op_is_an_error_and_the_device_goes_on() {
    for device in devices() {
        let (x, out) = (view(&*device, &[64, 4]), view(&*device, &[64, 4]));
        let mut batch = Batch::new();
        batch.push(Increment { panics: true, ..increment(&x, &out) }).unwrap();
        let error = device.submit(&batch).unwrap_err().to_string();
        assert!(error.contains("increment failed: on purpose"), "{error}");
        let mut batch = Batch::new();
        batch.push(increment(&x, &out)).unwrap();
        let ticket = device.submit(&batch).unwrap();
        device.wait(ticket).unwrap();
        assert_eq!(read(&*device, &out), vec![1.0; 256]);
    }
}

#[test]
fn adopted_memory_is_used_in_place_and_read_only() {
    for device in devices() {
        // One slice starts where vectors like it, the other does not and is copied.
        let owner = HostMemory::new(Arc::new((0..=255).collect::<Vec<u8>>().repeat(2)));
        let skew = owner.bytes().as_ptr().addr().wrapping_neg() % 16;
        for start in [skew, skew + 1] {
            let buffer = device.adopt(owner.slice(start..start + 64).unwrap()).unwrap();
            let mut bytes = [0; 64];
            device.read(&Slice::all(&buffer), &mut bytes).unwrap();
            assert_eq!(bytes[..], owner.bytes()[start..start + 64]);
            assert!(device.write(&Slice::all(&buffer), &bytes).is_err());
            let x = View::new(&buffer, DType::F32, Shape::new(&[4, 4]).unwrap()).unwrap();
            let error = Batch::new().push(increment(&x, &x)).unwrap_err().to_string();
            assert!(error.contains("read-only"), "{error}");
            let in_place =
                buffer.host().unwrap().addr().get() == owner.bytes()[start..].as_ptr().addr();
            assert_eq!(in_place, start == skew);
            assert_eq!(device.stats().adopted_bytes, 64);
        }
        assert_eq!(device.stats().adopted_bytes, 0);
    }
}

#[test]
fn a_mapped_file_is_read_only_whether_it_is_copied_or_not() {
    let mut file = tempfile::tempfile().unwrap();
    let bytes: Vec<u8> = (0..5u32 << 20).flat_map(u32::to_le_bytes).collect();
    file.write_all(&bytes).unwrap();
    // SAFETY: nobody changes the file.
    let map = Arc::new(unsafe { memmap2::Mmap::map(&file) }.unwrap());
    let first = map.as_ptr();
    let host = HostMemory::mapped(map, file);
    for mapped in [true, false] {
        let cpu = Cpu::open(CpuOptions { mapped, ..Default::default() }).unwrap();
        let buffer = cpu.adopt(host.slice(32..bytes.len()).unwrap()).unwrap();
        if mapped {
            assert_eq!(buffer.host().unwrap().as_ptr().cast_const(), first.wrapping_add(32));
        }
        assert_eq!(cpu.stats().adopted_bytes, bytes.len() - 32);
        let mut found = vec![0; bytes.len() - 32];
        cpu.read(&Slice::all(&buffer), &mut found).unwrap();
        assert!(found == bytes[32..]);
        assert!(cpu.write(&Slice::all(&buffer), &found).is_err());
    }
}

#[test]
fn too_much_memory_is_an_error() {
    let cpu = Cpu::open(CpuOptions { memory_limit: Some(1 << 20), ..Default::default() }).unwrap();
    let held = cpu.alloc(1 << 19).unwrap();
    assert!(matches!(cpu.alloc(1 << 20), Err(Error::OutOfMemory { .. })));
    assert!(matches!(cpu.alloc(usize::MAX), Err(Error::OutOfMemory { .. })));
    drop(held);
    assert!(cpu.alloc(1 << 20).is_ok());
    cpu.trim();
    assert_eq!(cpu.stats().pool.idle_bytes, 0);
}

#[test]
fn wrong_options_say_what_would_be_right() {
    let open = |threads, isa| Cpu::open(CpuOptions { threads, isa, ..Default::default() });
    assert!(open(Some(0), None).unwrap_err().to_string().contains("0 threads"));
    assert!(open(Some(usize::MAX), None).is_err());
    let foreign = bessemer_simd::Isa::ALL.into_iter().find(|isa| !isa.available()).unwrap();
    let error = open(None, Some(foreign)).unwrap_err().to_string();
    assert!(error.contains("this machine has no") && error.contains("portable"), "{error}");
}
