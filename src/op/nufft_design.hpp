// Which window and which grid a NUFFT uses.
#pragma once

#include <limits>

#include "whorl/op/nufft.hpp"

namespace whorl {

template <class Real>
inline constexpr double unit_roundoff = std::numeric_limits<Real>::epsilon() / 2;

struct NufftDesign {
  Window window;
  Shape grid;
};

/// The window and grid of the options, or, where the options leave the oversampling open, those that a model of the
/// cost on the context's device finds fastest for so many samples. Throws ValueError when no window reaches the
/// tolerance.
NufftDesign design_nufft(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                         double epsilon);

/// Whether the same model expects a convolution on the doubled grid to be faster than a pair of transforms.
bool toeplitz_is_faster(const Context& ctx, const NufftDesign& design, const Shape& toeplitz_grid, Index samples);

}  // namespace whorl
