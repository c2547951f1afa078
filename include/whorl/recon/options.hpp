// What a reconstruction may be told.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/core/array.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/saved_normals.hpp"
#include "whorl/prior/edge_weights.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/error_bars.hpp"

namespace whorl {

enum class ReconMethod {
  gridding,  ///< density compensation, adjoint NUFFT, coil combination
  cg_sense,  ///< least squares with coil sensitivities, by conjugate gradient
};

enum class CoilMapMethod {
  espirit,
  walsh,
  file,  ///< those that came with the scan (Scan::coil_maps)
};

/// How images become samples and back: by the NUFFT, or by the exact sums term by term, which take long on a CPU.
enum class TransformMethod { nufft, exact };

enum class CombinationMethod { root_sum_of_squares, matched };

/// Which part of the images is set to 0.
enum class ImageMask {
  automatic,      ///< with gridding the corners where they alias (corners_alias): copies of the object lie there
  field_of_view,  ///< the corners: all but the ellipse or ellipsoid inscribed to the field of view
  none,
};

/// W in the penalty lambda |W x|^2 of least squares.
enum class PenaltyKind {
  tikhonov,    ///< W = 1: small values
  smoothness,  ///< first differences (WeightedDifferences): neighbors alike
  prior,       ///< first differences with the weights of reference images (edge_weights): neighbors in a tissue alike
};

/// Work on the images [frame, z, y, x] of a reconstruction, on its device: filters, for example
/// (whorl/filter/complex_images.hpp).
struct ImageHook {
  std::string name;  ///< what messages and records call it
  /// Throws, before the reconstruction begins, where it would not take images of this shape.
  std::function<void(const Shape& images)> check;
  /// The images in its place, of the same shape and on the same device.
  std::function<Array<std::complex<float>>(const Context&, const Array<std::complex<float>>& images)> apply;
};

struct ReconOptions {
  ReconMethod method = ReconMethod::cg_sense;

  bool prewhiten = true;    ///< from the noise scan, or from the edge of k-space where there is none
  Index virtual_coils = 0;  ///< compress to so many coils; 0: keep all

  DensityMethod density = DensityMethod::automatic;
  DensityOptions density_options{};

  CoilMapMethod coil_maps = CoilMapMethod::espirit;
  Index calibration = 24;  ///< extent of the calibration region along each axis, in cycles per field of view
  EspiritOptions espirit{};
  WalshOptions walsh{};
  CombinationMethod combination = CombinationMethod::root_sum_of_squares;  ///< gridding alone

  int iterations = 30;
  double tolerance = 1e-4;  ///< of the relative residual
  double lambda = 1e-4;     ///< weight of the penalty, for an encoding operator of norm 1 (docs/conventions.md)
  std::optional<LambdaSearchOptions> lambda_search{};  ///< chooses lambda from the data, in place of the number

  PenaltyKind penalty = PenaltyKind::tikhonov;
  std::vector<std::shared_ptr<const ReferenceImage>> references{};  ///< prior alone, and at least one
  EdgeOptions edges{};

  /// Of the reconstruction; density weights and the calibration of coil maps take the NUFFT.
  TransformMethod transform = TransformMethod::nufft;
  NufftOptions nufft{.tolerance = 1e-3};

  /// F^H F of each trajectory of the scan, from an earlier run (cg_sense); none: made anew.
  std::shared_ptr<const SavedNormals> normals{};
  bool keep_normals = false;  ///< give them back, Reconstruction::normals (cg_sense)
  ErrorBarOptions error_bars{};
  ImageMask mask = ImageMask::automatic;  ///< of images and error bars

  /// What is done to the images on the device, before they come back; none: nothing. It does not touch the error bars,
  /// which are those of the images before it.
  std::optional<ImageHook> filter{};
};

}  // namespace whorl
