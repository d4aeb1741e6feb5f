// A thread per value. LIST is the type of the list and of the values, KEY one that compares them, OUT that
// of places.
struct Params {
  uint leads[3];
  uint length, right, count;
  int step;
  Rows<2> values;
};

inline bool is_nan(float x) { return (as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u; }
inline bool is_nan(long) { return false; }
inline bool is_nan(ulong) { return false; }
inline bool less(KEY a, KEY b) { return a < b || (!is_nan(a) && is_nan(b)); }
inline float key_of(float x) { return x; }
inline float key_of(half x) { return float(x); }
inline float key_of(bf16 x) { return to_float(x); }
inline long key_of(char x) { return x; }
inline long key_of(short x) { return x; }
inline long key_of(int x) { return x; }
inline long key_of(long x) { return x; }
inline long key_of(uchar x) { return x; }
inline long key_of(ushort x) { return x; }
inline long key_of(uint x) { return x; }
inline ulong key_of(ulong x) { return x; }

kernel void search(device const LIST *sorted [[buffer(0)]], device const LIST *values [[buffer(1)]],
                   device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                   uint3 at [[thread_position_in_grid]]) {
  if (at.x >= p.count) return;
  KEY value = key_of(values[p.leads[1] + row_start(p.values, 0, at.x)]);
  uint start = 0, end = p.length;
  while (start < end) {
    uint middle = start + (end - start) / 2;
    KEY x = key_of(sorted[long(p.leads[0]) + long(middle) * p.step]);
    if (p.right ? !less(value, x) : less(x, value)) {
      start = middle + 1;
    } else {
      end = middle;
    }
  }
  out[p.leads[2] + row_start(p.values, 1, at.x)] = OUT(start);
}
