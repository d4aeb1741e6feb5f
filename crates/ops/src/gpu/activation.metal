// The activations of gates and of linear layers.
inline float silu(float x) { return x / (1 + precise::exp(-x)); }

inline float gelu_tanh(float x) {
  // x (1 + tanh(u)) / 2 is x / (1 + exp(-2u)).
  float u = 0.7978845608f * (x + 0.044715f * x * x * x);
  return x / (1 + precise::exp(-2 * u));
}

// The share of a normal distribution beyond y deviations, for y from 0 to 14.5, given -y²/2 in two
// parts.
inline float beyond(float y, float high, float low) {
  float t = 1 / fma(0.3f, y, 1.0f);
  float s = -0.020623617f;
  s = fma(s, t, 0.11243641f);
  s = fma(s, t, -0.22821544f);
  s = fma(s, t, 0.19178694f);
  s = fma(s, t, -0.079425454f);
  s = fma(s, t, 0.09615786f);
  s = fma(s, t, 0.07838931f);
  s = fma(s, t, 0.1102355f);
  s = fma(s, t, 0.119571805f);
  s = fma(s, t, 0.11968669f);
  return t * s * precise::exp(high) * (1 + low);
}

inline float gelu(float x) {
  float y = fabs(x);
  if (y < 1) {
    // The error function of x / √2, which is small.
    float z = x * 0.7071067811865475f, square = z * z;
    float s = -9.641678e-6f;
    s = fma(s, square, 0.00011257009f);
    s = fma(s, square, -0.0008482838f);
    s = fma(s, square, 0.005220946f);
    s = fma(s, square, -0.0268654f);
    s = fma(s, square, 0.11283782f);
    s = fma(s, square, -0.37612638f);
    s = fma(s, square, 1.1283791670955126f);
    return fma(0.5f * x, z * s, 0.5f * x);
  }
  if (y > 14.5f) return x > 0 ? x : -0.0f;
  // The square exactly, in two parts: the exponential makes relative errors of absolute ones.
  float top = as_type<float>(as_type<uint>(y) & 0xfffff000u);
  float below = x * beyond(y, -0.5f * (top * top), -0.5f * ((y - top) * (y + top)));
  return x > 0 ? x - below : below;
}

inline float sigmoid(float x) { return 1 / (1 + precise::exp(-x)); }

inline float tanh_of(float x) { return precise::tanh(x); }

inline float squared_relu(float x) { return x < 0 ? 0 : x * x; }

// An activation by its number, as `Activation` counts them; 0 is none.
inline float activated(float x, uint activation) {
  switch (activation) {
  case 1: return silu(x);
  case 2: return gelu(x);
  case 3: return gelu_tanh(x);
  case 4: return sigmoid(x);
  case 5: return tanh_of(x);
  case 6: return squared_relu(x);
  default: return x;
  }
}
