// `atomic_ulong` and `atomic_bool` are there since Metal 2.4.
// accept --std=2.4
kernel void k(device atomic_ulong *x [[buffer(0)]]) { atomic_max_explicit(x, 1ul, memory_order_relaxed); }
// refuse --std=2.3: atomic_ulong
kernel void k(device atomic_ulong *x [[buffer(0)]]) { } // HERE
// refuse --std=2.3: atomic_bool
kernel void k(device atomic_bool *x [[buffer(0)]]) { } // HERE
