// Pad: adds pixels around an image.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct PadOptions : BorderOptions {
  Index left = 0;
  Index right = 0;
  Index top = 0;
  Index bottom = 0;
  Index all = 0;  ///< added on each of the four sides, besides the above
};

/// Adds any number of pixels around every slice, by the border's rule. Takes every image.
std::unique_ptr<Filter> make_pad(const PadOptions& options);

}  // namespace whorl
