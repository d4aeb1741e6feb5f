//! The product of two `f32` matrices on one thread, by the library the platform has for it.

/// Where a matrix lies: the address of its first element and how far apart, in elements, its rows
/// and its columns are.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<P> {
    pub(crate) first: P,
    pub(crate) row: isize,
    pub(crate) column: isize,
}

macro_rules! of_addresses {
    ($($address:ty)*) => {$(
        impl Matrix<$address> {
            /// Without the rows before `row`.
            pub(crate) fn below(self, row: usize) -> Self {
                Matrix { first: self.first.wrapping_offset(row as isize * self.row), ..self }
            }
        }

        // SAFETY: an address, which only `unsafe` code that says why it may looks behind.
        unsafe impl Sync for Matrix<$address> {}
    )*};
}

of_addresses!(*const f32 *mut f32);

/// `out = a · b`, or `out += a · b`, where `size` is rows, inner length and columns.
///
/// # Safety
/// All elements of `a` and `b` must be readable and those of `out` writable, each of `out` at a
/// place of its own and apart from the inputs.
pub(crate) unsafe fn gemm(
    size: (usize, usize, usize),
    a: Matrix<*const f32>,
    b: Matrix<*const f32>,
    out: Matrix<*mut f32>,
    add: bool,
) {
    let (m, k, n) = size;
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        if !add {
            for i in 0..m * n {
                let at = (i / n) as isize * out.row + (i % n) as isize * out.column;
                // SAFETY: an element of `out`.
                unsafe { *out.first.offset(at) = 0.0 };
            }
        }
        return;
    }
    #[cfg(target_os = "macos")]
    // SAFETY: as the caller promises.
    if unsafe { accelerate::gemm(size, a, b, out, add) } {
        return;
    }
    // SAFETY: as the caller promises.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.first,
            out.column,
            out.row,
            add,
            a.first,
            a.column,
            a.row,
            b.first,
            b.column,
            b.row,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(target_os = "macos")]
mod accelerate {
    use super::Matrix;

    #[link(name = "Accelerate", kind = "framework")]
    unsafe extern "C" {
        #[allow(clippy::too_many_arguments)]
        fn cblas_sgemm(
            order: i32,
            transpose_a: i32,
            transpose_b: i32,
            m: i32,
            n: i32,
            k: i32,
            alpha: f32,
            a: *const f32,
            lda: i32,
            b: *const f32,
            ldb: i32,
            beta: f32,
            c: *mut f32,
            ldc: i32,
        );
    }

    const ROW_MAJOR: i32 = 101;
    const AS_IS: i32 = 111;
    const TRANSPOSED: i32 = 112;

    /// As [`super::gemm`]; does nothing and says so where the layout is not one BLAS has.
    ///
    /// # Safety
    /// As [`super::gemm`].
    pub(super) unsafe fn gemm(
        (m, k, n): (usize, usize, usize),
        a: Matrix<*const f32>,
        b: Matrix<*const f32>,
        out: Matrix<*mut f32>,
        add: bool,
    ) -> bool {
        // Gapless rows, or gapless columns of the transpose, at least their own length apart.
        let step = |row: isize, column: isize, rows: usize, columns: usize| {
            let gapless = column == 1 || columns == 1;
            let step = if rows == 1 { columns as isize } else { row };
            let fits = gapless && step >= columns as isize;
            if fits { i32::try_from(step).ok() } else { None }
        };
        let layout = |row, column, rows, columns| {
            let as_is = step(row, column, rows, columns).map(|step| (AS_IS, step));
            as_is.or_else(|| Some((TRANSPOSED, step(column, row, columns, rows)?)))
        };
        let (Some((order_a, lda)), Some((order_b, ldb)), Some(ldc), Ok(m), Ok(n), Ok(k)) = (
            layout(a.row, a.column, m, k),
            layout(b.row, b.column, k, n),
            step(out.row, out.column, m, n),
            i32::try_from(m),
            i32::try_from(n),
            i32::try_from(k),
        ) else {
            return false;
        };
        let beta = if add { 1.0 } else { 0.0 };
        // SAFETY: the sizes and steps describe the matrices, which are as the caller promises.
        unsafe {
            cblas_sgemm(
                ROW_MAJOR, order_a, order_b, m, n, k, 1.0, a.first, lda, b.first, ldb, beta,
                out.first, ldc,
            );
        }
        true
    }
}
