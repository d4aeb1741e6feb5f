// The value of a variable in `constant` memory is a constant expression.
// accept
constexpr int twice(int x) { return 2 * x; }
constant int a = twice(21);
kernel void k(device int *out [[buffer(0)]]) { out[0] = a; }
// accept
struct Pair { float a; float4 b; };
constant Pair both = {1.0f, float4(1, 2, 3, 4)};
constant float3x3 rotated = float3x3(float3(0, 1, 0), float3(1, 0, 0), float3(0, 0, 1));
constant float2x2 elements = float2x2(1, 2, 3, 4);
constant float low = -INFINITY, bits = as_type<float>(0x7f800000u);
kernel void k(device float *out [[buffer(0)]]) { out[0] = both.b.x + rotated[0].y + elements[1].x + low + bits; }
// accept
constant int chosen [[function_constant(0)]];
constant int3 made = int3(chosen, 1, 2);
constant int part = made.x + 1;
kernel void k(device int *out [[buffer(0)]]) { out[0] = part; }
// refuse: global constructor
constant float a = sin(1.0f); // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = a; }
// refuse: 'a'
int twice(int x) { return 2 * x; }
constant int a = twice(21); // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = a; }
