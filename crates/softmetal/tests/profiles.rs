//! Devices that imitate a GPU: its limits, and what it lacks.
mod common;
use common::*;
use softmetal::*;

fn like(name: &str) -> Device {
    Device::with_options(DeviceOptions::profile(name).unwrap()).unwrap()
}

#[test]
fn each_has_its_own_limits() {
    let names: Vec<&str> = Profile::all().iter().map(|p| p.name).collect();
    assert_eq!(names, ["m1-8gb", "m2-max", "m4", "m5", "a17", "intel-amd", "paravirtual"]);
    let m1 = like("m1-8gb");
    assert_eq!(m1.max_buffer_length(), 4 << 30);
    let told = m1.new_buffer((4 << 30) + 1, StorageMode::Shared).err().unwrap().to_string();
    assert!(told.contains("from 1 to 4294967296 bytes"), "{told}");
    assert!(m1.supports_family(Family::Apple7) && !m1.supports_family(Family::Apple8));
    assert!(like("m5").supports_family(Family::Apple10));
    assert!(!like("intel-amd").has_unified_memory());
    for p in Profile::all() {
        assert!(p.max_buffer_length <= p.working_set && p.threadgroup_memory == 32768, "{p:?}");
    }
}

#[test]
fn one_that_is_not_there_is_an_error_that_lists_them() {
    let told = DeviceOptions::profile("m9").err().unwrap().to_string();
    assert!(told.contains("'m9'") && told.contains("m1-8gb, m2-max"), "{told}");
}

#[test]
fn what_a_gpu_lacks_cannot_be_used() {
    let sum = format!(
        "{HEAD}kernel void k(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{\n x[i] = simd_sum(x[i]);\n}}"
    );
    let product = format!(
        "{HEAD}kernel void k(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{\n simdgroup_float8x8 a, c = make_filled_simdgroup_matrix<float, 8, 8>(0.0f); simdgroup_load(a, x);\n simdgroup_multiply_accumulate(c, a, a, c); simdgroup_store(c, x); }}"
    );
    let brain = format!(
        "{HEAD}kernel void k(device bfloat *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ x[i] = bfloat(i); }}"
    );
    let guarded = format!(
        "{HEAD}#ifdef __HAVE_BFLOAT__\ntypedef bfloat number;\n#else\ntypedef float number;\n#endif\nkernel void k(device number *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ x[i] = number(i); }}"
    );
    let run_on = |name: &str, source: &str| {
        let d = like(name);
        let x = shared(&d, &[1f32; 64]);
        let options = CompileOptions { name: "test.metal".into(), ..CompileOptions::default() };
        let library = d.new_library_with_source(source, &options)?;
        let p = d.new_compute_pipeline(&library.function("k")?)?;
        dispatch(&d, &p, &[Arg::Buffer(&x)], &[], Size::new(32, 1, 1), Size::new(32, 1, 1))
    };
    for source in [&sum, &product, &brain, &guarded] {
        run_on("m4", source).unwrap();
    }
    let told = |name: &str, source: &str| run_on(name, source).err().unwrap().to_string();
    let text = told("paravirtual", &sum);
    assert!(text.contains("test.metal:4") && text.contains("functions of SIMD-groups"), "{text}");
    assert!(text.contains("'paravirtual'"), "{text}");
    run_on("intel-amd", &sum).unwrap();
    let text = told("intel-amd", &product);
    assert!(text.contains("test.metal:5") && text.contains("simdgroup matrices"), "{text}");
    let text = told("intel-amd", &brain);
    assert!(text.contains("test.metal:3") && text.contains("'bfloat'"), "{text}");
    run_on("intel-amd", &guarded).unwrap();
}

/// A tile of products in registers: `size` times `size` sums of each thread.
fn tile(size: usize, attribute: &str) -> String {
    format!(
        "{HEAD}{attribute} kernel void tile(device const float *x [[buffer(0)]],
  device float *y [[buffer(1)]], constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {{
  float sums[{size}][{size}] = {{}};
  for (uint k = 0; k < n; k++) {{
    float a[{size}], b[{size}];
    for (int r = 0; r < {size}; r++) {{
      a[r] = x[i + k * 16 + r];
      b[r] = x[i + k * 32 + r];
    }}
    for (int r = 0; r < {size}; r++)
      for (int c = 0; c < {size}; c++) sums[r][c] += a[r] * b[c];
  }}
  for (int r = 0; r < {size}; r++)
    for (int c = 0; c < {size}; c++) y[(i * {size} + r) * {size} + c] = sums[r][c];
}}"
    )
}

fn tile_on(device: &Device, size: usize, attribute: &str) -> ComputePipeline {
    let library =
        device.new_library_with_source(&tile(size, attribute), &CompileOptions::default()).unwrap();
    device.new_compute_pipeline(&library.function("tile").unwrap()).unwrap()
}

#[test]
fn threads_with_many_registers_are_fewer() {
    let most = |name: &str, size: usize, attribute: &str| {
        tile_on(&like(name), size, attribute).max_total_threads_per_threadgroup()
    };
    // 168 numbers at once do not fit 1024 times; 24 do.
    assert_eq!(most("m1-8gb", 4, ""), 1024);
    let few = most("m1-8gb", 12, "");
    assert_eq!((few, most("m2-max", 12, ""), most("intel-amd", 12, "")), (384, 384, 256));
    let between = most("m1-8gb", 8, "");
    assert!((few + 1..1024).contains(&between), "{between}");
    // Registers of later GPUs are given out as they are used.
    assert_eq!((most("m4", 12, ""), most("m5", 12, "")), (1024, 1024));
    // A kernel that says how many it has is compiled so that they fit.
    for threads in [512, 1024] {
        let attribute = format!("[[max_total_threads_per_threadgroup({threads})]]");
        assert_eq!(most("m1-8gb", 12, &attribute), threads);
    }
    let plain = Device::with_options(DeviceOptions::default()).unwrap();
    assert_eq!(tile_on(&plain, 12, "").max_total_threads_per_threadgroup(), 1024);
}

#[test]
fn checked_kernels_have_the_same_limits() {
    let options = DeviceOptions { checked: true, ..DeviceOptions::profile("m1-8gb").unwrap() };
    let checked = Device::with_options(options).unwrap();
    for size in [4, 8, 12] {
        let limit = |d: &Device| tile_on(d, size, "").max_total_threads_per_threadgroup();
        assert_eq!(limit(&checked), limit(&like("m1-8gb")));
    }
}

#[test]
fn more_threads_than_registers_allow_are_an_error_that_says_so() {
    let d = like("m1-8gb");
    let p = tile_on(&d, 12, "");
    let (x, y, n) =
        (shared(&d, &[1f32; 4096]), shared(&d, &[0f32; 1024 * 144]), shared(&d, &[2u32]));
    let run = |threads: u64| {
        let args = [Arg::Buffer(&x), Arg::Buffer(&y), Arg::Buffer(&n)];
        dispatch(&d, &p, &args, &[], Size::new(1024, 1, 1), Size::new(threads, 1, 1))
    };
    let told = run(512).err().unwrap().to_string();
    for part in ["'tile'", "from 1 to 384 threads, not 512 x 1 x 1", "registers", "'m1-8gb'"] {
        assert!(told.contains(part), "{told}");
    }
    assert!(told.contains("[[max_total_threads_per_threadgroup(N)]]"), "{told}");
    run(384).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap()[..144], [2.0; 144]);
}
