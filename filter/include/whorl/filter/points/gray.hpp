// Gray: one gray channel from three colors.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class GrayWeights {
  bt709,  ///< 0.2125 R + 0.7154 G + 0.0721 B
  bt601,  ///< 0.2990 R + 0.5870 G + 0.1140 B
  mean,   ///< (R + G + B) / 3
};

struct GrayOptions {
  GrayWeights weights = GrayWeights::bt709;
};

/// Exact for integers, and truncated. Alpha stays; gray images stay as they are. Not for complex images (Unsupported).
/// Source  ITU-R BT.709, with the digits of the exercise from which the filters come, and BT.601
std::unique_ptr<Filter> make_gray(const GrayOptions& options);

}  // namespace whorl
