// Gray world: colors balanced so that their means are equal.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

struct GrayWorldOptions {};

/// v -> v S / S_channel, where S_channel is the channel's sum over the image and S = (S_R + S_G + S_B) / 3; truncated
/// and clipped for integers, whose sums are exact. A channel whose mean lies below 0.05 / 255 of full scale gets the
/// mean of S added in place of that. RGB with and without alpha (Unsupported else). Source  Buchsbaum, J Franklin Inst
/// 310 (1980) 1
std::unique_ptr<Filter> make_gray_world(const GrayWorldOptions& options);

}  // namespace whorl
