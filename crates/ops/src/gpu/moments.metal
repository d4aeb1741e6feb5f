// Mean and variance of a row that any function of its index gives.
struct Moments {
  float base, mean, scale;
  float normed(float x) const { return (x - base - mean) * scale; }
};

// In two passes, and counted from the first element: far from zero, a mean would have too few bits
// left, and squares would swallow the variance.
template <typename At>
inline Moments moments(uint count, float epsilon, At at, threadgroup float *parts, Team team) {
  float base = at(0), sum = 0;
  for (uint i = team.index; i < count; i += team.threads) sum += at(i) - base;
  float mean = of_group<Add>(sum, parts, team) / count;
  float squares = 0;
  for (uint i = team.index; i < count; i += team.threads) {
    float off = at(i) - base - mean;
    squares += off * off;
  }
  float variance = of_group<Add>(squares, parts, team) / count;
  // In place, nobody writes before all have read the first element.
  return Moments{base, mean, 1 / sqrt(variance + epsilon)};
}
