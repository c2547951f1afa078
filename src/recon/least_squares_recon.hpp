// Reconstruction by least squares.
#pragma once

#include <algorithm>
#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include "recon/frame_groups.hpp"
#include "recon/run.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/core/note.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::recon {

/// Weight of the penalty of a slice, found from its first frame.
struct SliceWeight {
  double eigenvalue = 1;               ///< the largest of A^H A: the unit of lambda
  double lambda = 0;                   ///< given, or chosen
  std::optional<LambdaChoice> choice;  ///< where the frame's data chose it
};

/// Lambda by the search of the options. For data that are 0 a prior takes usual_lambda_of_differences, and says so.
LambdaChoice searched_lambda(const Run& run, const RegularizedModel<float>& model,
                             ArrayRef<const std::complex<float>> data, const ReconOptions& options);

/// The weight of a model, whose eigenvalue is not known yet. Where the options have lambda chosen, the frame's data do that, unless it was
/// before. `parts`: the same data, of each scan (Encodings::parts_of). `scan` has all frames of the slice.
SliceWeight slice_weight(Run& run, RegularizedModel<float> model, const Scan& scan, const ScanFrame& frame,
                         const std::vector<FramePart>& parts, const ReconOptions& options,
                         const LambdaChoice* chosen_before);

/// When least squares ends: as the options say, or where the error is small against the run's noise.
LeastSquaresOptions solver_options(const Run& run, const ReconOptions& options, double lambda);

/// CG-SENSE of the frames of a group, solved together, with the encoding of each, into `images` [frame, (z,) y, x]; `title`
/// names them in the progress. `states`: where the solver keeps its state, or null.
std::vector<SolverReport> least_squares_images(Run& run, const std::string& title, const RegularizedModel<float>& model,
                                               const std::vector<Operator<float>>& encodings, double lambda,
                                               const FrameGroup& group, const ReconOptions& options,
                                               SolverStates<float>* states, ArrayRef<std::complex<float>> images);

/// Numbers from which the memory of least squares follows.
struct LeastSquaresSizes {
  NufftMemory transform;
  Index voxels = 0;
  Index axes = 2;     ///< of an image
  Index data = 0;     ///< bytes of a frame's
  Index between = 0;  ///< bytes of the coils' images before and after a transform that makes them; a NUFFT makes none
  bool penalized = false;  ///< by an operator
  NufftMemory beside;      ///< that of one of several frames whose operators run side by side
  std::function<Index(Index frames)> at_once = [](Index) { return Index{1}; };  ///< how many of some frames do so

  /// Bytes that A^H and A^H A of some frames take beside their result.
  Index adjoint(Index frames = 1) const {
    return std::max(transform.adjoint + between, at_once(frames) * (beside.adjoint + between));
  }
  Index normal(Index frames = 1) const {
    return std::max(transform.normal + 2 * between, at_once(frames) * (beside.normal + 2 * between));
  }
};

/// Bytes at the peak of least squares of `frames` frames together, beside data, maps, transform and penalty: the
/// right-hand side, which becomes the residual, the direction and its image, and the direction under the penalty.
Index least_squares_memory(const LeastSquaresSizes& sizes, Index frames);
/// Bytes at the peak of a search for lambda by a curve, for `images` images that are solved for as one.
Index search_memory(const LeastSquaresSizes& sizes, const LambdaSearchOptions& search, Index images);
/// Adds the largest eigenvalue and a search for lambda, which has `data` bytes of spilled samples there.
void add_slice_weight(MemoryPlan& plan, const LeastSquaresSizes& sizes, const ReconOptions& options, Index data);

/// Which lambda were chosen and why, for people: that of the first slice, and the range of all.
void note_lambdas(const std::vector<SliceLambda>& lambdas, Notes& notes);

}  // namespace whorl::recon
