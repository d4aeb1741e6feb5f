// A name of `metal::` that is declared again outside is ambiguous where `using namespace metal` brings in both.
// accept
kernel void k(device float *out [[buffer(0)]], constant float &bias [[buffer(1)]]) { float level = bias; out[0] = level; }
// refuse: 'bias'
struct bias { float x; };
kernel void k(device float *out [[buffer(0)]]) {
  bias b = {1}; // HERE
  out[0] = b.x;
}
// refuse: 'level'
constant float level = 2;
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = level; // HERE
}
