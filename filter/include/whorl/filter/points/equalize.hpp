// Equalize: gives each level of light the same number of pixels.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct EqualizeOptions {};

/// v -> full (n(v) - n0) / (N - n0) for each color: n(v) of the N pixels have a luma of at most v, and n0 have the
/// smallest luma in the image. The luma of RGB is that of autocontrast. Integers are rounded. For float32 luma is
/// counted in 65536 bins from the smallest to the largest, and the result has that range. An image of one luma stays as
/// it is.
/// Throws  Unsupported (complex images)
std::unique_ptr<Filter> make_equalize(const EqualizeOptions& options);

}  // namespace whorl
