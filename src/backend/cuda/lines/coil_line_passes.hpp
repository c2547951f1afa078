// The passes over lines along x that multiply one image by the sensitivities of coils, and that sum over coils.
#pragma once

#include "backend/cuda/lines/line_passes.hpp"
#include "kernels/padded_fft.hpp"

namespace whorl::backend::cuda {

/// Maps [coil, z, y, x] whose lines have the layout of the image's lines.
template <class Real>
struct CoilMaps {
  const std::complex<Real>* data;
  Index distance;  ///< elements from one to the next
  int count;
};

/// Forward transforms of the one image of pass.in times each map, to as many images of pass.out.
template <class Real>
void run_products(const Context& ctx, const DeviceLine<Real>& line, const LinePass<Real>& pass,
                  const CoilMaps<Real>& maps);

/// Inverse transforms of the images of pass.in, times the conjugate of each map and summed to the one image of pass.out,
/// in the order of `sum`.
template <class Real>
void run_sum(const Context& ctx, const DeviceLine<Real>& line, const LinePass<Real>& pass, const CoilMaps<Real>& maps,
             const kernels::CoilSum<Real>& sum);

}  // namespace whorl::backend::cuda
