//! Whether the built-in model is there: a tree without it builds too, and says so when it is asked
//! for.

fn main() {
    let file = "../../models/ember/ember.gguf";
    println!("cargo::rerun-if-changed={file}");
    println!("cargo::rustc-check-cfg=cfg(ember)");
    if std::path::Path::new(file).exists() {
        println!("cargo::rustc-cfg=ember");
    }
}
