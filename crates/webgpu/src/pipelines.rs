//! The cache of compiled kernels, by their source.

use crate::{
    fault::caught,
    source::{self, Dialect},
};
use bessemer_core::gpu::{Constant, Kernel, Launch, Source, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a pipeline is made from.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) kernel: Kernel,
    /// By binding, whether it is written.
    pub(crate) writes: Vec<bool>,
    /// Whether numbers are bound after the buffers.
    pub(crate) params: bool,
}

impl Key {
    /// That of a launch which binds `spans`.
    pub(crate) fn new(launch: &Launch, spans: &[Span]) -> Key {
        Key {
            kernel: launch.kernel.clone(),
            writes: spans.iter().map(|span| span.writes).collect(),
            params: !launch.params.words().is_empty(),
        }
    }

    /// The text that is compiled.
    pub(crate) fn text(&self, dialect: Dialect) -> String {
        let text = source::define(self.kernel.source.text(), &self.kernel.defines);
        let text = source::writable(text, &self.writes);
        format!("{}{text}", source::enables(&text, dialect))
    }

    /// The numbers it is specialised by.
    pub(crate) fn constants(&self) -> Vec<(u16, f64)> {
        self.kernel.constants.iter().map(|&(id, value)| (id, constant(value))).collect()
    }
}

/// A compiled kernel and the layout of what it binds.
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
    source: Source,
}

impl Pipeline {
    /// The name of the text it was compiled from.
    pub(crate) fn name(&self) -> &str {
        self.source.name()
    }
}

/// All pipelines of a device.
pub(crate) struct Pipelines {
    device: wgpu::Device,
    made: FxHashMap<Key, Arc<Pipeline>>,
    /// What reads the texts.
    dialect: Dialect,
}

impl Pipelines {
    pub(crate) fn new(device: wgpu::Device, dialect: Dialect) -> Pipelines {
        Pipelines { device, made: FxHashMap::default(), dialect }
    }

    /// The pipeline of `key`, compiled if it is new.
    pub(crate) fn get(&mut self, key: Key) -> Result<Arc<Pipeline>, String> {
        if let Some(pipeline) = self.made.get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let pipeline = caught(&self.device, || self.compile(&key));
        let pipeline = Arc::new(pipeline.map_err(|why| {
            format!("the driver refuses the kernel {}: {why}", key.kernel.source.name())
        })?);
        self.made.insert(key, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    fn compile(&self, key: &Key) -> Pipeline {
        let kernel = &key.kernel;
        let text = key.text(self.dialect);
        let name = Some(kernel.source.name());
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: name,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        };
        let module = match kernel.source {
            // SAFETY: kernels that lie beside their ops stay within what their launches bind, and
            // their loops end; the conformance list runs each of them between margins.
            Source::File { .. } => unsafe {
                self.device.create_shader_module_trusted(
                    descriptor,
                    wgpu::ShaderRuntimeChecks::unchecked(),
                )
            },
            // What people write in programs is checked as it runs.
            Source::Made { .. } => self.device.create_shader_module(descriptor),
        };
        let layout = self.layout(key);
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: name,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let constants: Vec<(String, f64)> =
            key.constants().into_iter().map(|(id, value)| (id.to_string(), value)).collect();
        let constants: Vec<(&str, f64)> =
            constants.iter().map(|(id, value)| (id.as_str(), *value)).collect();
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: name,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(&kernel.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        Pipeline { pipeline, layout, source: kernel.source.clone() }
    }

    fn layout(&self, key: &Key) -> wgpu::BindGroupLayout {
        let storage = |&writes: &bool| wgpu::BufferBindingType::Storage { read_only: !writes };
        let types = key.writes.iter().map(storage);
        let types = types.chain(key.params.then_some(wgpu::BufferBindingType::Uniform));
        let entries: Vec<_> = (0..)
            .zip(types)
            .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }
}

fn constant(value: Constant) -> f64 {
    match value {
        Constant::Bool(value) => f64::from(u8::from(value)),
        Constant::I32(value) => f64::from(value),
        Constant::U32(value) => f64::from(value),
        Constant::F32(bits) => f64::from(f32::from_bits(bits)),
    }
}
