// From a scan to images: the main job.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "whorl/density/impulse_response.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl {

/// The lambda that was chosen for the frames of a slice, on the first of them.
struct SliceLambda {
  int slice = 0;
  LambdaChoice choice;
};

struct Reconstruction {
  Array<std::complex<float>> images;  ///< [frame, z, y, x], z = 1 in 2D; on the host
  std::vector<ImageFrame> frames;     ///< one for each image
  std::vector<SolverReport> reports;  ///< cg_sense: one for each image
  SavedNormals normals;               ///< where they were asked for, of each trajectory that the scan has
  std::vector<SliceLambda> lambdas;   ///< with options.lambda_search: one for each slice
  ErrorBars error_bars;               ///< those that the options ask for
  std::vector<std::pair<std::string, double>> stage_seconds;
  std::vector<std::string> notes;  ///< what was chosen and found, in sentences for people
};

/// Reconstructs every frame of a scan. The scan is used up: its data are prewhitened and compressed in place.
///
/// Both methods give images in one unit: that of x in A x = d, where A holds the (unitary, docs/conventions.md) Fourier
/// transform and the coil sensitivities with sum |s|^2 = 1, and d the data, which prewhitening has brought to a noise
/// of E|n|^2 = 1. Gridded images are scaled to it by least squares, from one forward transform of the first frame.
///
/// cg_sense solves (A^H A / s + lambda W^H W) x = A^H d / s, s the largest eigenvalue of A^H A and W that of the
/// penalty, so lambda means the same for any gain, number of coils and matrix; options.lambda_search chooses it by the
/// first frame of each slice. Frames with the same trajectory share a plan, frames of one slice share coil maps, which
/// come from the first of them. Reference images are resampled to the place of each frame
/// (whorl/prior/reference_image.hpp).
///
/// F^H F is a convolution where that is faster. It always is one by exact sums, and where its spectrum is given or
/// asked for: an image made with the spectrum that an earlier run of the same options gave is the same to the last bit.
///
/// The scan lies on the host. On a GPU its data go there once, and the images come back once.
///
/// Progress  one stage per step; Cancelled is thrown between iterations on request
/// Throws    ValueError (no frames, options out of range, weights asked for that are not there, lambda by the level of
///           noise in data that are not prewhitened), and what the parts throw
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
Reconstruction reconstruct(const Context& ctx, Scan scan, const ReconOptions& options = {});

/// Bytes of array memory on the context's device that reconstruct takes at its peak, the scan's data included.
Index reconstruction_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

}  // namespace whorl
