//! What real GPUs are like, as far as it is public. Sources of the figures:
//!
//! * families, threadgroup memory and threads: Apple's Metal Feature Set Tables. SIMD-group
//!   reductions and matrices came with family Apple7; GPUs of Intel Macs (Mac2) have the reductions.
//! * M1, 8 GB: a longest buffer of 4294967296 bytes (ggml-org/llama.cpp#1706); two thirds of the
//!   memory as working set, as everywhere up to 36 GB before macOS 15 (21845 MiB of 32 GB:
//!   ollama/ollama#434).
//! * Larger Macs: a longest buffer of 9/16 of the memory (36864 MiB of 64 GB: gfx-rs/wgpu#2502,
//!   about 27 GiB of 48 GB: exo-explore/exo#1048); a working set of 12713 MB of 16 GB with macOS 15
//!   and later (ggml-org/llama.cpp#16559).
//! * M5: family Apple10 (ggml-org/llama.cpp#16634).
//! * AMD in Intel Macs: buffers of 3584 MiB (ggml-org/llama.cpp#5206). The memory is the GPU's own;
//!   its size here, 8 GB, is that of a usual card.
//! * The virtual GPU of macOS guests: family Apple5, no SIMD-group reductions or matrices, a working
//!   set of 5010.80 MB (ggml-org/llama.cpp#8617 and #14829).
//! * Threads by registers: up to family Apple8 as Mesa's driver for them has it
//!   (`agx_performance.c`); 208 KiB for the threads of a threadgroup, from which the same follows.
//!   From Apple9 on registers are given out as they are used, and an M3 says 1024 of kernels that
//!   have 448 on an M1 (leejet/stable-diffusion.cpp#587). AMD's have 256 registers for each of four
//!   groups of 64 lanes, which a threadgroup must share.
//!
//! No figure is known for the longest buffer of an A17 Pro and of the virtual GPU: half the memory is
//! taken, as on an M1 with as much.

use super::Family;
use crate::error::{Result, invalid};

/// A GPU to imitate.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// What it is called here.
    pub name: &'static str,
    /// The families it belongs to.
    pub families: &'static [Family],
    /// Bytes of the longest buffer.
    pub max_buffer_length: usize,
    /// Bytes that all buffers in use should stay below.
    pub working_set: usize,
    /// Bytes of threadgroup memory a threadgroup may have.
    pub threadgroup_memory: usize,
    /// Whether SIMD-groups can shuffle, vote and reduce.
    pub simd_reduce: bool,
    /// Whether SIMD-groups can multiply matrices.
    pub simd_matrix: bool,
    /// Whether there is `bfloat`.
    pub bfloat: bool,
    /// Whether CPU and GPU memory are the same.
    pub unified_memory: bool,
    /// Cores of the GPU.
    pub cores: u32,
    /// How many threads a threadgroup can have: up to so many halves of 32-bit registers for a
    /// thread, so many threads. With nothing here, registers are not counted.
    pub occupancy: &'static [(u32, u32)],
}

const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

/// What most have in common: a GPU of an M-series chip.
const APPLE: Profile = Profile {
    name: "",
    families: &[],
    max_buffer_length: 0,
    working_set: 0,
    threadgroup_memory: 32 << 10,
    simd_reduce: true,
    simd_matrix: true,
    bfloat: true,
    unified_memory: true,
    cores: 8,
    occupancy: &[
        (104, 1024),
        (112, 896),
        (128, 832),
        (136, 768),
        (144, 704),
        (160, 640),
        (184, 576),
        (208, 512),
        (232, 448),
        (256, 384),
    ],
};

use Family::{Apple5, Apple7, Apple8, Apple9, Apple10, Common3, Mac2, Metal3};

static PROFILES: [Profile; 7] = [
    Profile {
        name: "m1-8gb",
        families: &[Common3, Metal3, Mac2, Apple5, Apple7],
        max_buffer_length: 4 * GIB,
        working_set: 8 * GIB / 3 * 2,
        ..APPLE
    },
    Profile {
        name: "m2-max",
        families: &[Common3, Metal3, Mac2, Apple5, Apple7, Apple8],
        max_buffer_length: 18 * GIB,
        working_set: 32 * GIB / 3 * 2,
        cores: 38,
        ..APPLE
    },
    Profile {
        name: "m4",
        families: &[Common3, Metal3, Mac2, Apple5, Apple7, Apple8, Apple9],
        max_buffer_length: 9 * GIB,
        working_set: 12_713_120_000,
        cores: 10,
        occupancy: &[],
        ..APPLE
    },
    Profile {
        name: "m5",
        families: &[Common3, Metal3, Mac2, Apple5, Apple7, Apple8, Apple9, Apple10],
        max_buffer_length: 9 * GIB,
        working_set: 12_713_120_000,
        cores: 10,
        occupancy: &[],
        ..APPLE
    },
    Profile {
        name: "a17",
        families: &[Common3, Metal3, Apple5, Apple7, Apple8, Apple9],
        max_buffer_length: 4 * GIB,
        working_set: 8 * GIB / 3 * 2,
        cores: 6,
        occupancy: &[],
        ..APPLE
    },
    Profile {
        name: "intel-amd",
        families: &[Common3, Metal3, Mac2],
        max_buffer_length: 3584 * MIB,
        working_set: 8 * GIB,
        simd_matrix: false,
        bfloat: false,
        unified_memory: false,
        cores: 20,
        occupancy: &[(128, 1024), (168, 768), (256, 512), (512, 256)],
        ..APPLE
    },
    Profile {
        name: "paravirtual",
        families: &[Common3, Apple5],
        max_buffer_length: 4 * GIB,
        working_set: 5_010_800_000,
        simd_reduce: false,
        simd_matrix: false,
        bfloat: false,
        ..APPLE
    },
];

impl Profile {
    /// A GPU that has everything, with room without end.
    pub const FULL: Profile = Profile {
        name: "full",
        families: &[Common3, Metal3, Mac2, Apple5, Apple7, Apple8, Apple9],
        max_buffer_length: 1 << 38,
        working_set: 1 << 38,
        occupancy: &[],
        ..APPLE
    };

    /// All that are known.
    pub fn all() -> &'static [Profile] {
        &PROFILES
    }

    /// One by its name.
    pub fn named(name: &str) -> Result<&'static Profile> {
        match PROFILES.iter().find(|p| p.name == name) {
            Some(profile) => Ok(profile),
            None => {
                let known: Vec<&str> = PROFILES.iter().map(|p| p.name).collect();
                invalid("profile", format!("there is no '{name}'; there are {}", known.join(", ")))
            }
        }
    }
}
