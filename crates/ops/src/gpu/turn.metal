// The sine and cosine of a position times a frequency.
struct Turn {
  float sin, cos;
};

// Far into a text the angle is many turns, of which only the fraction counts: more bits than a
// float has. So turns are counted in fractions of 2⁶⁴, where whole ones fall off by themselves.
inline Turn turn(long position, float frequency) {
  uint bits = as_type<uint>(frequency);
  uint exponent = bits >> 23 & 255u;
  if (exponent == 255u) return Turn{NAN, NAN};
  ulong mantissa = exponent == 0 ? bits & 0x7fffffu : (bits & 0x7fffffu) | 0x800000u;
  // The mantissa times 2⁹⁶ / 2π, of which the first words are 28be60db 9391054a 7f09d5f4.
  ulong low = mantissa * 0x7f09d5f4ul;
  ulong middle = mantissa * 0x9391054aul + (low >> 32);
  ulong high = mantissa * 0x28be60dbul + (middle >> 32);
  low = middle << 32 | (low & 0xfffffffful);
  // Times 2⁶⁴, less what the mantissa was scaled by.
  int right = 32 + 150 - int(max(exponent, 1u));
  ulong per_position = 0;
  if (right >= 64 && right < 128) {
    per_position = high >> (right - 64);
  } else if (right > 0 && right < 64) {
    per_position = low >> right | high << (64 - right);
  }
  if (bits >> 31) per_position = 0ul - per_position;
  ulong phase = ulong(position) * per_position;
  // The nearest quarter, and what is left: at most an eighth of a turn.
  uint quarter = uint((phase + (1ul << 61)) >> 62) & 3u;
  int rest = int(uint((phase - (ulong(quarter) << 62)) >> 32));
  float angle = float(rest) * (6.283185307179586f / 4294967296.0f);
  float s = precise::sin(angle), c = precise::cos(angle);
  if (quarter & 1u) {
    float swapped = s;
    s = c;
    c = -swapped;
  }
  return quarter & 2u ? Turn{-s, -c} : Turn{s, c};
}

// The places of the two elements of a pair: neighbours, or the same of each half.
inline uint2 elements_of_pair(uint i, uint pairs, uint neighbours) {
  return neighbours ? uint2(2 * i, 2 * i + 1) : uint2(i, i + pairs);
}
