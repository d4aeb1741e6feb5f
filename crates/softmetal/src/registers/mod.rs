//! How many registers a thread of a kernel needs, estimated, and how many threads a threadgroup
//! can have for that.
//!
//! A GPU's registers are shared by the threads of a threadgroup: who takes many leaves room for
//! fewer threads. What Apple's compiler makes of a kernel cannot be known here, but what it has to
//! keep can: clang optimises the kernel as one thread, everything inlined, and the most bytes of
//! values that are alive at once, anywhere in it, are counted. `values` says what counts.
//!
//! Apple's compiler may keep more than it has to, or compute again what it could keep. A log of
//! llama.cpp's tests on an M1 (its commit 74d57f95 of April 2024) has the limit of every kernel; candle
//! has later copies of most of them, which may differ. `TAKEN` and how far loops are unrolled were
//! chosen by 45 matrix kernels of both: 16 come out the same, 26 within a step of
//! `Profile::occupancy`, 32 within two; 9 are too low and 20 too high. Six kernels of attention were
//! not used for that, and all come out too low, by one to three steps (384 for 448, 448 for 576, 704
//! for 896). Kernels of other kinds have 1024 in the log, and here.

mod ir;
mod live;
mod values;

use std::collections::BTreeMap;

/// What Apple's compiler takes for what has to be kept: so many of those for so many of these.
const TAKEN: (u32, u32) = (21, 20);

/// The halves of registers that each kernel of a module needs, by its number; from LLVM's text.
pub(crate) fn count(text: &str) -> BTreeMap<usize, u32> {
    let taken = |kept: u32| (kept * TAKEN.0).div_ceil(TAKEN.1);
    ir::functions(text).map(|f| (f.number, taken(live::peak(&f)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop over four numbers that are loaded ahead of it.
    const LOOP: &str = r#"
source_filename = "x"

define void @__sm_thread_3(ptr noundef %0, ptr noundef %1) local_unnamed_addr #0 {
  %3 = load ptr, ptr %0, align 8, !tbaa !5
  %4 = getelementptr inbounds i8, ptr %1, i64 12
  %5 = load i32, ptr %4, align 4, !tbaa !8
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds <4 x float>, ptr %3, i64 %6
  %8 = load <4 x float>, ptr %7, align 16
  %9 = load i32, ptr %3, align 4
  br label %10

10:                                               ; preds = %10, %2
  %11 = phi <4 x float> [ %8, %2 ], [ %13, %10 ]
  %12 = phi i32 [ 0, %2 ], [ %14, %10 ]
  %13 = fadd <4 x float> %11, %8
  %14 = add nuw i32 %12, 1
  %15 = icmp eq i32 %14, %9
  br i1 %15, label %16, label %10, !llvm.loop !9

16:                                               ; preds = %10
  store <4 x float> %13, ptr %7, align 16
  switch i32 %12, label %17 [
    i32 0, label %17
    i32 1, label %10
  ]

17:
  ret void
}

define internal void @other(ptr %0) {
  ret void
}
"#;

    #[test]
    fn what_lives_at_once_is_counted() {
        // What was loaded and the sum, the counter before and after, whether it is done, and where
        // to write to. Arguments, and what is loaded from where they point, are free.
        let kept: u32 = 8 + 8 + 2 + 2 + 1 + 2;
        assert_eq!(count(LOOP), BTreeMap::from([(3, (kept * 21).div_ceil(20))]));
    }

    #[test]
    fn what_is_no_such_text_has_no_kernels() {
        assert!(count("").is_empty());
        assert!(count("\ndefine void @__sm_thread_x(").is_empty());
        let odd =
            "\ndefine void @__sm_thread_1(ptr %0) {\n  %2 = phi\n  %3 = load\n  br label\n}\n";
        assert_eq!(count(odd), BTreeMap::from([(1, 0)]));
    }
}
