//! What to do with embeddings: the vectors that [`Llm::embed`](crate::Llm::embed) makes of texts.

/// Scales a vector to length 1. One of zeros stays as it is.
///
/// ```
/// use bessemer_llm::embedding::normalize;
///
/// let mut vector = [3.0, 4.0];
/// normalize(&mut vector);
/// assert_eq!(vector, [0.6, 0.8]);
/// ```
pub fn normalize(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

/// The cosine of the angle between two vectors: 1 if they point the same way, 0 if they have nothing in
/// common, or if one is all zeros.
///
/// ```
/// use bessemer_llm::embedding::cosine;
///
/// assert_eq!(cosine(&[1.0, 2.0], &[2.0, 4.0]), 1.0);
/// assert_eq!(cosine(&[1.0, 0.0], &[0.0, 5.0]), 0.0);
/// assert_eq!(cosine(&[1.0], &[-1.0]), -1.0);
/// ```
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { (dot(a, b) / lengths).clamp(-1.0, 1.0) } else { 0.0 }
}

/// Summed in 64 bits: squares of the largest numbers fit.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}
