//! Factorisations by `faer`, one matrix of a stack after another.

use super::field::Field;
use crate::{
    Error, Result,
    call::{HostCall, HostOperands},
};
use bessemer_core::{Complex, DType};
use faer::{
    Mat, MatRef, Side,
    linalg::solvers::{PartialPivLu, Solve},
};

/// What is computed of each matrix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Solve,
    Inv,
    Det,
    SlogDet,
    Cholesky,
    Qr { complete: bool },
    Svd { full: bool },
    SingularValues,
    Eigh,
    Eigenvalues,
}

pub(super) struct Factorization {
    pub(super) task: Task,
}

impl HostCall for Factorization {
    fn name(&self) -> &'static str {
        match self.task {
            Task::Solve => "solve",
            Task::Inv => "inv",
            Task::Det => "det",
            Task::SlogDet => "slogdet",
            Task::Cholesky => "cholesky",
            Task::Qr { .. } => "qr",
            Task::Svd { .. } => "svd",
            Task::SingularValues => "svdvals",
            Task::Eigh => "eigh",
            Task::Eigenvalues => "eigvalsh",
        }
    }

    fn run(&self, operands: &HostOperands<'_>) -> Result<()> {
        match operands.inputs[0].dtype() {
            DType::F64 => self.each::<f64>(operands),
            DType::Complex64 => self.each::<Complex<f32>>(operands),
            _ => self.each::<f32>(operands),
        }
    }
}

impl Factorization {
    fn each<T: Field>(&self, operands: &HostOperands<'_>) -> Result<()> {
        let read = |input: usize| {
            let dims = operands.dims(input);
            let [.., rows, columns] = *dims else { unreachable!("checked: matrices") };
            Ok::<_, Error>((operands.read::<T>(input)?, rows, columns))
        };
        let (a, rows, columns) = read(0)?;
        let b = if let Task::Solve = self.task { Some(read(1)?) } else { None };
        let mut out = Vec::with_capacity(operands.out.elements());
        let count: usize = operands.dims(0)[..operands.dims(0).len() - 2].iter().product();
        for i in 0..count {
            let size = rows * columns;
            let a = MatRef::from_row_major_slice(&a[i * size..(i + 1) * size], rows, columns);
            let b = b.as_ref().map(|(b, rows, columns)| {
                let size = rows * columns;
                MatRef::from_row_major_slice(&b[i * size..(i + 1) * size], *rows, *columns)
            });
            self.one(a, b, &mut out).map_err(|why| {
                let which =
                    if count > 1 { format!("matrix {i} of {count}") } else { "the matrix".into() };
                Error::rule(self.name(), format!("{which} {why}"), &[])
            })?;
        }
        operands.write(&out)
    }

    /// Adds what is computed of one matrix to `out`, or says what is wrong with it.
    fn one<T: Field>(
        &self,
        a: MatRef<'_, T>,
        b: Option<MatRef<'_, T>>,
        out: &mut Vec<T>,
    ) -> std::result::Result<(), String> {
        match (self.task, b) {
            (Task::Solve, Some(b)) => append(out, regular(a)?.solve(b).as_ref()),
            (Task::Inv | Task::Solve, _) => {
                let one = Mat::<T>::identity(a.nrows(), a.nrows());
                append(out, regular(a)?.solve(&one).as_ref());
            }
            (Task::Det, _) => {
                out.push(T::narrow(determinant(a).0));
            }
            (Task::SlogDet, _) => {
                let (_, sign, log) = determinant(a);
                out.push(T::narrow(sign));
                out.push(T::from_real(log));
            }
            (Task::Cholesky, _) => {
                let factor = a.llt(Side::Lower).map_err(
                    |faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index }| {
                        format!("is not positive definite: pivot {index} is not above 0")
                    },
                )?;
                let lower = factor.L();
                append(
                    out,
                    Mat::from_fn(a.nrows(), a.nrows(), |i, j| {
                        if j <= i { lower[(i, j)] } else { T::from_real(0.0) }
                    })
                    .as_ref(),
                );
            }
            (Task::Qr { complete }, _) => {
                let factors = a.qr();
                let r = factors.thin_R();
                let q = if complete { factors.compute_Q() } else { factors.compute_thin_Q() };
                append(out, q.as_ref());
                append(
                    out,
                    Mat::from_fn(q.ncols(), r.ncols(), |i, j| {
                        if j < i { T::from_real(0.0) } else { r[(i, j)] }
                    })
                    .as_ref(),
                );
            }
            (Task::Svd { full }, _) => {
                let (a, scale) = &in_range(a);
                let factors = if full { a.svd() } else { a.thin_svd() }.map_err(no_end)?;
                append(out, factors.U());
                out.extend(factors.S().column_vector().iter().map(|&value| value.times(*scale)));
                let v = factors.V();
                append(out, Mat::from_fn(v.ncols(), v.nrows(), |i, j| v[(j, i)].turned()).as_ref());
            }
            (Task::SingularValues, _) => {
                let (a, scale) = &in_range(a);
                let factors = a.thin_svd().map_err(no_end)?;
                out.extend(factors.S().column_vector().iter().map(|&value| value.times(*scale)));
            }
            (Task::Eigh, _) => {
                let factors = a.self_adjoint_eigen(Side::Lower).map_err(no_end)?;
                out.extend(factors.S().column_vector().iter().copied());
                append(out, factors.U());
            }
            (Task::Eigenvalues, _) => {
                let factors = a.self_adjoint_eigen(Side::Lower).map_err(no_end)?;
                out.extend(factors.S().column_vector().iter().copied());
            }
        }
        Ok(())
    }
}

/// What is wrong with a matrix whose singular values or eigenvalues are not found.
fn no_end<E>(_: E) -> String {
    "has values for which the iteration does not converge, such as NaN".into()
}

/// The matrix divided by the power of two that brings its largest element near 1, so that no square overflows
/// or is lost, and that power.
fn in_range<T: Field>(a: MatRef<'_, T>) -> (Mat<T>, f64) {
    let sizes = (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| a[(i, j)].magnitude()));
    let largest = sizes.fold(0.0, f64::max);
    let scale = match largest > 0.0 && largest.is_finite() {
        // Its inverse must be a number too.
        true => largest.log2().floor().clamp(-1000.0, 1000.0).exp2(),
        false => 1.0,
    };
    (Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].times(1.0 / scale)), scale)
}

/// Adds the elements of a matrix row by row.
fn append<T: Field>(out: &mut Vec<T>, matrix: MatRef<'_, T>) {
    for i in 0..matrix.nrows() {
        out.extend((0..matrix.ncols()).map(|j| matrix[(i, j)]));
    }
}

/// The factors of a matrix that is not singular.
fn regular<T: Field>(a: MatRef<'_, T>) -> std::result::Result<PartialPivLu<T>, String> {
    let factors = a.partial_piv_lu();
    let pivots = factors.U();
    match (0..a.nrows()).find(|&i| pivots[(i, i)].magnitude() == 0.0) {
        Some(i) => Err(format!("is singular: pivot {i} is 0")),
        None => Ok(factors),
    }
}

/// The determinant, its sign, and the logarithm of its magnitude, which may be too large for the first.
fn determinant<T: Field>(a: MatRef<'_, T>) -> (Complex<f64>, Complex<f64>, f64) {
    let factors = a.partial_piv_lu();
    let (pivots, order) = (factors.U(), factors.P().arrays().0.to_vec());
    let one = Complex::new(1.0, 0.0);
    let (mut product, mut sign, mut log) = (one, one, 0.0);
    for i in 0..a.nrows() {
        let pivot = pivots[(i, i)].wide();
        let size = pivot.norm();
        product *= pivot;
        log += size.ln();
        sign = if size == 0.0 { Complex::new(0.0, 0.0) } else { sign * (pivot / size) };
    }
    // Each cycle of the permutation is as many exchanges as it is long, less one.
    let mut seen = vec![false; order.len()];
    for start in 0..order.len() {
        let (mut at, mut len) = (start, 0);
        while !std::mem::replace(&mut seen[at], true) {
            at = order[at];
            len += 1;
        }
        if len > 1 && len % 2 == 0 {
            (product, sign) = (-product, -sign);
        }
    }
    (product, sign, log)
}
