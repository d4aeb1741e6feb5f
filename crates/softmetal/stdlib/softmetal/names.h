// Types that only textures use. They are here for their names: what a kernel calls the same at
// program scope is ambiguous with `using namespace metal`, as it is to Apple's compiler.
namespace metal {
struct bias;
struct level;
struct gradient2d;
struct gradient3d;
struct gradientcube;
struct min_lod_clamp;
} // namespace metal
