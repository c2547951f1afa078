// Equalize: as many pixels at each level of light as at any other.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

struct EqualizeOptions {};

/// v -> full (n(v) - n0) / (N - n0) for each color, where n(v) pixels of N have a luma of at most v, and n0 the least
/// luma that there is. The luma of RGB is that of autocontrast. Integers are rounded; of float32 luma is counted in
/// 65536 bins from the least to the largest, and the result has that range. An image of one luma stays as it is. Not
/// for complex images (Unsupported).
std::unique_ptr<Filter> make_equalize(const EqualizeOptions& options);

}  // namespace whorl
