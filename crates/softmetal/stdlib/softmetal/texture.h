// <metal_texture>: textures and samplers, declared so that everything around them compiles. There are
// no definitions: a kernel that reaches one is not run here.
namespace metal {
enum class access { sample, read, write, __sm_name_read_write };
enum memory_coherence { memory_coherence_threadgroup, memory_coherence_device };
enum class coord { normalized, pixel };
enum class address { clamp_to_zero, clamp_to_edge, clamp_to_border, repeat, mirrored_repeat };
typedef address s_address;
typedef address t_address;
typedef address r_address;
enum class filter { nearest, linear, bicubic };
enum class mag_filter { nearest, linear, bicubic };
enum class min_filter { nearest, linear, bicubic };
enum class mip_filter { none, nearest, linear };
enum class compare_func { none, less, less_equal, greater, greater_equal, equal, not_equal, always, never };
enum class border_color { transparent_black, opaque_black, opaque_white };
enum class reduction { weighted_average, minimum, maximum };
enum class component { x, y, z, w };
struct max_anisotropy { explicit constexpr max_anisotropy(int) {} };
struct lod_clamp { constexpr lod_clamp(float, float) {} };
struct bias { explicit constexpr bias(float) {} };
struct level { explicit constexpr level(float) {} };
struct min_lod_clamp { explicit constexpr min_lod_clamp(float) {} };
struct gradient2d { constexpr gradient2d(float2, float2) {} };
struct gradient3d { constexpr gradient3d(float3, float3) {} };
struct gradientcube { constexpr gradientcube(float3, float3) {} };
struct sampler {
  sampler() = default;
  template <class F, class... A, enable_if_t<!is_arithmetic<F>::value && !is_same<F, sampler>::value, int> = 0> constexpr sampler(F, A...) {}
};
template <class T> struct __sm_lod : false_type {};
template <> struct __sm_lod<bias> : true_type {};
template <> struct __sm_lod<level> : true_type {};
template <> struct __sm_lod<min_lod_clamp> : true_type {};
template <> struct __sm_lod<gradient2d> : true_type {};
template <> struct __sm_lod<gradient3d> : true_type {};
template <> struct __sm_lod<gradientcube> : true_type {};
template <class L> using __sm_if_lod = enable_if_t<__sm_lod<L>::value, int>;
template <access A> constexpr bool __sm_reads = A != access::write;
template <access A> constexpr bool __sm_writes = A == access::write || A == access::__sm_name_read_write;

// What a texture is asked for. TEXEL is what it gives, PLACE a position to sample at, AT one to read.
#define __SM_TEXTURE_SIZES(NAME, T) \
  static_assert(is_arithmetic<T>::value, "the elements of a texture are numbers, not vectors: texture2d<float>"); \
  NAME() = default; \
  template <class N> NAME(N, enable_if_t<is_null_pointer<N>::value, int> = 0); \
  uint get_width(uint lod = 0) const; \
  uint get_height(uint lod = 0) const; \
  uint get_depth(uint lod = 0) const; \
  uint get_array_size() const; \
  uint get_num_mip_levels() const; \
  uint get_num_samples() const; \
  void fence() const; \
  ulong __handle;
#define __SM_TEXTURE_READ(TEXEL, ...) \
  TEXEL read(__VA_ARGS__) const { static_assert(__sm_reads<A>, "a texture that is only written cannot be read"); return __sm_texel<TEXEL>(); } \
  void write(vec<T, 4> v, __VA_ARGS__) const { static_assert(__sm_writes<A>, "only a texture with access::write or access::read_write can be written"); } \
  void write(T v, __VA_ARGS__) const { static_assert(__sm_writes<A>, "only a texture with access::write or access::read_write can be written"); }
#define __SM_TEXTURE_SAMPLE(TEXEL, OFFSET, ...) \
  TEXEL sample(sampler s, __VA_ARGS__, OFFSET offset = OFFSET(0)) const { static_assert(A == access::sample, "only a texture with access::sample can be sampled"); return __sm_texel<TEXEL>(); } \
  template <class L, __sm_if_lod<L> = 0> TEXEL sample(sampler s, __VA_ARGS__, L lod, OFFSET offset = OFFSET(0)) const { return __sm_texel<TEXEL>(); } \
  template <class L, __sm_if_lod<L> = 0> TEXEL sample(sampler s, __VA_ARGS__, L lod, min_lod_clamp least, OFFSET offset = OFFSET(0)) const { return __sm_texel<TEXEL>(); }
#define __SM_TEXTURE_COMPARE(OFFSET, ...) \
  T sample_compare(sampler s, __VA_ARGS__, float value, OFFSET offset = OFFSET(0)) const { return T(0); } \
  template <class L, __sm_if_lod<L> = 0> T sample_compare(sampler s, __VA_ARGS__, float value, L lod, OFFSET offset = OFFSET(0)) const { return T(0); } \
  vec<T, 4> gather_compare(sampler s, __VA_ARGS__, float value, OFFSET offset = OFFSET(0)) const { return vec<T, 4>(T(0)); }
#define __SM_TEXTURE_GATHER(OFFSET, ...) \
  vec<T, 4> gather(sampler s, __VA_ARGS__, OFFSET offset = OFFSET(0), component c = component::x) const { return vec<T, 4>(T(0)); }
// The faces of a cube have no offsets.
#define __SM_TEXTURE_GATHER_CUBE(...) \
  vec<T, 4> gather(sampler s, __VA_ARGS__, component c = component::x) const { return vec<T, 4>(T(0)); }
#define __SM_TEXTURE_ATOMICS(...) \
  vec<T, 4> atomic_load(__VA_ARGS__) const { return vec<T, 4>(T(0)); } \
  void atomic_store(vec<T, 4> v, __VA_ARGS__) const {} \
  vec<T, 4> atomic_exchange(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  bool atomic_compare_exchange_weak(__VA_ARGS__, thread_vec<T> *e, vec<T, 4> v) const { return true; } \
  vec<T, 4> atomic_fetch_add(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  vec<T, 4> atomic_fetch_sub(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  vec<T, 4> atomic_fetch_and(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  vec<T, 4> atomic_fetch_or(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  vec<T, 4> atomic_fetch_xor(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  vec<T, 4> atomic_fetch_min(__VA_ARGS__, vec<T, 4> v) const { return v; } \
  vec<T, 4> atomic_fetch_max(__VA_ARGS__, vec<T, 4> v) const { return v; }
template <class T> using thread_vec = __private vec<T, 4>;
template <class X> X __sm_texel() { return X(); }
struct __sm_no_offset { explicit constexpr __sm_no_offset(int) {} };
// A kind of texture: how it may be used unless it says otherwise, and what it can be asked for.
#define __SM_TEXTURE(NAME, ACCESS, ...) \
  template <class T, access A = access::ACCESS, memory_coherence C = memory_coherence_threadgroup> struct NAME { \
    typedef vec<T, 4> __sm_four; \
    __SM_TEXTURE_SIZES(NAME, T) \
    __VA_ARGS__ \
  };
// Positions come as ushort or as uint. N is their width, the rest are indices beside them.
#define __SM_TEXTURE_READS(TEXEL, N) \
  __SM_TEXTURE_READ(TEXEL, uint##N at, uint lod = 0) __SM_TEXTURE_READ(TEXEL, ushort##N at, ushort lod = 0)
#define __SM_TEXTURE_READS1(TEXEL, N, INDEX) \
  __SM_TEXTURE_READ(TEXEL, uint##N at, uint INDEX, uint lod = 0) __SM_TEXTURE_READ(TEXEL, ushort##N at, ushort INDEX, ushort lod = 0)
#define __SM_TEXTURE_READS2(TEXEL, N, INDEX, OTHER) \
  __SM_TEXTURE_READ(TEXEL, uint##N at, uint INDEX, uint OTHER, uint lod = 0) \
  __SM_TEXTURE_READ(TEXEL, ushort##N at, ushort INDEX, ushort OTHER, ushort lod = 0)
// Several samples for each texel, and no smaller sizes.
#define __SM_TEXTURE_SAMPLES(TEXEL) \
  __SM_TEXTURE_READ(TEXEL, uint2 at, uint sample) __SM_TEXTURE_READ(TEXEL, ushort2 at, ushort sample)
#define __SM_TEXTURE_SAMPLES1(TEXEL) \
  __SM_TEXTURE_READ(TEXEL, uint2 at, uint layer, uint sample) __SM_TEXTURE_READ(TEXEL, ushort2 at, ushort layer, ushort sample)
__SM_TEXTURE(texture1d, sample, __SM_TEXTURE_READS(__sm_four, ) __SM_TEXTURE_SAMPLE(__sm_four, int, float at)
  __SM_TEXTURE_ATOMICS(uint at) __SM_TEXTURE_ATOMICS(ushort at))
__SM_TEXTURE(texture1d_array, sample, __SM_TEXTURE_READS1(__sm_four, , layer) __SM_TEXTURE_SAMPLE(__sm_four, int, float at, uint layer)
  __SM_TEXTURE_ATOMICS(uint at, uint layer) __SM_TEXTURE_ATOMICS(ushort at, ushort layer))
__SM_TEXTURE(texture2d, sample, __SM_TEXTURE_READS(__sm_four, 2) __SM_TEXTURE_SAMPLE(__sm_four, int2, float2 at)
  __SM_TEXTURE_GATHER(int2, float2 at) __SM_TEXTURE_ATOMICS(uint2 at) __SM_TEXTURE_ATOMICS(ushort2 at))
__SM_TEXTURE(texture2d_array, sample, __SM_TEXTURE_READS1(__sm_four, 2, layer) __SM_TEXTURE_SAMPLE(__sm_four, int2, float2 at, uint layer)
  __SM_TEXTURE_GATHER(int2, float2 at, uint layer) __SM_TEXTURE_ATOMICS(uint2 at, uint layer) __SM_TEXTURE_ATOMICS(ushort2 at, ushort layer))
__SM_TEXTURE(texture2d_ms, read, __SM_TEXTURE_SAMPLES(__sm_four))
__SM_TEXTURE(texture2d_ms_array, read, __SM_TEXTURE_SAMPLES1(__sm_four))
__SM_TEXTURE(texturecube, sample, __SM_TEXTURE_READS1(__sm_four, 2, face) __SM_TEXTURE_SAMPLE(__sm_four, __sm_no_offset, float3 at)
  __SM_TEXTURE_GATHER_CUBE(float3 at))
__SM_TEXTURE(texturecube_array, sample, __SM_TEXTURE_READS2(__sm_four, 2, face, layer)
  __SM_TEXTURE_SAMPLE(__sm_four, __sm_no_offset, float3 at, uint layer) __SM_TEXTURE_GATHER_CUBE(float3 at, uint layer))
__SM_TEXTURE(depth2d, sample, __SM_TEXTURE_READS(T, 2) __SM_TEXTURE_SAMPLE(T, int2, float2 at) __SM_TEXTURE_COMPARE(int2, float2 at)
  __SM_TEXTURE_GATHER(int2, float2 at))
__SM_TEXTURE(depth2d_array, sample, __SM_TEXTURE_READS1(T, 2, layer) __SM_TEXTURE_SAMPLE(T, int2, float2 at, uint layer)
  __SM_TEXTURE_COMPARE(int2, float2 at, uint layer) __SM_TEXTURE_GATHER(int2, float2 at, uint layer))
__SM_TEXTURE(depth2d_ms, read, __SM_TEXTURE_SAMPLES(T))
__SM_TEXTURE(depth2d_ms_array, read, __SM_TEXTURE_SAMPLES1(T))
__SM_TEXTURE(depthcube, sample, __SM_TEXTURE_READS1(T, 2, face) __SM_TEXTURE_SAMPLE(T, __sm_no_offset, float3 at)
  __SM_TEXTURE_COMPARE(__sm_no_offset, float3 at) __SM_TEXTURE_GATHER_CUBE(float3 at))
__SM_TEXTURE(depthcube_array, sample, __SM_TEXTURE_READS2(T, 2, face, layer) __SM_TEXTURE_SAMPLE(T, __sm_no_offset, float3 at, uint layer)
  __SM_TEXTURE_COMPARE(__sm_no_offset, float3 at, uint layer) __SM_TEXTURE_GATHER_CUBE(float3 at, uint layer))
__SM_TEXTURE(texture3d, sample, __SM_TEXTURE_READS(__sm_four, 3) __SM_TEXTURE_SAMPLE(__sm_four, int3, float3 at)
  __SM_TEXTURE_ATOMICS(uint3 at) __SM_TEXTURE_ATOMICS(ushort3 at))
__SM_TEXTURE(texture_buffer, read, __SM_TEXTURE_READ(__sm_four, uint at) __SM_TEXTURE_ATOMICS(uint at))
#undef __SM_TEXTURE
#undef __SM_TEXTURE_READS
#undef __SM_TEXTURE_READS1
#undef __SM_TEXTURE_READS2
#undef __SM_TEXTURE_SAMPLES
#undef __SM_TEXTURE_SAMPLES1
#undef __SM_TEXTURE_SIZES
#undef __SM_TEXTURE_READ
#undef __SM_TEXTURE_SAMPLE
#undef __SM_TEXTURE_COMPARE
#undef __SM_TEXTURE_GATHER
#undef __SM_TEXTURE_GATHER_CUBE
#undef __SM_TEXTURE_ATOMICS
template <class X> bool is_null_texture(X) { return true; }
// What helpers of fragment functions call; no kernel may.
void discard_fragment();
#define __SM_DERIVATIVE(NAME) float NAME(float); float2 NAME(float2); float3 NAME(float3); float4 NAME(float4);
__SM_DERIVATIVE(dfdx) __SM_DERIVATIVE(dfdy) __SM_DERIVATIVE(fwidth)
#undef __SM_DERIVATIVE
} // namespace metal
