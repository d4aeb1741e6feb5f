// Mean and variance of a row that any function of its index gives.
struct Moments {
  float mean, scale;
};

// In two passes: the square of a mean far from zero would swallow the variance.
template <typename At>
inline Moments moments(uint count, float epsilon, At at, threadgroup float *parts, Team team) {
  float sum = 0;
  for (uint i = team.index; i < count; i += team.threads) sum += at(i);
  float mean = of_group<Add>(sum, parts, team) / count;
  float squares = 0;
  for (uint i = team.index; i < count; i += team.threads) {
    float off = at(i) - mean;
    squares += off * off;
  }
  float variance = of_group<Add>(squares, parts, team) / count;
  return Moments{mean, 1 / sqrt(variance + epsilon)};
}
