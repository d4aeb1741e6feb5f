// A static member is in `constant` memory.
// accept
struct Tile { static constant constexpr int size = 8; static int area() { return size * size; } };
kernel void k(device int *out [[buffer(0)]]) { out[0] = Tile::area(); }
// refuse: 'size'
struct Tile {
  static constexpr int size = 8; // HERE
};
kernel void k(device int *out [[buffer(0)]]) { out[0] = Tile::size; }
