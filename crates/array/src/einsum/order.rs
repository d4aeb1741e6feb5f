//! In which order several arrays are multiplied, two at a time.

use super::subscripts::Label;

/// Of so many arrays all orders are tried: 180 for five. With more, the next product is the one that costs
/// the fewest operations.
const ALL: usize = 5;

/// Which two of the arrays with these labels are multiplied in each step, the first before the second. Both
/// leave the list, and their product is added at its end.
pub(super) fn order(
    mut terms: Vec<Vec<Label>>,
    sizes: &[(Label, usize)],
    output: &[Label],
) -> Vec<(usize, usize)> {
    let mut steps = Vec::new();
    while terms.len() > ALL {
        let costs = pairs(terms.len()).map(|pair| (product(&terms, pair, sizes, output).0, pair));
        let Some((_, pair)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        terms = product(&terms, pair, sizes, output).1;
        steps.push(pair);
    }
    steps.extend(cheapest(&terms, sizes, output).1);
    steps
}

/// The operations and the steps of the order that takes the fewest.
fn cheapest(
    terms: &[Vec<Label>],
    sizes: &[(Label, usize)],
    output: &[Label],
) -> (f64, Vec<(usize, usize)>) {
    let orders = pairs(terms.len()).map(|pair| {
        let (cost, rest) = product(terms, pair, sizes, output);
        let (more, mut steps) = cheapest(&rest, sizes, output);
        steps.insert(0, pair);
        (cost + more, steps)
    });
    orders.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..count).flat_map(|j| (0..j).map(move |i| (i, j)))
}

/// The operations that the product of two takes, and the arrays there are afterwards.
fn product(
    terms: &[Vec<Label>],
    (i, j): (usize, usize),
    sizes: &[(Label, usize)],
    output: &[Label],
) -> (f64, Vec<Vec<Label>>) {
    let mut labels = terms[i].clone();
    labels.extend(terms[j].iter().filter(|label| !terms[i].contains(label)));
    let size = |label: &Label| {
        sizes.iter().find(|(other, _)| other == label).map_or(1.0, |&(_, size)| size as f64)
    };
    let cost = labels.iter().map(size).product();
    let others = terms.iter().enumerate().filter(|&(k, _)| k != i && k != j);
    let mut rest: Vec<Vec<Label>> = others.map(|(_, labels)| labels.clone()).collect();
    labels.retain(|label| output.contains(label) || rest.iter().any(|other| other.contains(label)));
    rest.push(labels);
    (cost, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(terms: &[&str], sizes: &[(char, usize)], output: &str) -> Vec<(usize, usize)> {
        let labels = |text: &str| text.chars().map(Label::Letter).collect::<Vec<_>>();
        let sizes: Vec<_> =
            sizes.iter().map(|&(letter, size)| (Label::Letter(letter), size)).collect();
        order(terms.iter().map(|term| labels(term)).collect(), &sizes, &labels(output))
    }

    #[test]
    fn a_vector_is_multiplied_before_a_matrix_is() {
        let sizes = [('i', 1024), ('j', 1024), ('k', 1024)];
        assert_eq!(order_of(&["ij", "jk", "k"], &sizes, "i"), [(1, 2), (0, 1)]);
        assert_eq!(order_of(&["i", "ij", "jk"], &sizes, "k"), [(0, 1), (0, 1)]);
    }

    #[test]
    fn a_chain_starts_where_it_is_narrow() {
        let sizes = [('a', 10), ('b', 1000), ('c', 2), ('d', 1000), ('e', 10)];
        assert_eq!(order_of(&["ab", "bc", "cd", "de"], &sizes, "ae"), [(0, 1), (0, 1), (0, 1)]);
    }

    #[test]
    fn more_arrays_than_can_be_tried_are_all_multiplied_once() {
        let terms = ["ab", "bc", "cd", "de", "ef", "fg", "gh"];
        let sizes: Vec<(char, usize)> = ('a'..='h').map(|letter| (letter, 3)).collect();
        assert_eq!(order_of(&terms, &sizes, "ah").len(), 6);
    }
}
