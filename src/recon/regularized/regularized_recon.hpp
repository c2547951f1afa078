// Reconstruction by least squares with regularizers.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "recon/encoding/encoding.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/run.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/regularized_noise.hpp"

namespace whorl::recon {

/// Throws ValueError for regularizers that do not go with the other options.
void check_regularizers(const ReconOptions& options);

/// Solution of regularized least squares.
RegularizedOptions regularized_options(const ReconOptions& options);

/// An encoding for arrays of the solver: staged where these are spilled.
Operator<float> for_solver(const Run& run, Operator<float> op);

/// The encoding of all frames of a group, for arrays of the solver, [frame, (z,) y, x] to their data.
Operator<float> frames_encoding(Run& run, const FrameGroup& group, Encodings& encodings,
                                Array<std::complex<float>>& maps);

/// Weights that the groups of a slice share: the data of the first group set them.
struct SliceWeights {
  double unit = 0;                          ///< of weights
  std::vector<Regularizer> regularizers{};  ///< with weights that were chosen
  std::optional<LambdaChoice> choice{};
};

/// Images that terms hold together, as one problem.
struct SeriesProblem {
  RegularizedModel<float> model;
  Array<std::complex<float>> b;                      ///< A^H d / s, [image, (z,) y, x]
  double constant = 0;                               ///< |d|^2 / (2 s)
  std::function<Array<std::complex<float>>()> data;  ///< d, where a weight is chosen from it
};

/// The terms for each of some images.
std::vector<QuadraticPenalty<float>> repeated(const std::vector<QuadraticPenalty<float>>& one, Index count);

struct RegularizedImages {
  SolverReport report;
  Array<std::complex<float>> parts;  ///< [frame, part, (z,) y, x] on the host, if they were asked for
  StandardDeviation<float> noise;    ///< [frame, (z,) y, x], if it was asked for
};

/// The problem of a group's frames. The model's encoding is that of all frames, its penalties are those of one image.
SeriesProblem problem_of(const Run& run, const RegularizedModel<float>& model, const FrameGroup& group);

/// Sets what the groups of a slice share, unless it is known, from the problem of the first of them, at the positions of its
/// first frame. 2^run.exponent brings the data into the unit of their noise.
void find_weights(Run& run, const SeriesProblem& problem, const Trajectory& trajectory, const ReconOptions& options,
                  SliceWeights& weights);

/// The images of a group into `images` [image, (z,) y, x], with weights that are found. Finished frames are not solved again,
/// unless error bars follow, which start from the solver's state.
RegularizedImages regularized_images(Run& run, const std::string& title, const SeriesProblem& problem,
                                     const FrameGroup& group, const ReconOptions& options, const SliceWeights& weights,
                                     const FinishedFrames& finished, ArrayRef<std::complex<float>> images);

/// Puts the parts of a group, the first of which is frame `first` of `frames`, into those of all frames; none: nothing.
void put_parts(const Context& host, const Array<std::complex<float>>& parts, Index first, Index frames,
               Array<std::complex<float>>& all);

}  // namespace whorl::recon
