// One protocol, many volumes: what depends on the trajectory is made once.
#pragma once

#include <complex>

#include "studies/fmri/scan.hpp"
#include "whorl/op/normal_spectrum.hpp"
#include "whorl/recon/least_squares.hpp"

namespace whorl::studies::fmri {

/// Seconds that the parts of the preparation took.
struct Preparation {
  double spectrum = 0;  ///< Q = F^H F as a convolution, by a NUFFT
  double plan = 0;      ///< the rest: the plan of the NUFFT, the eigenvalue
};

class Reconstructor {
 public:
  /// Makes Q once, and plans with it.
  Reconstructor(const Context& ctx, const Protocol& protocol, int iterations);

  /// The magnitude [z, y, x] on the host, by conjugate gradient from 0.
  Array<float> magnitude(ArrayRef<const std::complex<float>> samples) const;

  const Preparation& preparation() const { return preparation_; }

 private:
  Context ctx_;
  Shape image_;
  int iterations_;
  RegularizedModel<float> model_{};
  Preparation preparation_{};
};

}  // namespace whorl::studies::fmri
