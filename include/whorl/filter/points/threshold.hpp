// Threshold: light or dark.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace whorl {

struct ThresholdOptions {
  std::optional<double> value;  ///< in the image's numbers; none: by Otsu's method
};

/// Full scale (255, 65535, 1) where a color lies above the value, else 0. Without a value, for gray images only
/// (Unsupported else), the level that parts the pixels into two classes of the largest variance between them; of
/// float32 the upper edge of one of 65536 bins from the least number to the largest. Not for complex images
/// (Unsupported). Source  Otsu, IEEE Trans Syst Man Cybern 9 (1979) 62
std::unique_ptr<Filter> make_threshold(const ThresholdOptions& options);

}  // namespace whorl
