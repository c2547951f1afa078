// Thin lines of gray images, and of RGB in uint8, before they are connected, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/canny/canny.hpp"

namespace whorl::backend::cuda {

/// Whether thin_by_rows takes the image: gray, or RGB of bytes, without a Gaussian or with one of the usual radius. A
/// smoothed image has to continue beyond its edge like the image itself.
bool thins_by_rows(const ImageFormat& format, int radius, Border border);

/// One bit per pixel (kernels::BitMasks): `mask`, thin lines of gradients above the lower threshold, and `seeds`, the
/// pixels of `mask` above the higher one.
template <class T>
void thin_by_rows(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan, const T* pixels,
                  std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cuda
