// A thread per counter of Philox 4×32-10. OUT is the type of the numbers; BITS, LONGS, UNIFORM, NORMAL or
// INTEGERS is what is made of the words.
struct Params {
  uint leads[1];
  uint count, seed_low, seed_high, stream, low_bits, last_bits;
  float low, size, most;
};

inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; round++) {
    uint p_high = mulhi(0xd2511f53u, counter.x), p_low = 0xd2511f53u * counter.x;
    uint q_high = mulhi(0xcd9e8d57u, counter.z), q_low = 0xcd9e8d57u * counter.z;
    counter = uint4(q_high ^ counter.y ^ key.x, q_low, p_high ^ counter.w ^ key.y, p_low);
    key += uint2(0x9e3779b9u, 0xbb67ae85u);
  }
  return counter;
}

// From 0 to before 1.
inline float share(uint word) { return float(word >> 8) * 5.9604645e-8f; }

// Two normal numbers of two words.
inline float2 normal(uint first, uint second, constant Params &p) {
  float radius = precise::sqrt(-2.0f * precise::log(share(first) + 5.9604645e-8f)) * p.size;
  // Quarter turns, and what is left of them.
  float turns = share(second) * 4.0f, quarters = rint(turns);
  float angle = (turns - quarters) * 1.57079633f;
  float s = precise::sin(angle), c = precise::cos(angle);
  uint quarter = uint(quarters) & 3u;
  float cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  float sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
  return float2(fma(radius, cosine, p.low), fma(radius, sine, p.low));
}

inline uint integer(uint high, uint rest, constant Params &p) {
  uint count = p.last_bits + 1;
  // All of 2^32.
  if (count == 0) return p.low_bits + high;
  uint low = high * count, sum = low + mulhi(rest, count);
  return p.low_bits + mulhi(high, count) + (sum < low ? 1u : 0u);
}

kernel void random_numbers(device OUT *out [[buffer(0)]], constant Params &p [[buffer(1)]],
                           uint3 at [[thread_position_in_grid]]) {
#if defined(INTEGERS)
  uint each = 2;
#elif defined(LONGS)
  uint each = 2;
#else
  uint each = 4;
#endif
  if (at.x >= (p.count + each - 1) / each) return;
  uint4 words = philox(uint4(at.x, 0, p.stream, 0), uint2(p.seed_low, p.seed_high));
#if defined(BITS)
  OUT numbers[4] = {words.x, words.y, words.z, words.w};
#elif defined(LONGS)
  OUT numbers[4] = {OUT(words.x) << 32 | words.y, OUT(words.z) << 32 | words.w, 0, 0};
#elif defined(INTEGERS)
  OUT numbers[4] = {OUT(integer(words.x, words.y, p)), OUT(integer(words.z, words.w, p)), 0, 0};
#elif defined(UNIFORM)
  float all[4] = {share(words.x), share(words.y), share(words.z), share(words.w)};
  OUT numbers[4];
  for (int i = 0; i < 4; i++) numbers[i] = from_float<OUT>(min(fma(all[i], p.size, p.low), p.most));
#else
  float2 first = normal(words.x, words.y, p), second = normal(words.z, words.w, p);
  OUT numbers[4] = {from_float<OUT>(first.x), from_float<OUT>(first.y), from_float<OUT>(second.x),
                    from_float<OUT>(second.y)};
#endif
  uint start = at.x * each;
  for (uint i = 0; i < each && start + i < p.count; i++) out[p.leads[0] + start + i] = numbers[i];
}
