// What a literal is, and where a string is.
#include <metal_stdlib>
using namespace metal;

uint length(constant const char *s) { uint n = 0; while (s[n]) n++; return n; }
constant char greeting[] = "hello";
constant char *pick(bool b) { return b ? "yes" : "no!"; }

kernel void literals(device uint *o [[buffer(0)]]) {
  o[0] = 0x4cf495bf;
  o[1] = 0x80bf;
  o[2] = 0XBF + 0xbfu + 0x1Bf;
  o[3] = as_type<ushort>(1.5bf);
  o[4] = as_type<ushort>(0x1.8p1BF);
  o[5] = 0x1ef + 0xe + 0b101 + 017 + 1'000;
  o[6] = as_type<uint>(1e1) + as_type<uint>(0x1p-1) + as_type<uint>(.5);
  o[7] = as_type<ushort>(2.0h) + as_type<ushort>(2.H);
  o[8] = length("abc" "de");
  constant char *s = "four";
  o[9] = length(s) + length(greeting);
  o[10] = pick(true)[0] + pick(false)[2];
  static_assert(sizeof("abc") == 4, "a string in a message");
}
