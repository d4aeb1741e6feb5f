// Picks of one expert that are computed together: `count` of the sorted ones from `first` on. No more
// of them than a tile has rows.
struct Tile {
  uint expert, first, count;
};
