//! A handle-based API for programs: buffers are allocated, written, computed on and read by id, which suits
//! bindings to other languages. It is built from ops, views and batches; nothing is computed here.

use crate::Result;
use bessemer_core::{Batch, Buffer, DType, Device, Error, Shape, Slice, View};
use bessemer_ops::{Input, Kernel};
use bessemer_program::{LaunchConfig, Literal, ParamKind, Program};
use std::{collections::HashMap, sync::Arc};

/// A piece of memory of an [`Executor`]. It means nothing to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u64);

/// What a parameter of a program is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// Memory, for a buffer.
    Memory(Handle),
    /// A number, for a uniform.
    Value(Literal),
}

impl From<Handle> for Argument {
    fn from(handle: Handle) -> Argument {
        Argument::Memory(handle)
    }
}

macro_rules! value {
    ($($type:ty)*) => {$(
        impl From<$type> for Argument {
            fn from(value: $type) -> Argument {
                Argument::Value(value.into())
            }
        }
    )*};
}

value!(f32 i32 u32 bool Literal);

/// Runs programs of kernel form on a device, with the same results on every one.
///
/// ```
/// use bessemer::{Device, Executor, program::{LaunchConfig, Program}};
///
/// let program = Program::parse("twice.bp", "program twice(inout buffer x: f32) {
///     %i = global.x
///     %x = load x[%i]
///     %x = add %x, %x
///     store x[%i], %x
/// }")?;
/// let device = Device::open("cpu")?;
/// let mut executor = Executor::new(device);
/// let x = executor.allocate(16)?;
/// executor.copy_in(x, &[1.0f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat())?;
/// executor.execute(&program, LaunchConfig::linear(4, 4), &[x.into()])?;
/// let mut out = [0; 16];
/// executor.copy_out(x, &mut out)?;
/// assert_eq!(&out[12..], 8f32.to_le_bytes());
/// executor.free(x)?;
/// # Ok::<(), bessemer::Error>(())
/// ```
#[derive(Debug)]
pub struct Executor {
    device: Arc<dyn Device>,
    memory: HashMap<Handle, Buffer>,
    next: u64,
}

impl Executor {
    /// An executor on a device, with no memory yet.
    pub fn new(device: impl Into<Arc<dyn Device>>) -> Executor {
        Executor { device: device.into(), memory: HashMap::new(), next: 1 }
    }

    /// New memory, all zero.
    pub fn allocate(&mut self, bytes: usize) -> Result<Handle> {
        let buffer = self.device.alloc(bytes)?;
        self.device.write(&Slice::all(&buffer), &vec![0; bytes])?;
        let handle = Handle(self.next);
        self.next += 1;
        self.memory.insert(handle, buffer);
        Ok(handle)
    }

    /// Gives memory back; what runs with it still has it until it is done.
    pub fn free(&mut self, handle: Handle) -> Result<()> {
        self.memory.remove(&handle).map(drop).ok_or_else(|| unknown(handle).into())
    }

    /// Copies bytes to the start of memory.
    pub fn copy_in(&self, to: Handle, bytes: &[u8]) -> Result<()> {
        Ok(self.device.write(&Slice::new(self.buffer(to)?, 0..bytes.len())?, bytes)?)
    }

    /// Copies bytes from the start of memory, once all that was executed before is done.
    pub fn copy_out(&self, from: Handle, out: &mut [u8]) -> Result<()> {
        Ok(self.device.read(&Slice::new(self.buffer(from)?, 0..out.len())?, out)?)
    }

    /// Runs a program with one argument for each of its parameters, in order.
    ///
    /// ```
    /// use bessemer::{Device, Executor, program::{LaunchConfig, Program}};
    ///
    /// let text = "program fill(out buffer x: f32, uniform k: f32) {
    ///     %i = global.x
    ///     store x[%i], k
    /// }";
    /// let mut executor = Executor::new(Device::open("cpu")?);
    /// let x = executor.allocate(8)?;
    /// let fill = Program::parse("fill.bp", text)?;
    /// executor.execute(&fill, LaunchConfig::linear(2, 2), &[x.into(), 0.5f32.into()])?;
    /// let mut out = [0; 8];
    /// executor.copy_out(x, &mut out)?;
    /// assert_eq!(out[..4], 0.5f32.to_le_bytes());
    /// # Ok::<(), bessemer::Error>(())
    /// ```
    pub fn execute(
        &self,
        program: &Program,
        launch: LaunchConfig,
        arguments: &[Argument],
    ) -> Result<()> {
        let params = program.params();
        if params.len() != arguments.len() {
            let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
            let why = format!(
                "{}: {} arguments were given; it takes {} ({})",
                program.name(),
                arguments.len(),
                params.len(),
                names.join(", ")
            );
            return Err(Error::view(why).into());
        }
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (param, argument) in params.iter().zip(arguments) {
            match *argument {
                Argument::Value(value) => inputs.push(Input::Value(value)),
                Argument::Memory(handle) => {
                    let view = self.view(handle, param.dtype)?;
                    match param.kind {
                        ParamKind::Buffer(direction) if direction.writes() => outputs.push(view),
                        _ => inputs.push(Input::View(view)),
                    }
                }
            }
        }
        let mut batch = Batch::new();
        batch.push(Kernel { program: program.clone(), launch, inputs, outputs })?;
        let ticket = self.device.submit(&batch)?;
        Ok(self.device.wait(ticket)?)
    }

    /// All of some memory, as elements.
    fn view(&self, handle: Handle, dtype: DType) -> Result<View> {
        let buffer = self.buffer(handle)?;
        let count = buffer.bytes() / dtype.block_bytes() * dtype.block_len();
        Ok(View::new(buffer, dtype, Shape::new(&[count])?)?)
    }

    fn buffer(&self, handle: Handle) -> Result<&Buffer> {
        self.memory.get(&handle).ok_or_else(|| unknown(handle).into())
    }
}

fn unknown(handle: Handle) -> Error {
    Error::view(format!("{handle:?}: this executor has no such memory; it may have been freed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device as Opened;

    const SCALE: &str = "program scale(in buffer x: f32, out buffer y: f32, uniform k: f32) {
        %i = global.x
        %x = load x[%i]
        %y = mul %x, k
        store y[%i], %y
    }";

    #[test]
    fn misuse_is_told() {
        let program = Program::parse("scale.bp", SCALE).unwrap();
        let mut executor = Executor::new(Opened::open("cpu").unwrap());
        let (x, y) = (executor.allocate(16).unwrap(), executor.allocate(16).unwrap());
        let launch = LaunchConfig::linear(4, 4);
        let error = |arguments: &[Argument]| {
            executor.execute(&program, launch, arguments).unwrap_err().to_string()
        };
        assert!(
            error(&[x.into(), y.into()])
                .contains("scale: 2 arguments were given; it takes 3 (x, y, k)")
        );
        assert!(
            error(&[x.into(), y.into(), 1i32.into()]).contains("k is given i32, but must be f32")
        );
        assert!(error(&[x.into(), 1f32.into(), 1f32.into()]).contains("scale"));
        assert!(executor.copy_in(x, &[0; 17]).is_err());
        executor.free(y).unwrap();
        assert!(executor.free(y).unwrap_err().to_string().contains("may have been freed"));
        let gone = [x.into(), y.into(), 1f32.into()];
        assert!(executor.execute(&program, launch, &gone).is_err());
    }
}
