// What both forms of attention share: the numbers they take, which keys a row sees, and elements of
// the cache. CACHE is the type of keys and values, POSITION that of positions where there are any;
// there are so many BUFFERS.
struct Params {
  uint leads[BUFFERS];
  uint rows, heads, kv_heads, tokens, size, splits, window;
  int q_row, q_head, q_step, k_head, k_token, v_head, v_token, position_step;
  int out_row, out_head, out_step;
  float scale, cap;
#ifdef PAGED
  uint page, pages, texts;
  int table_text, table_page, text_step;
#endif
};

// From the first to before the last.
struct Seen {
  uint first, end;
};

#ifdef POSITION
inline Seen seen_by(device const POSITION *positions, uint row, constant Params &p) {
  long after = long(positions[p.leads[3] + long(row) * p.position_step]) + 1;
  long first = p.window == 0 ? 0 : max(after - long(p.window), 0l);
  uint end = uint(clamp(after, 0l, long(p.tokens)));
  return Seen{min(uint(min(first, long(p.tokens))), end), end};
}
#else
#define POSITION uint
inline Seen seen_by(device const uint *, uint, constant Params &p) { return Seen{0, p.tokens}; }
#endif

#ifdef PAGED
// Where in the cache a token is, by the pages of its text.
inline uint slot_of(device const uint *pages, uint token, constant Params &p) {
  uint page = min(pages[long(token / p.page) * p.table_page], p.pages - 1u);
  return page * p.page + token % p.page;
}
#endif

inline float capped(float score, constant Params &p) {
#ifdef CAPPED
  return p.cap * precise::tanh(score / p.cap);
#else
  return score;
#endif
}

// Element `i` of a row.
template <typename T> inline float cached(device const T *row, uint i) { return to_float(row[i]); }
inline float cached(device const Q8_0 *row, uint i) {
  device const Q8_0 &block = row[i / 32];
  return float(block.d) * signed_byte(byte_of(block.q, i % 32));
}

// Elements `i` to `i + 3`, zeros from `size` on.
template <typename T> inline float4 four_cached(device const T *row, uint i, uint size) {
  if (i + 4 <= size) return four(row + i);
  float4 of = 0;
  for (uint j = 0; i + j < size; j++) of[j] = to_float(row[i + j]);
  return of;
}
inline float4 four_cached(device const Q8_0 *row, uint i, uint size) {
  if (i >= size) return 0;
  device const Q8_0 &block = row[i / 32];
  uint a = block.q[i % 32 / 2], b = block.q[i % 32 / 2 + 1];
  return float(block.d) *
         float4(signed_byte(a), signed_byte(a >> 8), signed_byte(b), signed_byte(b >> 8));
}

// `exp(x - base)` where `base` is the largest x: nothing at all gives 0.
inline float relative(float x, float base) {
  return precise::exp(x - (base == -INFINITY ? 0 : base));
}
