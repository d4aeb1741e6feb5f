// `atomic_float` is there since Metal 3.0.
// accept --std=3.0
kernel void k(device atomic_float *x [[buffer(0)]]) { atomic_fetch_add_explicit(x, 1.0f, memory_order_relaxed); }
// refuse --std=2.4: atomic_float
kernel void k(device atomic_float *x [[buffer(0)]]) { // HERE
  atomic_fetch_add_explicit(x, 1.0f, memory_order_relaxed);
}
// refuse --std=2.4: atomic<float>
kernel void k(device atomic<float> *x [[buffer(0)]]) { // HERE
  atomic_fetch_add_explicit(x, 1.0f, memory_order_relaxed);
}
