// Gray world: scales colors so that their means are equal.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct GrayWorldOptions {};

/// v -> v S / S_channel, where S_channel is the channel's sum over the image and S = (S_R + S_G + S_B) / 3. To a
/// channel whose mean is below 0.05 / 255 of full scale the mean of S is added instead. Sums of integers are exact; the
/// result is truncated and clipped.
/// Throws  Unsupported (other than RGB and RGBA)
/// Source  Buchsbaum, J Franklin Inst 310 (1980) 1
std::unique_ptr<Filter> make_gray_world(const GrayWorldOptions& options);

}  // namespace whorl
