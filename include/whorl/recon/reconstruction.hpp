// Results of a reconstruction.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/note.hpp"
#include "whorl/op/saved_normals.hpp"
#include "whorl/recon/certificate.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/error_bars.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/solver/solver_report.hpp"

namespace WHORL_PUBLIC whorl {

/// The lambda for the frames of a slice, chosen from the first of them.
struct SliceLambda {
  int slice = 0;
  LambdaChoice choice;
};

struct Reconstruction {
  Array<std::complex<float>> images;      ///< [frame, z, y, x], z = 1 in 2D; on the host
  std::vector<ImageFrame> frames;         ///< one for each image
  std::vector<SolverReport> reports;      ///< cg_sense, nlinv: one for each image. The residuals of nlinv are misfits
                                          ///< (NlinvStep), its iterations those of all steps
  Array<std::complex<float>> set_images;  ///< nlinv with several sets: [frame, set, z, y, x], on the host
  /// Parts of the images, with options.regularized.keep_parts: [frame, part, z, y, x], on the host. low-rank-sparse: low rank, sparse; ictv: few edges
  /// in space, few changes in time. Their sum is the image, but for a filter, which they do not pass.
  Array<std::complex<float>> parts;
  Array<std::complex<float>> coil_maps;  ///< with options.keep_maps: [slice, set, coil, z, y, x], on the host; those of
                                         ///< nlinv are of the last frame of each slice
  SavedNormals normals;                  ///< with options.keep_normals: of each trajectory of the scan
  std::vector<SliceLambda> lambdas;      ///< with options.cg_sense.lambda_search: one for each slice
  std::vector<Certificate> certificates;  ///< with options.certified_samples: one for each slice
  ErrorBars error_bars;                   ///< those of options.error_bars
  std::vector<std::pair<std::string, double>> stage_seconds;
  Notes notes;  ///< sentences: choices and findings
};

}  // namespace whorl
