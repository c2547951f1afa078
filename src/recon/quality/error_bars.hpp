// The error bars of a reconstruction, frame by frame.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "recon/least_squares_recon.hpp"
#include "recon/run.hpp"
#include "whorl/core/note.hpp"
#include "whorl/recon/error_bars.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/standard_deviation.hpp"
#include "whorl/recon/truth_error.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl::recon {

/// Throws ValueError where the options ask for what a scan or a method does not have.
void check_error_bars(const Scan& scan, const ReconOptions& options);

/// Bytes at the peak of the error bars of least squares with `batch` replicas, which are solved together, beside data, maps,
/// transform and penalty.
Index error_bar_memory(const ErrorBarOptions& options, const LeastSquaresSizes& sizes, Index batch);

/// Bytes on the host of what is kept from the first error bars of the truth on: five sums of each voxel.
Index kept_moments(const ErrorBarOptions& options, Index voxels);

/// Bytes of the results for so many images, on the host.
Index error_bar_results(const ErrorBarOptions& options, Index voxels, Index images);

/// A frame, and where its image is.
struct FrameImage {
  Index number;
  const ScanFrame& frame;
  ArrayRef<const std::complex<float>> maps;   ///< [coil, (z,) y, x]
  ArrayRef<const std::complex<float>> image;  ///< [(z,) y, x]
};

class ErrorBarMaker {
 public:
  /// `replicas` replicas are solved together. The scan is not referred to after that.
  ErrorBarMaker(const Context& ctx, const Scan& scan, const ReconOptions& options, Index replicas);

  /// Error bars of the least squares image of a model. Frames of one slice with the same trajectory and model share them,
  /// but for the bias.
  void add_least_squares(Run& run, const FrameImage& what, const RegularizedModel<float>& model, double lambda);

  /// The standard deviation of regularized images [frame, (z,) y, x] from frame `first` on, if there is one.
  void add_regularized(Index first, const StandardDeviation<float>& found);

  /// Error bars of `scale` times the matched combination of A^H diag(weights) d, by its formula: coils and samples have
  /// independent noise, so a voxel's variance is scale^2 sum_j w_j^2 / (voxels sum_c |s_c|^2).
  void add_gridding(Run& run, const FrameImage& what, ArrayRef<const float> weights, double scale);

  /// Says in `notes` what was found, given how the images themselves were solved for.
  ErrorBars take(const std::vector<SolverReport>& reports, Notes& notes);

 private:
  struct Shared {
    const Trajectory* trajectory = nullptr;
    int slice = 0;
    double eigenvalue = 0;
    double lambda = 0;
    friend bool operator==(const Shared&, const Shared&) = default;
  };

  LeastSquaresOptions solver(double lambda) const;
  void note_solve(const SolverReport& report);
  void set_noise(const Context& ctx, const FrameImage& what, ArrayRef<const float> standard_deviation);
  void repeat_noise(Index frame);
  void add_noise(const Context& ctx, const FrameImage& what, const RegularizedModel<float>& model, double lambda);
  void add_truth(const Run& run, const FrameImage& what, const RegularizedModel<float>& model, double lambda);
  void add_bias(const Context& ctx, const FrameImage& what, const RegularizedModel<float>& model, double lambda);
  void add_points(const Context& ctx, const RegularizedModel<float>& model, double lambda);

  ErrorBarOptions options_;
  ErrorBars result_;
  Shape image_;
  Shared noise_of_;
  Index noise_frame_ = 0;
  Shared moments_of_;
  ErrorMoments moments_;
  bool said_truth_ = false;
  bool said_truth_doubt_ = false;
  Notes said_;
  double residual_ = 0;
  bool regularized_ = false;
};

}  // namespace whorl::recon
