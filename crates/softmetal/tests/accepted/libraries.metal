// What large public libraries do, and therefore what Apple's compiler takes.
#include <metal_stdlib>
using namespace metal;

// Names that Metal's own namespace does not have.
constant bool forward = true;
namespace metal {
constexpr constant thread_scope thread_scope_system = static_cast<thread_scope>(3);
} // namespace metal

// Lists that are too short end in zeros.
constant float4 START = {1, 2};

// An alias of a pointer to a function as a template's parameter.
template <typename T> using Step = void (*)(thread vec<T, 2> *);
template <typename T> void twice(thread vec<T, 2> *x) { *x *= 2; }
template <typename T, Step<T> step> vec<T, 2> stepped(vec<T, 2> x) {
  step(&x);
  return x;
}

// One conversion for each memory, to something that is no integer.
template <typename T> struct Complex {
  T real, imag;
  constexpr operator vec<T, 2>() const thread { return vec<T, 2>(real, imag); }
  constexpr operator vec<T, 2>() const device { return vec<T, 2>(real, imag); }
};
struct Yes {
  char x;
  constexpr operator bool() thread { return true; }
  constexpr operator bool() const device { return true; }
};

// A list as an argument, in a template that is instantiated twice, beside references.
void set(thread float &x) { x = 3; }
template <typename I> vec<I, 2> place(uint3 at) { return vec<I, 2>(I(at.x), I(at.z)); }
template <typename T, int N> T placed(uint3 at) {
  auto p = place<T>({N * at.x + 1, at.y, at.z + 2});
  return p.x + p.y;
}

kernel void libraries(device float *o [[buffer(0)]], volatile coherent(system) device uint *flag [[buffer(1)]],
                      uint3 at [[thread_position_in_grid]]) {
  uint4 key = {at.x + 5, 6, at.x ^ 7};
  o[0] = key.x + key.y + key.z + key.w;
  o[1] = START.x + START.y + START.z + START.w;
  o[2] = forward ? stepped<float, twice<float>>(float2(1, 2)).y : 0;
  Complex<float> c = {1, 2};
  float2 v = c;
  o[3] = v.x + v.y;
  Yes yes;
  yes.x = 0;
  o[4] = float(bfloat(yes));
  float x;
  set(x);
  o[5] = x + placed<float, 2>(at) + placed<int, 3>(at);
  flag[0] = 1;
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_system);
}
