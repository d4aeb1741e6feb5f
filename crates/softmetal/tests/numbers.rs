//! Arithmetic: types, functions and rounding, each against Rust.
mod common;
use common::*;
use half::{bf16, f16};
use softmetal::{Device, DeviceOptions, Optimization};

#[test]
fn half_and_bfloat_round_each_operation() {
    let source = format!(
        "{HEAD}kernel void k(device half *h [[buffer(0)]], device bfloat *b [[buffer(1)]], device const float *x [[buffer(2)]], uint i [[thread_position_in_grid]]) {{\n\
           half a = half(x[i]); h[i] = a * a + 0.1h; bfloat c = bfloat(x[i]); b[i] = c * c; if (i == 1) b[i] = 1.5bf; if (i == 2) b[i] = bfloat(h[i]); }}"
    );
    let d = device();
    let x = random(3, 64);
    let (h, b) = (shared(&d, &[0u16; 64]), shared(&d, &[0u16; 64]));
    run(
        &d,
        &source,
        "k",
        &[Arg::Buffer(&h), Arg::Buffer(&b), Arg::Buffer(&shared(&d, &x))],
        64,
        32,
    )
    .unwrap();
    let (h, b) = (h.to_vec::<u16>().unwrap(), b.to_vec::<u16>().unwrap());
    for i in 0..64 {
        let a = f16::from_f32(x[i]);
        let want = f16::from_f32(a.to_f32() * a.to_f32() + f16::from_f32(0.1).to_f32());
        assert!((f16::from_bits(h[i]).to_f32() - want.to_f32()).abs() < 1e-3, "{i}");
        let c = bf16::from_f32(x[i]);
        let want = match i {
            1 => bf16::from_f32(1.5),
            2 => bf16::from_f32(f16::from_bits(h[i]).to_f32()),
            _ => bf16::from_f32(c.to_f32() * c.to_f32()),
        };
        assert_eq!(b[i], want.to_bits(), "{i}");
    }
}

#[test]
fn integers_wrap_shift_and_saturate() {
    let source = format!(
        "{HEAD}kernel void k(device ulong *o [[buffer(0)]]) {{ o[0] = clz(1u); o[1] = ctz(8u); o[2] = popcount(0xffu); o[3] = reverse_bits(1u); o[4] = rotate(0x80000001u, 4u); o[5] = mulhi(0xffffffffu, 2u);\n\
           o[6] = addsat(uchar(250), uchar(10)); o[7] = ulong(subsat(short(-32000), short(1000)) + 40000); o[8] = absdiff(3, -4); o[9] = extract_bits(0xabcdu, 4, 8); o[10] = insert_bits(0u, 0xfu, 8, 4); o[11] = hadd(7u, 8u); o[12] = rhadd(7u, 8u);\n\
           o[13] = mad24(3u, 4u, 5u); o[14] = ulong(uchar(255) + uchar(1)); o[15] = ulong(max3(1, 5, 3) * 100 + median3(1, 5, 3)); o[16] = clz(ushort(1)); o[17] = ulong((int4(-8) >> 1).x + 100); }}"
    );
    let got = output::<u64>(&source, "k", 18, 1);
    assert_eq!(
        got,
        [
            31,
            3,
            8,
            1 << 31,
            0x18,
            1,
            255,
            40000 - 32768,
            7,
            0xbc,
            0xf00,
            7,
            8,
            17,
            256,
            503,
            15,
            96
        ]
    );
}

#[test]
fn maths_against_rust() {
    let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.11 + 0.05).collect();
    let source = format!(
        "{HEAD}kernel void k(device float *o [[buffer(0)]], device const float *x [[buffer(1)]], uint i [[thread_position_in_grid]]) {{\n\
          float v = x[i]; float c; float s = sincos(v, c); int e; float m = frexp(v, e);\n\
          float r[20] = {{exp(v), log(v), sin(v), cos(v), tanh(v), sqrt(v), rsqrt(v), pow(v, 1.5f), exp2(v), log2(v), fract(v), floor(v), rint(v), s * c, ldexp(m, e), fma(v, v, 1.0f), precise::exp(v), fast::sin(v), atan2(v, 2.0f), sinpi(v)}};\n\
          for (int k = 0; k < 20; k++) o[i * 20 + k] = r[k]; }}"
    );
    let d = device();
    let out = shared(&d, &vec![0f32; 64 * 20]);
    run(&d, &source, "k", &[Arg::Buffer(&out), Arg::Buffer(&shared(&d, &x))], 64, 32).unwrap();
    let want: Vec<f32> = x
        .iter()
        .flat_map(|&v| {
            [
                v.exp(),
                v.ln(),
                v.sin(),
                v.cos(),
                v.tanh(),
                v.sqrt(),
                1.0 / v.sqrt(),
                v.powf(1.5),
                v.exp2(),
                v.log2(),
                v - v.floor(),
                v.floor(),
                v.round_ties_even(),
                v.sin() * v.cos(),
                v,
                v * v + 1.0,
                v.exp(),
                v.sin(),
                v.atan2(2.0),
                (std::f64::consts::PI * f64::from(v)).sin() as f32,
            ]
        })
        .collect();
    close(&out.to_vec::<f32>().unwrap(), &want, 2e-6);
}

#[test]
fn common_relational_and_geometric() {
    let got = one(
        "o[0] = clamp(5.0f, 0.0f, 2.0f); o[1] = mix(1.0f, 3.0f, 0.25f); o[2] = saturate(-1.0f); o[3] = sign(-2.0f); o[4] = smoothstep(0.0f, 1.0f, 0.5f); o[5] = step(1.0f, 0.5f);\n\
         o[6] = length(float2(3, 4)); o[7] = cross(float3(1, 0, 0), float3(0, 1, 0)).z; o[8] = normalize(float2(0, 2)).y; o[9] = select(1.0f, 2.0f, true); o[10] = isnan(NAN) + 2 * isinf(INFINITY) + 4 * isfinite(1.0f);\n\
         o[11] = reflect(float2(1, -1), float2(0, 1)).y; o[12] = distance(float2(1, 1), float2(4, 5)); o[13] = max(NAN, 1.0f); o[14] = fmin(2, 1.5); o[15] = select(float2(1, 2), float2(3, 4), bool2(false, true)).y;",
    );
    assert_eq!(
        got,
        [2.0, 1.5, 0.0, -1.0, 0.5, 0.0, 5.0, 1.0, 1.0, 2.0, 7.0, 1.0, 5.0, 1.0, 1.5, 4.0]
    );
}

#[test]
fn bits_packing_and_limits() {
    let source = format!(
        "{HEAD}kernel void k(device uint *o [[buffer(0)]]) {{ o[0] = as_type<uint>(1.0f); o[1] = as_type<uint2>(half4(1, 2, 3, 4)).y; o[2] = pack_float_to_unorm4x8(float4(0, 0.5, 1, 2)); o[3] = as_type<uint>(unpack_unorm4x8_to_float(0xff00ff80u).x);\n\
          o[4] = pack_float_to_snorm2x16(float2(-1, 1)); o[5] = numeric_limits<ushort>::max(); o[6] = as_type<ushort>(numeric_limits<half>::max()); o[7] = uint(HALF_MAX); o[8] = as_type<ushort>(bfloat(3.14159f)); o[9] = INT_MAX; }}"
    );
    let half2 =
        u32::from(f16::from_f32(3.0).to_bits()) | u32::from(f16::from_f32(4.0).to_bits()) << 16;
    assert_eq!(
        output::<u32>(&source, "k", 10, 1),
        [
            1f32.to_bits(),
            half2,
            0xffff_8000,
            (128f32 / 255.0).to_bits(),
            0x7fff_8001,
            65535,
            0x7bff,
            65504,
            0x4049,
            0x7fff_ffff
        ]
    );
}

/// What a comparison tells the compiler about a number's sign must be what it says. (Clang 19 takes
/// `fabs(x) > 0` for `x > 0`.)
#[test]
fn comparisons_of_magnitudes_say_nothing_of_signs() {
    const LIMITS: [(&str, f32); 4] =
        [("0.0f", 0.0), ("1.0f", 1.0), ("FLT_MIN", f32::MIN_POSITIVE), ("INFINITY", f32::INFINITY)];
    const SIGNS: [&str; 6] = [">", ">=", "<", "<=", "==", "!="];
    let mut body = String::new();
    for (limit, _) in LIMITS {
        for sign in SIGNS {
            // By a choice and by a branch; the magnitude and the sign of what was chosen.
            body += &format!(
                "{{ float p = fabs(x) {sign} {limit} ? x : y; *o++ = fabs(p); *o++ = copysign(1.0f, p); }}\n\
                 {{ float p = -x {sign} {limit} ? x : y; *o++ = fabs(p); *o++ = copysign(1.0f, p); }}\n\
                 if (fabs(x) {sign} {limit}) {{ *o++ = fabs(x); *o++ = x < 0 ? -1.0f : 1.0f; }}\n\
                 else {{ *o++ = fabs(y); *o++ = y < 0 ? -1.0f : 1.0f; }}\n"
            );
        }
    }
    let each = LIMITS.len() * SIGNS.len() * 6;
    let source = format!(
        "{HEAD}kernel void k(device float *o [[buffer(0)]], device const float2 *in [[buffer(1)]], uint i [[thread_position_in_grid]]) {{\n\
           float x = in[i].x, y = in[i].y; o += i * {each};\n{body} }}"
    );
    let values = [0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, 3.5, -3.5, f32::INFINITY, f32::NEG_INFINITY];
    let pairs: Vec<[f32; 2]> =
        values.iter().flat_map(|&x| [0.0, -2.0, 0.5].map(|y| [x, y])).collect();
    let holds = |sign: &str, a: f32, b: f32| match sign {
        ">" => a > b,
        ">=" => a >= b,
        "<" => a < b,
        "<=" => a <= b,
        "==" => a == b,
        _ => a != b,
    };
    let mut want = Vec::new();
    for &[x, y] in &pairs {
        for (_, limit) in LIMITS {
            for sign in SIGNS {
                for p in [holds(sign, x.abs(), limit), holds(sign, -x, limit)] {
                    let p = if p { x } else { y };
                    want.extend([p.abs(), 1f32.copysign(p)]);
                }
                let p = if holds(sign, x.abs(), limit) { x } else { y };
                want.extend([p.abs(), if p < 0.0 { -1.0 } else { 1.0 }]);
            }
        }
    }
    for level in [Optimization::Less, Optimization::Usual, Optimization::More] {
        let options = DeviceOptions { optimization: level, ..Default::default() };
        let d = Device::with_options(options).unwrap();
        let out = shared(&d, &vec![0f32; want.len()]);
        let x = shared(&d, &pairs);
        let args = [Arg::Buffer(&out), Arg::Buffer(&x)];
        run(&d, &source, "k", &args, pairs.len() as u64, 32).unwrap();
        let got = out.to_vec::<f32>().unwrap();
        for (n, (g, w)) in got.iter().zip(&want).enumerate() {
            assert_eq!(
                g.to_bits(),
                w.to_bits(),
                "{level:?}, {:?}, {}: {g} {w}",
                pairs[n / each],
                n % each
            );
        }
    }
}
