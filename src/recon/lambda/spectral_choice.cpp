#include "recon/lambda/spectral_choice.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

// The expected squared error of the image where lambda s is `weight`. The data times `unit` have noise of 1.
double expected_error(const std::vector<PowerShell>& shells, double unit, double weight) {
  double error = 0;
  for (const PowerShell& shell : shells) {
    if (shell.samples == 0) continue;  // the same for every lambda
    const double density = shell.density();
    error += shell.points * (weight * weight * unit * unit * shell.power() + density) / std::pow(density + weight, 2);
  }
  return error;
}

}  // namespace

LambdaChoice spectral_choice(const std::vector<PowerShell>& shells, const Shape& image, double eigenvalue,
                             double unit) {
  if (!(eigenvalue > 0)) {
    throw ValueError(fmt::format("choice of lambda: a largest eigenvalue of {}, expected a positive one", eigenvalue));
  }
  double signal = 0;
  for (const PowerShell& shell : shells) {
    signal += shell.points * unit * unit * shell.power();
  }
  // R is smooth over log lambda: steps of a fortieth of a decade change it by less than 0.1 % near its minimum.
  constexpr int steps_per_decade = 40;
  constexpr int lowest = -8;
  constexpr int decades = 9;
  LambdaChoice choice;
  choice.method = LambdaMethod::spectrum;
  choice.kind = NoteKind::fact;
  double least = 0;
  for (int i = 0; i <= decades * steps_per_decade; ++i) {
    const double lambda = std::pow(10.0, lowest + static_cast<double>(i) / steps_per_decade);
    const double error = expected_error(shells, unit, lambda * eigenvalue);
    if (i > 0 && error >= least) continue;
    least = error;
    choice.lambda = lambda;
  }
  if (!(signal > 0)) {
    choice.reason = fmt::format("Lambda {:.2e}, the largest: the data have no energy above the noise", choice.lambda);
    choice.kind = NoteKind::doubt;
    return choice;
  }
  const auto voxels = static_cast<double>(image.size());
  choice.reason = fmt::format(
      "Lambda {:.2e} from the power spectrum of the data (a voxel has {:.3g} times the energy of the noise in a "
      "sample)",
      choice.lambda, signal / voxels);
  return choice;
}

}  // namespace whorl::recon
