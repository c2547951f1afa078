// Flip: mirrors an image along one axis.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class ImageAxis { x, y, z };

struct FlipOptions {
  ImageAxis axis = ImageAxis::x;
};

/// result(i) = input(n - 1 - i) along the axis. Takes every image.
std::unique_ptr<Filter> make_flip(const FlipOptions& options);

}  // namespace whorl
