// Some bits of one word.
struct Edge { word: u32, mask: u32, bits: u32 }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> edge: Edge;

@compute @workgroup_size(1)
fn merge() {
    words[edge.word] = (words[edge.word] & ~edge.mask) | edge.bits;
}
