//! Conformance cases.

use super::{Attention, Pages};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, I32, Q8_0, U32},
    Result, View,
};

/// Sizes and settings of a case.
#[derive(Clone, Copy)]
struct Plan {
    cache: DType,
    q: DType,
    rows: usize,
    heads: [usize; 2],
    tokens: usize,
    head_size: usize,
    /// Where the first row is; `None` sees all.
    start: Option<i32>,
    window: Option<usize>,
    soft_cap: Option<f32>,
}

const PLAN: Plan = Plan {
    cache: F32,
    q: F32,
    rows: 1,
    heads: [4, 2],
    tokens: 33,
    head_size: 64,
    start: Some(20),
    window: None,
    soft_cap: None,
};

impl Plan {
    fn name(&self) -> String {
        let Plan { cache, q, rows, heads: [heads, kv], tokens, head_size, .. } = self;
        let mut name =
            format!("{q} [{rows}, {heads}, {head_size}], cache {cache} [{kv}, {tokens}]");
        match self.start {
            Some(start) => name += &format!(" from {start}"),
            None => name += " all",
        }
        self.window.iter().for_each(|window| name += &format!(" window {window}"));
        self.soft_cap.iter().for_each(|cap| name += &format!(" cap {cap}"));
        name
    }

    fn tolerance(&self) -> Tolerance {
        Tolerance::of(self.q).widen(if self.q == F32 { 4.0 } else { 1.0 })
    }

    fn make(&self, f: &mut Fixture<'_>) -> Result<Attention> {
        let Plan { heads: [heads, kv], rows, tokens, head_size, .. } = *self;
        Ok(Attention {
            q: f.random(self.q, &[rows, heads, head_size])?,
            k: f.random(self.cache, &[kv, tokens, head_size])?,
            v: f.random(self.cache, &[kv, tokens, head_size])?,
            positions: self.start.map(|start| positions(f, rows, start)).transpose()?,
            pages: None,
            window: self.window,
            scale: 1.0 / (head_size.max(1) as f32).sqrt(),
            soft_cap: self.soft_cap,
            out: f.output(self.q, &[rows, heads, head_size])?,
        })
    }

    fn case(self) -> Case {
        Case::new("attention", self.name(), self.tolerance(), move |f| self.make(f))
    }
}

fn positions(f: &mut Fixture<'_>, rows: usize, start: i32) -> Result<View> {
    f.operand(I32, &[rows], |_, i| f64::from(start) + i as f64)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut plans = Vec::new();
    // Decoding: few rows, every cache, contexts around the sizes of tiles.
    for cache in [F32, F16, BF16, Q8_0] {
        for (rows, tokens) in [(1, 1), (1, 63), (1, 64), (1, 65), (1, 700), (3, 300)] {
            let start = Some(tokens as i32 - rows);
            plans.push(Plan { cache, rows: rows as usize, tokens, start, ..PLAN });
        }
    }
    for (cache, rows, heads) in [(F16, 1, [9, 3]), (Q8_0, 2, [4, 2]), (F32, 1, [4, 4])] {
        // Long enough to be taken in parts.
        plans.push(Plan { cache, rows, heads, tokens: 1100, start: Some(1050), ..PLAN });
    }
    // In parts, for even one head: some of them empty, in windows, of several rows.
    for (cache, rows, start, window) in [
        (F32, 1, 2299, None),
        (F16, 1, 1500, Some(1100)),
        (Q8_0, 1, 2, None),
        (F16, 1, -1, None),
        (F32, 3, 1298, Some(3)),
        (BF16, 5, -2, None),
    ] {
        let start = Some(start);
        let heads = if rows == 1 { [1, 1] } else { [2, 1] };
        plans.push(Plan { cache, rows, heads, tokens: 2300, start, window, ..PLAN });
    }
    plans.push(Plan { heads: [3, 1], head_size: 80, tokens: 1500, start: None, ..PLAN });
    // Heads of all sizes and groups.
    for head_size in [1, 3, 32, 40, 80, 96, 112, 128, 256] {
        plans.push(Plan { head_size, ..PLAN });
        plans.push(Plan { head_size, rows: 37, start: Some(-4), ..PLAN });
    }
    for heads in [[1, 1], [9, 3], [8, 1], [7, 7], [32, 1]] {
        plans.push(Plan { heads, cache: F16, tokens: 100, start: Some(90), ..PLAN });
        plans.push(Plan { heads, cache: F16, rows: 70, tokens: 100, start: Some(30), ..PLAN });
    }
    // Prefill: many rows, behind a cache and at its start, past its end, all at once.
    for (rows, tokens, start) in
        [(64, 64, Some(0)), (130, 200, Some(70)), (50, 40, Some(10)), (100, 77, None), (5, 0, None)]
    {
        for cache in [F32, F16, Q8_0] {
            plans.push(Plan { cache, rows, tokens, start, ..PLAN });
        }
    }
    for (rows, tokens, start) in [(1, 300, 299), (1, 300, 5), (90, 200, 50), (20, 64, 60)] {
        let start = Some(start);
        for window in [1, 7, 64, 1000] {
            plans.push(Plan { rows, tokens, start, window: Some(window), ..PLAN });
        }
        plans.push(Plan { rows, tokens, start, soft_cap: Some(5.0), ..PLAN });
    }
    for q in [F16, BF16] {
        plans.push(Plan { q, cache: q, ..PLAN });
        plans.push(Plan { q, cache: F16, rows: 40, ..PLAN });
    }
    plans.push(Plan { rows: 0, ..PLAN });
    let mut cases: Vec<Case> = plans.into_iter().map(Plan::case).collect();
    cases.push(Plan { cache: F16, ..PLAN }.case().quick());
    cases.extend(special());
    cases.extend(paged());
    cases
}

/// Several texts in pages of one cache: whose each row is, and where in the text.
#[derive(Clone)]
struct Paged {
    plan: Plan,
    page: usize,
    rows: Vec<(u32, i32)>,
}

impl Paged {
    /// Pages of a text, all texts' pages being a third of a cache.
    const MOST: usize = 5;
    const TEXTS: usize = 3;

    fn make(&self, f: &mut Fixture<'_>) -> Result<Attention> {
        let pages = 3 * Self::MOST;
        let rows = &self.rows;
        let plan = Plan { rows: rows.len(), tokens: pages * self.page, start: None, ..self.plan };
        let positions = f.operand(I32, &[rows.len()], |_, i| f64::from(rows[i].1))?;
        // Texts 0 and 1 begin with the same two pages; text 2 has its pages backwards, and one number that no
        // page has.
        let table = f.operand(U32, &[Self::TEXTS, Self::MOST], |_, i| {
            let (text, page) = (i / Self::MOST, i % Self::MOST);
            match (text, page) {
                (0 | 1, 0 | 1) => page as f64 + 7.0,
                (0, _) => page as f64 * 2.0 + 1.0,
                (1, _) => page as f64 * 2.0,
                (_, 3) => 4_000_000_000.0,
                _ => (pages - 2 - page) as f64,
            }
        })?;
        let texts = f.operand(U32, &[rows.len()], |_, i| f64::from(rows[i].0))?;
        let pages = Some(Pages { table, texts, len: self.page });
        Ok(Attention { positions: Some(positions), pages, ..plan.make(f)? })
    }

    fn case(self, what: &str) -> Case {
        let Plan { cache, q, heads: [heads, kv], head_size, window, soft_cap, .. } = self.plan;
        let mut name = format!(
            "{q} {what}, {heads}/{kv}×{head_size}, cache {cache} in pages of {}",
            self.page
        );
        window.iter().for_each(|window| name += &format!(" window {window}"));
        soft_cap.iter().for_each(|cap| name += &format!(" cap {cap}"));
        Case::new("attention", name, self.plan.tolerance(), move |f| self.make(f))
    }
}

/// One token each of several texts, and chunks of prompts.
fn paged() -> Vec<Case> {
    let chunk = |text: u32, positions: std::ops::Range<i32>| positions.map(move |at| (text, at));
    let decode = vec![(0, 70), (1, 3), (2, 0), (0, 131), (1, 159), (9, 20), (2, 101)];
    let mixed: Vec<(u32, i32)> = [(1, 40)]
        .into_iter()
        .chain(chunk(0, 60..100))
        .chain([(2, 9)])
        .chain(chunk(2, 10..13))
        .chain(chunk(1, 30..33))
        .collect();
    let mut cases = Vec::new();
    for cache in [F32, F16, BF16, Q8_0] {
        let plan = Plan { cache, ..PLAN };
        let case = |page, rows: &Vec<(u32, i32)>| Paged { plan, page, rows: rows.clone() };
        cases.push(case(32, &decode).case("one token each"));
        cases.push(case(64, &mixed).case("tokens and chunks"));
        cases.push(case(17, &mixed).case("tokens and chunks"));
    }
    for (page, rows) in [(1, vec![(2, 4), (0, 1)]), (300, chunk(1, 1100..1130).collect())] {
        cases.push(Paged { plan: PLAN, page, rows }.case("few"));
    }
    for (heads, head_size) in [([9, 3], 64), ([7, 7], 40), ([8, 1], 128), ([2, 1], 3)] {
        let plan = Plan { heads, head_size, cache: F16, ..PLAN };
        cases.push(Paged { plan, page: 32, rows: mixed.clone() }.case("mixed"));
    }
    for window in [1, 30, 64, 1000] {
        let plan = Plan { window: Some(window), ..PLAN };
        cases.push(Paged { plan, page: 32, rows: mixed.clone() }.case("mixed"));
    }
    let capped = Plan { soft_cap: Some(5.0), cache: F16, ..PLAN };
    cases.push(Paged { plan: capped, page: 32, rows: mixed.clone() }.case("mixed"));
    let beyond = vec![(0, 1_000_000), (1, -3), (2, 159), (2, 160), (u32::MAX, 5)];
    cases.push(Paged { plan: PLAN, page: 32, rows: beyond }.case("beyond what there is"));
    let long = chunk(0, 1480..1490).chain([(1, 1499), (2, 700), (1, 2)]).collect();
    cases.push(Paged { plan: PLAN, page: 300, rows: long }.case("long"));
    let plan = Plan { cache: F16, ..PLAN };
    let rows = decode.into_iter().map(|(text, at)| (text, at / 2)).collect();
    cases.push(Paged { plan, page: 16, rows }.case("decode").quick());
    cases
}

/// Layouts and values that plans don't reach.
fn special() -> Vec<Case> {
    let case = |name: &str, make: fn(&mut Fixture<'_>) -> Result<Attention>| {
        Case::new("attention", name, PLAN.tolerance(), make)
    };
    vec![
        case("cache by tokens, heads of a wider q", |f| {
            let q = f.random(F32, &[3, 6, 64])?.narrow(1, 1..5)?;
            let k = f.random(F16, &[50, 2, 64])?.permute(&[1, 0, 2])?;
            let v = f.random(F16, &[50, 2, 64])?.permute(&[1, 0, 2])?;
            Ok(Attention { q, k, v, ..Plan { rows: 3, ..PLAN }.make(f)? })
        }),
        case("part of a larger cache, out with gaps", |f| {
            let k = f.random(Q8_0, &[2, 128, 96])?.narrow(1, 3..70)?.narrow(2, 32..96)?;
            let v = f.random(Q8_0, &[2, 128, 64])?.narrow(1, 0..67)?;
            let out = f.strided_output(F32, &[1, 4, 64], &[0, 70, 1], 2, 400)?;
            Ok(Attention { k, v, out, ..PLAN.make(f)? })
        }),
        case("tokens backwards, u32 positions", |f| {
            let k = f.random(F32, &[2, 33, 64])?.step(1, 32, 33, -1)?;
            let positions = f.operand(U32, &[2], |_, i| [4e9, 7.0][i])?;
            let plan = Plan { rows: 2, ..PLAN }.make(f)?;
            Ok(Attention { k, positions: Some(positions), window: Some(40), ..plan })
        }),
        case("large scores", |f| {
            let q = f.operand(F32, &[1, 4, 64], |f, _| 300.0 * f.normal())?;
            Ok(Attention { q, ..PLAN.make(f)? })
        }),
        case("NaN in one key and inf in one value", |f| {
            let k =
                f.operand(F32, &[2, 33, 64], |f, i| if i == 70 { f64::NAN } else { f.normal() })?;
            let inf = f64::INFINITY;
            let v =
                f.operand(F32, &[2, 33, 64], |f, i| if i == 3000 { inf } else { f.normal() })?;
            Ok(Attention { k, v, ..PLAN.make(f)? })
        }),
        case("NaN in one key of a long context", |f| {
            let plan = Plan { heads: [1, 1], tokens: 1200, start: None, ..PLAN };
            let k = f.operand(F32, &[1, 1200, 64], |f, i| match i {
                70_000 => f64::NAN,
                _ => f.normal(),
            })?;
            Ok(Attention { k, ..plan.make(f)? })
        }),
        case("NaN beyond the position is not seen", |f| {
            let k =
                f.operand(
                    F32,
                    &[2, 33, 64],
                    |f, i| {
                        if i / 64 % 33 > 20 { f64::NAN } else { f.normal() }
                    },
                )?;
            Ok(Attention { v: k.clone(), k, ..PLAN.make(f)? })
        }),
    ]
}
