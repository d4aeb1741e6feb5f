// Two buffers have one index only if function constants choose between them.
// accept
constant bool wide [[function_constant(0)]];
constant bool narrow = !wide;
kernel void k(device int *a [[buffer(0), function_constant(wide)]],
              device short *b [[buffer(0), function_constant(narrow)]]) {
  if (wide) a[0] = 1; else b[0] = 1;
}
// refuse: 'b'
kernel void k(device int *a [[buffer(0)]],
              device int *b [[buffer(0)]]) { // HERE
  a[0] = b[0];
}
