//! The reference implementation.

use super::Map;
use crate::bind::{self, Lists};
use bessemer_core::{Host, Meter};
use bessemer_program::reference::run_element;

pub(super) fn map(op: &Map, host: &mut Host<'_>) {
    let domain = op.outputs[0].shape();
    let mut lists = Lists::new(host, &op.program, &op.inputs, &op.outputs, Some(domain));
    let uniforms = lists.uniforms.clone();
    let mut meter = Meter::new(host.deadline());
    for element in 0..domain.elements() {
        if let Err(why) = run_element(&op.program, &uniforms, element, &mut lists, &mut meter) {
            bind::fail(why);
        }
    }
    lists.write(host, &op.outputs);
}
