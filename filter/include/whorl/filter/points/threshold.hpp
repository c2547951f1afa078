// Threshold: separates light from dark.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct ThresholdOptions {
  std::optional<double> value;  ///< in the image's numbers; none: by Otsu's method
};

/// Full scale (255, 65535, 1) where a color lies above the value, else 0. Without a value Otsu's method finds it: the
/// level between the two classes of pixels with the largest variance between them. For float32 it is the upper edge of
/// one of 65536 bins from the smallest number to the largest.
/// Throws  Unsupported (complex images; without a value, other than gray)
/// Source  Otsu, IEEE Trans Syst Man Cybern 9 (1979) 62
std::unique_ptr<Filter> make_threshold(const ThresholdOptions& options);

}  // namespace whorl
