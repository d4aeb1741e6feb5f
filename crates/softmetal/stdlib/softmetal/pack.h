// <metal_pack>: normalised integers to and from floats.
namespace metal {
__sm_inline float __sm_norm(float x, float lo) { return x != x ? 0.0f : __builtin_fminf(__builtin_fmaxf(x, lo), 1.0f); }
#define __SM_UNPACK4(NAME, CAST, LANE, SCALE, SIGNED) \
  __sm_inline float4 unpack_##NAME##_to_float(uint p) { \
    float4 r; \
    for (int i = 0; i < 4; i++) { \
      float f = float(LANE(p >> (8 * i))) * (SCALE); \
      r.e[i] = SIGNED ? __builtin_fmaxf(f, -1.0f) : f; \
    } \
    return r; \
  } \
  __sm_inline half4 unpack_##NAME##_to_half(uint p) { return half4(unpack_##NAME##_to_float(p)); } \
  __sm_inline uint pack_float_to_##NAME(float4 v) { \
    uint p = 0; \
    for (int i = 0; i < 4; i++) \
      p |= uint(uchar(int(__builtin_rintf(__sm_norm(v.e[i], SIGNED ? -1.0f : 0.0f) * (SIGNED ? 127.0f : 255.0f))))) << (8 * i); \
    return p; \
  } \
  __sm_inline uint pack_half_to_##NAME(half4 v) { return pack_float_to_##NAME(float4(v)); }
__SM_UNPACK4(unorm4x8, uint, uchar, 1.0f / 255.0f, false)
__SM_UNPACK4(snorm4x8, int, char, 1.0f / 127.0f, true)
#define __SM_UNPACK2(NAME, LANE, MAX, SIGNED) \
  __sm_inline float2 unpack_##NAME##_to_float(uint p) { \
    float2 r; \
    for (int i = 0; i < 2; i++) { \
      float f = float(LANE(p >> (16 * i))) / MAX; \
      r.e[i] = SIGNED ? __builtin_fmaxf(f, -1.0f) : f; \
    } \
    return r; \
  } \
  __sm_inline half2 unpack_##NAME##_to_half(uint p) { return half2(unpack_##NAME##_to_float(p)); } \
  __sm_inline uint pack_float_to_##NAME(float2 v) { \
    uint p = 0; \
    for (int i = 0; i < 2; i++) \
      p |= uint(ushort(int(__builtin_rintf(__sm_norm(v.e[i], SIGNED ? -1.0f : 0.0f) * MAX)))) << (16 * i); \
    return p; \
  } \
  __sm_inline uint pack_half_to_##NAME(half2 v) { return pack_float_to_##NAME(float2(v)); }
__SM_UNPACK2(unorm2x16, ushort, 65535.0f, false)
__SM_UNPACK2(snorm2x16, short, 32767.0f, true)
#undef __SM_UNPACK4
#undef __SM_UNPACK2
__sm_inline float4 unpack_unorm10a2_to_float(uint p) {
  return float4(float(p & 1023u) / 1023.0f, float((p >> 10) & 1023u) / 1023.0f,
                float((p >> 20) & 1023u) / 1023.0f, float(p >> 30) / 3.0f);
}
__sm_inline uint pack_float_to_unorm10a2(float4 v) {
  uint p = 0;
  for (int i = 0; i < 3; i++) p |= uint(__builtin_rintf(__sm_norm(v.e[i], 0.0f) * 1023.0f)) << (10 * i);
  return p | uint(__builtin_rintf(__sm_norm(v.w, 0.0f) * 3.0f)) << 30;
}
__sm_inline float3 unpack_unorm565_to_float(ushort p) {
  return float3(float(p & 31u) / 31.0f, float((p >> 5) & 63u) / 63.0f, float(p >> 11) / 31.0f);
}
__sm_inline ushort pack_float_to_unorm565(float3 v) {
  return ushort(uint(__builtin_rintf(__sm_norm(v.x, 0.0f) * 31.0f)) |
                uint(__builtin_rintf(__sm_norm(v.y, 0.0f) * 63.0f)) << 5 |
                uint(__builtin_rintf(__sm_norm(v.z, 0.0f) * 31.0f)) << 11);
}
} // namespace metal
