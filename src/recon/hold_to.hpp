// Images that are held to a support.
#pragma once

#include <complex>

#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::recon {

/// Sets images [..., (z,) y, x] on the context's device to 0 outside a support on any device; null: leaves them.
template <class Real>
void hold_to(const Context& ctx, const Array<Real>* support, ArrayRef<std::complex<Real>> images) {
  if (support == nullptr || images.size() == 0) return;
  const OnDevice<Real> here(ctx, *support);
  const Index voxels = support->size();
  const ArrayRef<std::complex<Real>> flat = images.reshape({images.size() / voxels, voxels});
  multiply_weights<Real>(ctx, here.get().reshape({voxels}), flat, flat);
}

}  // namespace whorl::recon
