//! The similarity of texts, from a model's embeddings: `embed MODEL TEXT TEXT...`.

use bessemer::llm::SessionOptions;
use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let model = args.next().ok_or("usage: embed MODEL TEXT TEXT...")?;
    let llm = bessemer::open_llm(&model)?;
    let mut session = llm.session(SessionOptions { context: Some(512), ..Default::default() })?;
    let texts: Vec<String> = args.collect();
    let states: Vec<Vec<f32>> =
        texts.iter().map(|text| llm.embed(&mut session, text)).collect::<Result<_, _>>()?;
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    for (i, a) in states.iter().enumerate() {
        for (j, b) in states.iter().enumerate().skip(i + 1) {
            let cosine = dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
            println!("{cosine:.3}  {:?} {:?}", texts[i], texts[j]);
        }
    }
    Ok(())
}
