// Random cases of the NUFFT: what it is asked for and where the samples lie, all from one seed.
#pragma once

#include <cstdint>
#include <string>

#include "whorl/op/nufft.hpp"

namespace whorl::test {

/// Where the samples of a case lie.
enum class Positions {
  uniform,       ///< anywhere
  ends,          ///< every coordinate at -1/2, at 1/2 or anywhere
  cell_borders,  ///< where the window moves on by a grid point, or a hair beside
  cluster,       ///< within 1e-3 to 0.1 of one place
  one_place,     ///< all at the same
  repeated,      ///< at three places
};
inline constexpr int position_kinds = 6;
const char* to_string(Positions positions);

struct NufftCase {
  std::uint64_t seed = 0;
  Shape image;
  Index samples = 1;
  Index coils = 1;
  Positions positions = Positions::uniform;
  double cluster_width = 0;
  NufftOptions options;
};
std::string describe(const NufftCase& what, bool single);

/// Images of 1 to 97 pixels along each axis in 2D, 1 to 16 in 3D, 1 to 24 samples, 1 to 6 coils, every window and
/// oversampling, tolerances from 0.1 to what rounding may refuse.
NufftCase random_case(std::uint64_t seed, int dim, NufftAccuracy accuracy, bool single);

/// Positions [sample, dim] of a case on the host; those on cell borders for a transform with this window and grid.
Array<double> positions_of(const Context& ctx, const NufftCase& what, int width, const Shape& grid);

}  // namespace whorl::test
