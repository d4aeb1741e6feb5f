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
