//! Files of arrays.

use bessemer_array::Array;
use bessemer_core::Device;
use bessemer_cpu::Reference;
use std::sync::Arc;

thread_local! {
    static DEVICE: Arc<dyn Device> = Arc::new(Reference::new());
}

/// Any bytes as a `.npy` file. One that is read is written again, and is then the same array.
pub fn npy(data: &[u8]) {
    DEVICE.with(|device| {
        let Ok(array) = Array::read_npy(device, &mut &*data) else {
            return;
        };
        let mut written = Vec::new();
        array.write_npy(&mut written).expect("every dtype that is read can be written");
        let again = Array::read_npy(device, &mut written.as_slice()).expect("our own file");
        assert_eq!((again.dtype(), again.dims()), (array.dtype(), array.dims()));
        let mut twice = Vec::new();
        again.write_npy(&mut twice).expect("as the first time");
        assert!(twice == written, "a file changes when it is read and written");
        // What is shown is only a part of a large array.
        assert!(array.to_string().len() < 1 << 20);
    });
}
