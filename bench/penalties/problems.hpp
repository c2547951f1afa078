// Small problems of regularized least squares, for the solvers.
#pragma once

#include <string>
#include <vector>

#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::bench {

/// What is measured, and the terms.
struct PenaltyProblem {
  enum class Scene { head, brain, beating };

  std::string name{};
  Scene scene = Scene::brain;
  Shape image{};           // [(z,) y, x]
  Index frames = 1;        // each with spokes of its own
  Index readouts = 0;      // spokes or arms of a frame
  Index coils = 4;         // maps with a sum of squares of 1
  bool spiral = false;     // arms instead of spokes
  bool supported = false;  // maps that are 0 outside of an ellipse, as ESPIRiT's
  double noise = 0.03;     // of a sample; objects are about 1
  double lambda = 0;       // holds what neither samples nor terms do, for an optimum that is unique
  std::string terms{};     // separated by " + ", weights in units of the noise
};

const std::vector<PenaltyProblem>& penalty_problems();
/// Smaller ones of several kinds and noise levels, for what takes many solves: the choice of weights, error bars.
std::vector<PenaltyProblem> noise_problems();

/// How often, and for how many CPU seconds, A^H A was applied. A or A^H alone counts as half.
struct Applications {
  double count = 0;
  double seconds = 0;
};

/// CPU seconds of this process.
double cpu_seconds();

/// What was taken since the last restart, of applications that an operator counts and of CPU time.
class Cost {
 public:
  explicit Cost(Applications& applications) : applications_(applications) {}

  void restart() {
    applications_ = {};
    start_ = cpu_seconds();
  }
  /// Members of a JSON object.
  std::string text() const;

 private:
  Applications& applications_;
  double start_ = 0;
};

/// A problem as the solvers take it.
struct PreparedPenaltyProblem {
  RegularizedModel<float> model{};
  double lambda = 0;
  Array<std::complex<float>> data{};  // in the unit of the noise
  Array<std::complex<float>> b{};
  Shape series{};       // [frame, z, y, x]
  double largest = 0;   // magnitude in b: the unit of weights
  double of_voxel = 0;  // noise_of_voxel
  double constant = 0;
  std::vector<ProximalPenalty<float>> penalties{};
};

/// The terms of a problem, their weights in units of the noise.
std::vector<Regularizer> terms_of(const PenaltyProblem& problem);

/// Images without noise of six times as many readouts, in the unit of a problem's: what errors are measured against.
Array<std::complex<float>> truth_of(const Context& ctx, const PenaltyProblem& problem);

/// With an operator that counts its applications.
PreparedPenaltyProblem prepare(const Context& ctx, const PenaltyProblem& problem, Applications& applications);

RegularizedStart<float> copy_of(const Context& ctx, const RegularizedStart<float>& start);

}  // namespace whorl::bench
