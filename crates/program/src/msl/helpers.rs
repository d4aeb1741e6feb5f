//! Functions that MSL lacks, or whose edge cases differ from those of programs. A kernel includes those it
//! calls.

/// By name; each may call those before it.
const HELPERS: &[(&str, &str)] = &[
    ("nan_min", "static float nan_min(float a, float b) { return isnan(a) || a < b ? a : b; }\n"),
    ("nan_max", "static float nan_max(float a, float b) { return isnan(a) || a > b ? a : b; }\n"),
    (
        "signum",
        "static float signum(float x) { return x == 0.0f || isnan(x) ? x : copysign(1.0f, x); }\n",
    ),
    ("sigmoid", "static float sigmoid(float x) { return 1.0f / (1.0f + precise::exp(-x)); }\n"),
    ("silu", "static float silu(float x) { return x == -INFINITY ? -0.0f : x * sigmoid(x); }\n"),
    (
        "gelu_tanh",
        "static float gelu_tanh(float x) {
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    return x == -INFINITY ? -0.0f : x * sigmoid(2.0f * inner);
}
",
    ),
    (
        "expm1",
        "static float expm1(float x) {
    float y = precise::exp(x) - 1.0f;
    if (fabs(x) < 0.5f) {
        float t = x * 0.5f, s = t * t;
        // tanh(x / 2), of which exp(x) - 1 is made without cancellation.
        float p = fma(s, fma(s, fma(s, fma(s, 0.021869488f, -0.053968254f), 0.13333333f), -0.33333334f), 1.0f) * t;
        y = 2.0f * p / (1.0f - p);
    }
    return copysign(y, x);
}
",
    ),
    (
        "log1p",
        "static float log1p(float x) {
    float u = 1.0f + x;
    // What rounding took from the sum.
    float lost = (x - (u - 1.0f)) / u;
    float y = precise::log(u);
    return x > -1.0f && u < INFINITY ? copysign(y + lost, x) : y;
}
",
    ),
    (
        "hypotenuse",
        "static float hypotenuse(float x, float y) {
    float a = fabs(x), b = fabs(y);
    if (a == INFINITY || b == INFINITY) return INFINITY;
    float most = nan_max(a, b), least = nan_min(a, b);
    float ratio = most == 0.0f ? 0.0f : least / most;
    return most * precise::sqrt(fma(ratio, ratio, 1.0f));
}
",
    ),
    (
        "next_to",
        "static float next_to(float x, float y) {
    if (isnan(x) || isnan(y)) return NAN;
    if (x == y) return y;
    uint bits = as_type<uint>(x);
    if ((bits & 0x7fffffffu) == 0) return as_type<float>(1u | (as_type<uint>(y) & 0x80000000u));
    return as_type<float>((y > x) == (x > 0.0f) ? bits + 1u : bits - 1u);
}
",
    ),
    (
        "normal_tail",
        "// The share of a normal distribution beyond y deviations, given -y * y / 2 in two parts.
static float normal_tail(float y, float high, float low) {
    float t = 1.0f / fma(0.3f, y, 1.0f);
    float p = -0.020623617f;
    p = fma(p, t, 0.11243641f);
    p = fma(p, t, -0.22821544f);
    p = fma(p, t, 0.19178694f);
    p = fma(p, t, -0.079425454f);
    p = fma(p, t, 0.09615786f);
    p = fma(p, t, 0.07838931f);
    p = fma(p, t, 0.1102355f);
    p = fma(p, t, 0.119571805f);
    p = fma(p, t, 0.11968669f);
    float e = precise::exp(high);
    return t * p * fma(e, low, e);
}
",
    ),
    (
        "erf_near",
        "// The error function up to 1 either way.
static float erf_near(float x) {
    float s = x * x;
    float p = -9.641678e-6f;
    p = fma(p, s, 0.00011257009f);
    p = fma(p, s, -0.0008482838f);
    p = fma(p, s, 0.005220946f);
    p = fma(p, s, -0.0268654f);
    p = fma(p, s, 0.11283782f);
    p = fma(p, s, -0.37612638f);
    p = fma(p, s, 1.1283792f);
    return x * p;
}
",
    ),
    (
        "erf",
        "static float erf(float x) {
    float a = fabs(x) > 4.0f ? 4.0f : fabs(x);
    float far = fma(-2.0f, normal_tail(a * 1.41421356f, -a * a, 0.0f), 1.0f);
    return isnan(x) ? x : a < 1.0f ? erf_near(x) : copysign(far, x);
}
",
    ),
    (
        "gelu",
        "static float gelu(float x) {
    float y = fabs(x);
    if (y > 14.5f) return x > 0.0f ? x : -0.0f;
    // The square exactly, in two parts: the exponential makes relative errors of absolute ones.
    float top = as_type<float>(as_type<uint>(y) & 0xfffff000u);
    float below = x * normal_tail(y, -0.5f * (top * top), -0.5f * ((y - top) * (y + top)));
    float middle = fma(0.5f * x, erf_near(x * 0.70710678f), 0.5f * x);
    return y < 1.0f ? middle : x > 0.0f ? x - below : below;
}
",
    ),
    (
        "to_int",
        "static int to_int(float x) {
    if (isnan(x)) return 0;
    if (x >= 2147483648.0f) return 2147483647;
    return x <= -2147483648.0f ? int(0x80000000u) : int(x);
}
",
    ),
    (
        "to_uint",
        "static uint to_uint(float x) {
    if (!(x > 0.0f)) return 0u;
    return x >= 4294967296.0f ? 0xffffffffu : uint(x);
}
",
    ),
    (
        "to_long",
        "static long to_long(float x) {
    if (isnan(x)) return 0;
    if (x >= 9223372036854775808.0f) return long(0x7ffffffffffffffful);
    return x <= -9223372036854775808.0f ? long(0x8000000000000000ul) : long(x);
}
",
    ),
    (
        "to_ulong",
        "static ulong to_ulong(float x) {
    if (!(x > 0.0f)) return 0;
    return x >= 18446744073709551616.0f ? ulong(0xfffffffffffffffful) : ulong(x);
}
",
    ),
    (
        "long_div",
        "static long long_div(long a, long b) {
    return b == 0 ? 0 : b == -1 ? long(ulong(0) - ulong(a)) : a / b;
}
",
    ),
    (
        "long_rem",
        "static long long_rem(long a, long b) { return b == 0 || b == -1 ? 0 : a % b; }\n",
    ),
    ("ulong_div", "static ulong ulong_div(ulong a, ulong b) { return b == 0 ? 0 : a / b; }\n"),
    ("ulong_rem", "static ulong ulong_rem(ulong a, ulong b) { return b == 0 ? 0 : a % b; }\n"),
    (
        "int_div",
        "static int int_div(int a, int b) {
    return b == 0 ? 0 : b == -1 ? int(0u - uint(a)) : a / b;
}
",
    ),
    ("int_rem", "static int int_rem(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }\n"),
    ("uint_div", "static uint uint_div(uint a, uint b) { return b == 0u ? 0u : a / b; }\n"),
    ("uint_rem", "static uint uint_rem(uint a, uint b) { return b == 0u ? 0u : a % b; }\n"),
    ("from_bf16", "static float from_bf16(ushort x) { return as_type<float>(uint(x) << 16); }\n"),
    (
        "to_bf16",
        "static ushort to_bf16(float x) {
    uint bits = as_type<uint>(x);
    if (isnan(x)) return ushort(bits >> 16 | 0x40u);
    return ushort((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
",
    ),
];

/// The helpers that a text calls, those they call included, in an order that compiles.
pub(super) fn of(text: &str) -> String {
    let mut called: Vec<&str> = Vec::new();
    for (name, helper) in HELPERS.iter().rev() {
        let calls =
            |text: &str| text.contains(&format!(" {name}(")) || text.contains(&format!("({name}("));
        if calls(text) || called.iter().any(|other| calls(other)) {
            called.push(helper);
        }
    }
    called.into_iter().rev().collect()
}
