// Non-local means of one tile.
#pragma once

#include "filter/src/kernels/denoise/non_local_means.hpp"

namespace whorl::backend::cpu {

/// The length of written rows is a multiple of this, and rows that are read have this padding at the end: enough for
/// whole vectors of any instruction set.
inline constexpr Index vector_room = 16;

/// A tile with the surroundings that the search and the patches need, channel by channel.
struct NonLocalTile {
  Index height = 0;
  Index width = 0;
  Index row = 0;  ///< width in whole vectors
  int channels = 1;
  Index stride = 0;  ///< of a row of `padded`; a channel has height + 2 (search + patch) rows
  const float* padded = nullptr;
  float* squares = nullptr;  ///< a row of width + 2 patch
  float* sums = nullptr;     ///< [height + 2 patch, row]
  float* weights = nullptr;  ///< [height, row]: of all patches
  float* means = nullptr;    ///< [channel, height, row]: the result
};

/// Returns early if a stop is requested.
void non_local_tile(const Context& ctx, const kernels::NonLocalMeans& job, float scale, float bias,
                    const NonLocalTile& tile);

}  // namespace whorl::backend::cpu
