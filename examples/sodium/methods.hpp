// The compared reconstructions, each from data to an image.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/recon/least_squares.hpp"

namespace sodium {

struct ReconSettings {
  double lambda = 3e-4;           ///< of plain least squares: Tikhonov
  double prior_lambda = 8e-3;     ///< of the differences, weighted by the proton image
  double tolerance = 3e-4;        ///< of conjugate gradient
  int iterations = 100;           ///< of conjugate gradient, at most
  double decay_tolerance = 2e-2;  ///< relative error of the factors of the decay
};

/// A linear reconstruction. Least squares have a model, gridding has none.
struct Method {
  std::string name;
  std::function<whorl::Array<std::complex<float>>(const whorl::Array<std::complex<float>>& data)> image;
  std::shared_ptr<const whorl::RegularizedModel<float>> model;
  double lambda = 0;
};

/// Gridding; least squares with Tikhonov's penalty; and with the prior: first differences, weighted by the edges of the
/// proton image. Least squares come without and with the decay during the readout.
class Methods {
 public:
  /// `decays`: the evolution expected from the proton image; `proton`: the proton image on the grid of the sodium.
  Methods(const whorl::Context& ctx, const Measurement& scan, const whorl::ExponentialSignal& decays,
          whorl::ArrayRef<const float> proton, const ReconSettings& settings);
  ~Methods();

  const std::vector<Method>& all() const { return methods_; }
  whorl::Index decay_factors() const;
  double decay_error() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::vector<Method> methods_;
};

/// The sum of the decays of the tissues in each voxel, weighted by their expected parts of the voxel's sodium: volumes
/// times the concentrations of the tissues that the proton image shows. Air gets the decay of soft tissue, which has no
/// effect without sodium.
///
/// Shapes  portions [tissue, z, y, x]
whorl::ExponentialSignal expected_decays(const whorl::Context& ctx, const Head& head,
                                         whorl::ArrayRef<const float> portions);

}  // namespace sodium
