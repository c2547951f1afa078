// Parts that the methods by least squares share: conjugate gradient, regularizers and subspaces.
#pragma once

#include <set>
#include <string>

#include "recon/encoding/penalty.hpp"
#include "recon/methods/method.hpp"

namespace whorl::recon {

class LeastSquaresMethod : public Method {
 public:
  explicit LeastSquaresMethod(Workplace& at) : Method(at), penalty_(at.scan, at.options) {}

  static constexpr bool least_squares = true;
  static void check(const Scan& scan, const ReconOptions& options);
  static Tiles may_spill(const SpillCase& of);
  static Index iterations(const ReconOptions& options) { return options.cg_sense.iterations; }

 protected:
  /// The certificate of the first frame of each slice, with the image that was found.
  void certify_slice(const FrameGroup& group);
  /// The images of a group that regularizers hold together, with what comes along.
  void solve_regularized(const FrameGroup& group, const std::string& title, const SeriesProblem& problem,
                         const SliceWeights& weights);

  Penalty penalty_;

 private:
  std::set<int> certified_;  // slices
};

}  // namespace whorl::recon
