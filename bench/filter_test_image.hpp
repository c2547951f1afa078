// The image on which filters are timed and held equal.
#pragma once

#include "whorl/core/image.hpp"

namespace whorl::bench {

/// Something of everything that filters tell apart, the same for each format: a slope, a disc with a sharp edge, a
/// texture, noise. Floats from -0.5 to 1.5, integers over their whole range. On the context's device.
Image filter_test_image(const Context& ctx, const ImageFormat& format);

}  // namespace whorl::bench
