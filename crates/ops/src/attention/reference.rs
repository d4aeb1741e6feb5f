//! The reference implementation.

use super::{Attention, Sizes};
use bessemer_core::Host;

pub(super) fn attention(op: &Attention, host: &mut Host<'_>) {
    let Sizes { rows, heads, kv_heads, tokens, head_size } = op.sizes();
    let (slots, places) = (op.k.shape()[1], Places::of(op, host));
    let (q, k, v) = (host.read(&op.q), host.read(&op.k), host.read(&op.v));
    let positions = op.positions.as_ref().map(|positions| host.read(positions));
    let mut out = vec![0.0; q.len()];
    for row in 0..rows {
        let mut visible = positions.as_ref().map_or(0..tokens, |p| op.visible(p[row] as i64));
        if !places.has(row) {
            visible = 0..0;
        }
        for head in 0..heads {
            let kv_head = head / (heads / kv_heads);
            let at = |token: usize| (kv_head * slots + places.of_token(row, token)) * head_size;
            let q = &q[(row * heads + head) * head_size..][..head_size];
            let out = &mut out[(row * heads + head) * head_size..][..head_size];
            let mut scores: Vec<f64> = visible.clone().map(|t| dot(q, &k[at(t)..])).collect();
            for score in &mut scores {
                *score *= f64::from(op.scale);
                if let Some(cap) = op.soft_cap.map(f64::from) {
                    *score = cap * (*score / cap).tanh();
                }
            }
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            for (token, score) in visible.clone().zip(&scores) {
                let weight = (score - most).exp() / sum;
                out.iter_mut().zip(&v[at(token)..]).for_each(|(out, v)| *out += weight * v);
            }
        }
    }
    host.write(&op.out, &out);
}

/// Where in the cache the tokens of each row's text are.
struct Places {
    /// Table, texts, pages of the cache, and tokens of a page.
    pages: Option<(Vec<f64>, Vec<f64>, usize, usize)>,
    /// Pages of a text.
    most: usize,
}

impl Places {
    fn of(op: &Attention, host: &mut Host<'_>) -> Places {
        let pages = op.pages.as_ref().map(|pages| {
            let count = op.k.shape()[1] / pages.len;
            (host.read(&pages.table), host.read(&pages.texts), count, pages.len)
        });
        Places { pages, most: op.pages.as_ref().map_or(0, |pages| pages.table.shape()[1]) }
    }

    /// Whether the table has the text of a row.
    fn has(&self, row: usize) -> bool {
        let texts = |table: &[f64]| table.len() / self.most.max(1);
        self.pages.as_ref().is_none_or(|(table, all, ..)| all[row] < texts(table) as f64)
    }

    fn of_token(&self, row: usize, token: usize) -> usize {
        let Some((table, texts, count, len)) = &self.pages else { return token };
        let page = table[texts[row] as usize * self.most + token / len] as usize;
        page.min(count - 1) * len + token % len
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
