// Every type of the library is in `metal::` as well, and so are its questions about types.
#include <metal_stdlib>

struct Both { metal::float4 v; metal::packed_half3 h; metal::half2x4 m; metal::ushort2 s; metal::bool3 b; metal::uint n; };

static_assert(metal::is_same_v<metal::float4, float4> && metal::is_same_v<metal::float3x2, float3x2>, "one type");
static_assert(metal::is_scalar_v<half> && !metal::is_scalar_v<float4> && metal::is_vector_v<float4>, "vectors are no scalars");
static_assert(metal::is_floating_point_v<half3> && metal::is_integral_v<uchar4> && !metal::is_integral_v<float2>, "numbers of both shapes");
static_assert(metal::is_unsigned_v<uint2> && metal::is_signed_v<char> && !metal::is_signed_v<ulong3>, "signs");
static_assert(metal::is_pointer_v<device int *> && metal::is_pointer_v<thread int *const> && !metal::is_pointer_v<int>, "pointers");
static_assert(metal::is_array_v<int[3]> && metal::rank_v<int[3][2]> == 2 && metal::extent_v<int[3][2], 1> == 2, "arrays");
static_assert(metal::is_same_v<metal::remove_extent_t<int[3]>, int> && metal::is_same_v<metal::remove_volatile_t<volatile int>, int>, "less");
static_assert(metal::is_same_v<metal::add_const_t<int>, const int> && metal::is_same_v<metal::add_pointer_t<int>, int *>, "more");
static_assert(metal::is_class_v<Both> && metal::is_trivially_copyable_v<Both> && !metal::is_union_v<Both> && metal::is_void_v<void>, "classes");
static_assert(metal::is_const_v<const int> && metal::is_volatile_v<volatile int> && metal::is_reference_v<thread int &>, "qualifiers");
static_assert(metal::is_same_v<metal::common_type_t<int, float, half>, float> && metal::is_convertible_v<int, float>, "common");
static_assert(metal::is_constructible_v<float4, float>, "construction");

kernel void names(device float *o [[buffer(0)]], device metal::float2 *v [[buffer(1)]], metal::uint3 at [[thread_position_in_grid]]) {
  metal::float3x3 m = metal::float3x3(metal::float3(1, 2, 3), metal::float3(4, 5, 6), metal::float3(7, 8, 9));
  metal::float3 c = m[1];
  v[0] = metal::float2(c.x, metal::dot(c, metal::float3(1)));
  metal::int4 n = metal::int4(1, 2, 3, 4);
  o[0] = v[0].x;
  o[1] = v[0].y;
  o[2] = float(n.w + int(metal::uchar2(3, 4).y) + int(at.x));
}

// Libraries bring these along in Metal's own namespace, so Metal has none.
namespace metal {
template <typename T> struct is_empty : bool_constant<__is_empty(T)> {};
template <typename... Ts> struct make_void { typedef void type; };
template <typename... Ts> using void_t = typename make_void<Ts...>::type;
} // namespace metal
static_assert(metal::is_empty<metal::true_type>::value, "a library's own trait");
