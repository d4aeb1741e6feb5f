// There are only the atomic functions that end in `_explicit`.
// accept
kernel void k(device atomic_int *x [[buffer(0)]]) { atomic_exchange_explicit(x, 1, memory_order_relaxed); }
// refuse: 'atomic_fetch_add'
kernel void k(device atomic_int *x [[buffer(0)]]) {
  atomic_fetch_add(x, 1); // HERE
}
