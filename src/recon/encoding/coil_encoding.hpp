// The encoding of one image by a transform as the coils see it.
#pragma once

#include <complex>
#include <memory>

#include "whorl/op/linear_operator.hpp"

namespace whorl::recon {

/// Transform after coil sensitivities: in one where the transform is a Nufft, and one after the other else. Both are
/// referred to.
class CoilEncoding {
 public:
  /// Maps [coil, (z,) y, x].
  CoilEncoding(const LinearOperator<float>& transform, ArrayRef<const std::complex<float>> maps);

  const LinearOperator<float>& get() const { return *encoding_; }

 private:
  std::unique_ptr<const LinearOperator<float>> sensitivities_;
  std::unique_ptr<const LinearOperator<float>> encoding_;
};

}  // namespace whorl::recon
