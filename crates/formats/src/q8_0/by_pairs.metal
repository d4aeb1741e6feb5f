// A block of Q8_0 from 32 numbers, as the CPU's encoder makes it.

// What a block of numbers with this peak (by its bits) is scaled by: the scale as stored, and what
// numbers are multiplied by before they are rounded.
struct Scale8 {
  half stored;
  float inverse;
};

inline Scale8 scale_of_8_bits(uint peak_bits) {
  float peak = as_type<float>(peak_bits);
  if (peak_bits >= 0x7f800000u) return Scale8{half(NAN), 0};
  if (peak < 1e-12f) return Scale8{half(0), 0};
  float d = min(peak / 127, 65504.0f);
  return Scale8{half(d), 1 / d};
}

inline uint magnitude_bits(float x) { return as_type<uint>(x) & 0x7fffffffu; }

// One level; a block that is not finite has levels of zero.
inline uint level_of_8_bits(float x, float inverse) {
  if (inverse == 0) return 0;
  x = clamp(x * inverse, -127.0f, 127.0f);
  // Halves away from zero: the largest float below 0.5 keeps 0.49999997 at 0.
  return uint(int(x + copysign(0.49999997f, x))) & 255u;
}
