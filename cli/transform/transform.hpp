// The transform between images and samples, as two commands need it: fast (nufft) and exact (dft).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::cli {

enum class TransformKind { nufft, dft };

struct TransformOptions {
  TransformKind kind = TransformKind::nufft;
  NufftOptions nufft;                                ///< for nufft alone
  DftOptions dft;                                    ///< for dft alone
  LeastSquaresOptions solver;                        ///< for the inverse alone
  std::optional<LambdaSearchOptions> lambda_search;  ///< for the inverse: chooses lambda by the first frame
  bool weighted = false;                             ///< adjoint: of the samples times the density weights
};

/// Samples of images along the trajectories of a scan without data, [frame, coil, sample]. Frames of images and of
/// trajectories belong to each other; one image is sampled along all trajectories, and one trajectory samples all
/// images.
/// Shapes  images [frame, coil, z, y, x]
/// Throws  ShapeError (frames that do not fit each other), and what the operators throw
template <class Real>
std::vector<Array<std::complex<Real>>> transform_forward(const Context& ctx, ArrayRef<const std::complex<Real>> images,
                                                         const Scan& trajectories, const TransformOptions& options);

/// Images [frame, coil, z, y, x] from samples, one array [coil, sample] for each frame of the scan.
template <class Real>
Array<std::complex<Real>> transform_adjoint(const Context& ctx, const Scan& scan,
                                            const std::vector<Array<std::complex<Real>>>& samples,
                                            const TransformOptions& options);

template <class Real>
struct LeastSquaresImages {
  Array<std::complex<Real>> images;    ///< [frame, coil, z, y, x]
  std::vector<SolverReport> reports;   ///< of each frame
  std::optional<LambdaChoice> lambda;  ///< where it was chosen
};

/// Images whose samples are nearest to those given, by least squares, each coil for itself.
template <class Real>
LeastSquaresImages<Real> transform_inverse(const Context& ctx, const Scan& scan,
                                           const std::vector<Array<std::complex<Real>>>& samples,
                                           const TransformOptions& options);

}  // namespace whorl::cli
