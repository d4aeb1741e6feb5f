// `constexpr` does not take the place of `constant`.
// accept
constexpr constant int width = 4;
namespace sizes { constant constexpr int height = 2; }
kernel void k(device float *out [[buffer(0)]]) { float x[width] = {}; out[0] = x[sizes::height]; }
// refuse: 'width'
constexpr int width = 4; // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = width; }
// refuse: 'height'
namespace sizes {
constexpr int height = 2; // HERE
}
kernel void k(device float *out [[buffer(0)]]) { out[0] = sizes::height; }
