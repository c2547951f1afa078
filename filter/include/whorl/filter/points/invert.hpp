// Invert: the negative of an image.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct InvertOptions {};

/// v -> full - v for each color, where full is 255, 65535 or 1. Not for complex images (Unsupported).
std::unique_ptr<Filter> make_invert(const InvertOptions& options);

}  // namespace whorl
