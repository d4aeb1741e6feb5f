// Kernels beside functions of other stages, and kernels that use textures.
#include <metal_stdlib>
using namespace metal;

constexpr sampler wide(coord::normalized, address::repeat, filter::linear);

struct Corner {
  float4 position [[position]];
  float2 uv [[user(uv)]];
};
vertex Corner corner(uint i [[vertex_id]], constant float4 *at [[buffer(0)]]) { return Corner{at[i], at[i].xy}; }
fragment float4 shade(Corner in [[stage_in]], texture2d<float> t [[texture(0)]]) {
  if (in.uv.x < 0) discard_fragment();
  return t.sample(wide, in.uv);
}

float4 look(texture2d<float, access::sample> t, float2 at) {
  constexpr sampler s(filter::linear, address::clamp_to_edge);
  return t.sample(s, at, level(0)) + t.sample(wide, at, int2(1)) + t.gather(s, at);
}

kernel void blur(texture2d<float, access::read> in [[texture(0)]], texture2d<half, access::write> out [[texture(1)]],
                 sampler s [[sampler(0)]], uint2 at [[thread_position_in_grid]]) {
  if (at.x >= out.get_width() || at.y >= out.get_height()) return;
  out.write(half4(in.read(at)), at);
}

template <typename T>
kernel void layers(texture2d_array<T, access::sample> a [[texture(0)]], texture2d<float> b [[texture(1)]], device T *o [[buffer(0)]]) {
  o[0] = a.read(uint2(0), 1).x + look(b, float2(0)).x;
}
template [[host_name("layers_float")]] kernel void layers<float>(
    texture2d_array<float, access::sample> a [[texture(0)]], texture2d<float> b [[texture(1)]], device float *o [[buffer(0)]]);

struct Bundle { texture2d<float> t [[id(0)]]; device float *p [[id(1)]]; };
kernel void bundle(constant Bundle &a [[buffer(0)]]) { a.p[0] = a.t.read(uint2(0)).x; }

// A cube is gathered from without an offset.
kernel void cube(texturecube<float> t [[texture(0)]], sampler s [[sampler(0)]], device float *o [[buffer(0)]]) {
  o[0] = t.gather(s, float3(1), component::y).x;
}

kernel void plain(device float *o [[buffer(0)]]) { o[0] = 3; }
