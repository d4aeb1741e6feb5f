//! Finding places for labels where nothing else is.

/// A part of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Rect {
    pub(crate) fn new(left: f64, top: f64, right: f64, bottom: f64) -> Rect {
        Rect { left, top, right, bottom }
    }

    /// The part with this centre that reaches so far to the sides.
    pub(crate) fn around(x: f64, y: f64, dx: f64, dy: f64) -> Rect {
        Rect::new(x - dx, y - dy, x + dx, y + dy)
    }

    fn overlaps(&self, other: &Rect) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn contains(&self, other: &Rect) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// The labels on a page so far.
pub(crate) struct Labels {
    page: Rect,
    taken: Vec<Rect>,
}

impl Labels {
    pub(crate) fn within(page: Rect) -> Labels {
        Labels { page, taken: Vec::new() }
    }

    /// Keeps labels off a part of the page.
    pub(crate) fn block(&mut self, rect: Rect) {
        self.taken.push(rect);
    }

    /// The centre of the nearest free place for a label of this size at a point.
    pub(crate) fn place(&mut self, x: f64, y: f64, width: f64, height: f64) -> (f64, f64) {
        let mut distance = 12.0;
        loop {
            // To the right and upwards first; more directions further out.
            let steps = (distance / 2.0) as i32;
            for step in 0..steps {
                let side = if step % 2 == 0 { 1.0 } else { -1.0 };
                let turn = f64::from((step + 1) / 2) / f64::from(steps) * side;
                let angle = -0.6 + std::f64::consts::TAU * turn;
                let centre = (x + distance * angle.cos(), y + distance * angle.sin());
                let rect = Rect::around(centre.0, centre.1, width / 2.0 + 1.0, height / 2.0 + 1.0);
                let free = self.page.contains(&rect) || distance > 1000.0;
                if free && !self.taken.iter().any(|taken| taken.overlaps(&rect)) {
                    self.taken.push(rect);
                    return centre;
                }
            }
            distance += 4.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_one_point_do_not_overlap() {
        let mut labels = Labels::within(Rect::new(0.0, 0.0, 400.0, 400.0));
        labels.block(Rect::around(200.0, 200.0, 5.0, 5.0));
        for _ in 0..60 {
            labels.place(200.0, 200.0, 14.0, 11.0);
        }
        for (i, a) in labels.taken.iter().enumerate() {
            assert!(labels.page.contains(a));
            assert!(labels.taken[..i].iter().all(|b| !a.overlaps(b)));
        }
    }

    #[test]
    fn a_full_page_still_ends() {
        let mut labels = Labels::within(Rect::new(0.0, 0.0, 10.0, 10.0));
        for _ in 0..5 {
            labels.place(5.0, 5.0, 20.0, 20.0);
        }
        assert_eq!(labels.taken.len(), 5);
    }
}
