// The options of a reconstruction.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/comm/communicator.hpp"
#include "whorl/core/array.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/saved_normals.hpp"
#include "whorl/prior/edge_weights.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/recon/error_bar_options.hpp"
#include "whorl/recon/frame_store.hpp"
#include "whorl/recon/joint_scan.hpp"
#include "whorl/recon/kept_plans.hpp"
#include "whorl/recon/lambda_search.hpp"
#include "whorl/recon/regularizer.hpp"
#include "whorl/recon/signal_options.hpp"
#include "whorl/scan/frame_data.hpp"

namespace WHORL_PUBLIC whorl {

enum class ReconMethod {
  gridding,  ///< density compensation, adjoint NUFFT, coil combination
  cg_sense,  ///< least squares with coil sensitivities, by conjugate gradient
  nlinv,     ///< image and coil sensitivities together (Nlinv); the frames of a slice one after another
};

enum class CoilMapMethod {
  espirit,
  walsh,
  nlinv,  ///< with an image, from all of the data (Nlinv): for scans without a calibration region
  file,   ///< those that came with the scan (Scan::coil_maps)
};

/// The data that coil maps are estimated from.
enum class CoilMapData {
  first_frame,  ///< of the slice
  all_frames,   ///< of the slice: their average over time, for frames that alone have too few samples
};

/// The transform between images and samples: the NUFFT, or exact sums, which take long on a CPU.
enum class TransformMethod { nufft, exact };

enum class CombinationMethod { root_sum_of_squares, matched };

/// The part of the images that is set to 0.
enum class ImageMask {
  automatic,      ///< the corners, with gridding and if copies of the object alias into them (corners_alias)
  field_of_view,  ///< the corners: all but the ellipse or ellipsoid inscribed in the field of view
  none,
};

/// Region where the images may differ from 0. The unknowns of every solver, with any penalty, are the voxels there; the others are
/// held at 0. Gridded images are set to 0 afterwards.
enum class ImageSupport {
  automatic,  ///< everywhere; of gridded images as `mask` says
  ball,       ///< the ellipse or ellipsoid inscribed in the field of view
  image,      ///< where ReconOptions::support_image is above 1/2
  none,       ///< everywhere; gridded images keep their corners too
};

/// W in the penalty lambda |W x|^2 of least squares.
enum class PenaltyKind {
  tikhonov,    ///< W = 1: small values
  smoothness,  ///< first differences (WeightedDifferences): similar neighbors
  prior,       ///< first differences weighted by reference images (edge_weights): similar neighbors within a tissue
};

/// Work on the images [frame, z, y, x] of a reconstruction, on its device: filters, for example
/// (whorl/filter/complex_images.hpp).
struct ImageHook {
  std::string name;  ///< for messages and records
  /// Called before the reconstruction; throws if images of this shape would be refused.
  std::function<void(const Shape& images)> check;
  /// Returns the new images, which have the shape and the device of `images`.
  std::function<Array<std::complex<float>>(const Context&, const Array<std::complex<float>>& images)> apply;
};

/// Place for arrays that do not fit into the context's memory. A GPU spills to the host.
struct SpillOptions {
  std::string folder{};       ///< for temporary files; empty: temporary_folder() (whorl/core/mapped_array.hpp)
  bool data_in_file = false;  ///< the data of the scan lie in such files already (mapped_array)
};

/// Resources of a reconstruction beside its choices: objects of the caller that live while it runs. The images are those of the
/// choices, but where `normals` and `plans` have values of earlier scans: F^H F, eigenvalues, maps, places of references.
struct ReconResources {
  /// F^H F of each trajectory of the scan, from an earlier run (cg_sense, nlinv); none: computed.
  std::shared_ptr<const SavedNormals> normals{};
  std::shared_ptr<KeptPlans> plans{};  ///< takes over plans of earlier reconstructions; none: plans are made
  /// Takes finished frames, and gives those of an earlier run (cg_sense); none: all are solved.
  std::shared_ptr<FrameStore> finished{};
  /// Ranks that reconstruct together; none: this process alone. All ranks call reconstruct with the same scan and options. Rank 0
  /// has the result, the others get one without images. Frames are shared first, then the coils of each.
  std::shared_ptr<Communicator> ranks{};
  /// Reads the data of a scan whose frames have no samples: asked once, for those that this rank needs. None: they are there.
  FrameData frame_data{};
  SpillOptions spill{};
  /// Told of images [z, y, x] on the host as they become final, by the thread that reconstructs. An image stays as it is and
  /// where it is: it becomes a part of Reconstruction::images. Not every image is told of: none where images are final
  /// only together (filters, several processes or devices, frames that are sorted by slice first).
  std::function<void(Index frame, ArrayRef<const std::complex<float>> image)> on_image{};
};

/// Options of the method gridding alone.
struct GriddingChoices {
  CombinationMethod combination = CombinationMethod::root_sum_of_squares;
};

/// Least squares (cg_sense), also with regularizers and within a subspace.
struct CgSenseChoices {
  int iterations = 500;  ///< at most
  /// Stop at this relative residual. Automatic, below 0: where the error is small against the noise (noise_limit), and 1e-4 where
  /// the noise is not known.
  double tolerance = -1;
  double lambda = 1e-4;  ///< weight of the penalty, for an encoding operator of norm 1 (docs/explain/lambda.md)
  std::optional<LambdaSearchOptions> lambda_search{};  ///< chooses lambda from the data, instead of `lambda`

  PenaltyKind penalty = PenaltyKind::tikhonov;
  std::vector<std::shared_ptr<const ReferenceImage>> references{};  ///< one or more, for prior only
  EdgeOptions edges{};
  /// Moves each reference to where an image of the first frame of each slice shows the object (align_reference).
  bool align_references = false;
};

/// Terms of least squares (cg_sense) besides that of lambda.
struct RegularizedChoices {
  /// Each with its weight. The tolerance then applies to the sum of the primal and the dual residual. Terms that span frames
  /// couple all frames of a slice, also frames with different trajectories. None: conjugate gradient.
  std::vector<Regularizer> terms{};
  double change = 0;  ///< stop where an iteration changes the images by at most this; 0: do not
  RegularizedSolver solver = RegularizedSolver::automatic;
  bool keep_parts =
      false;  ///< return the two parts of each image in Reconstruction::parts: one of ictv, low-rank-sparse
};

struct SubspaceBasis;

/// The choices of a reconstruction, and the resources that it works with. What several methods have stands here, what one
/// method has in its struct.
struct ReconOptions {
  ReconMethod method = ReconMethod::cg_sense;

  bool prewhiten = true;    ///< with the noise scan or, without one, the edge of k-space
  bool judge_noise = true;  ///< leave out a noise scan that is not that of the data (doubt_about_noise)
  /// Standard deviation of the noise in a sample of data that are not prewhitened, whose coils have noise alike and independent; 0:
  /// not known.
  double noise = 0;
  Index virtual_coils = 0;  ///< number of virtual coils after compression; 0: keep all coils

  DensityMethod density = DensityMethod::automatic;
  DensityOptions density_options{};

  CoilMapMethod coil_maps = CoilMapMethod::espirit;
  CoilMapData maps_from = CoilMapData::first_frame;  ///< but of a file
  Index calibration = 24;  ///< extent of the calibration region along each axis, in cycles per field of view
  EspiritOptions espirit{};
  WalshOptions walsh{};
  NlinvOptions nlinv{};    ///< the method nlinv's, and those of the coil maps, which take one set
  bool keep_maps = false;  ///< return the coil maps in Reconstruction::coil_maps

  GriddingChoices gridding{};
  CgSenseChoices cg_sense{};
  RegularizedChoices regularized{};

  /// cg_sense: frame t of a slice is sum_k basis[t, k] x_k, and the images are the coefficients x_k
  /// [slice and component, z, y, x], by least squares over the data of all frames:
  ///
  ///   |A x - d|^2 / (2 s) + lambda/2 |W x|^2 + regularizers of x
  ///
  /// for A = Subspace (op/subspace.hpp) after coil maps and s its largest eigenvalue. Regularizers and progress take the
  /// components for frames, and so does ImageFrame::index, as contrasts. Coil maps come from all frames (`maps_from` has no
  /// effect). Neither fields, exact sums, saved normals and certificates go with it, nor a lambda by the power spectrum,
  /// nor error bars but the standard deviation with regularizers. None: images of the frames.
  std::shared_ptr<const SubspaceBasis> subspace{};

  /// cg_sense: further scans of the same object. Frame t of each slice is one image for all scans, by least squares over their
  /// data:
  ///
  ///   sum_s |A_s x - d_s|^2 + lambda s |W x|^2 + regularizers of x
  ///
  /// The coils of all scans count as one set, each with the trajectory of its scan. Each scan is prewhitened with its own noise,
  /// which so weighs it. Coil maps are those of the whole set: ESPIRiT from the centers of all scans, or those that came with
  /// them. So they have the gain and the phase of each scan beside the others, which vary as smoothly as coils do. Virtual coils
  /// are so many of each scan. Neither other maps, subspaces, saved normals, certificates and the g-factor go with it, nor
  /// several ranks. None: this scan alone.
  std::vector<JointScan> joint{};

  /// The transform of the reconstruction; density weights and the calibration of coil maps always use the NUFFT.
  TransformMethod transform = TransformMethod::nufft;
  NufftOptions nufft{.tolerance = 0};  ///< a tolerance of 0 is chosen (nufft_tolerance)
  /// A^H A of cg_sense and nlinv (in place of nufft.normal); automatic: the faster way. On a GPU, and of nlinv, what does not
  /// fit into memory as a convolution is made a pair of transforms, which in 3D take less.
  NormalMethod normal = NormalMethod::automatic;

  /// Off-resonance and decay during the readout; without maps there are none.
  SignalOptions signal{};

  bool keep_normals = false;  ///< return F^H F in Reconstruction::normals (cg_sense, nlinv)
  ErrorBarOptions error_bars{};
  /// Random samples of the first frame of each slice that are computed by the exact model, to state the error of the
  /// encoding (certify); 0: none, cg_sense only.
  Index certified_samples = 0;
  ImageMask mask = ImageMask::automatic;  ///< of images and error bars
  ImageSupport support = ImageSupport::automatic;
  std::shared_ptr<const ReferenceImage> support_image{};  ///< for ImageSupport::image only

  /// Applied to the images on the device, before the copy to the host; none: nothing. Error bars stay those of the
  /// unfiltered images.
  std::optional<ImageHook> filter{};

  ReconResources resources{};
};

/// The tolerance of the reconstruction's NUFFT: that of the options, or if it is 0, 1e-3 for gridding and nlinv, and for
/// cg_sense
///
///   0.01 sqrt(max(lambda, 1e-6)), at most 1e-3
///
/// where a lambda that is chosen from the data counts as 1e-6. Least squares amplifies the error of A: that of A^H d is at most
/// tolerance |A| |d|. It makes an error of the image of at most tolerance |d| / sqrt(lambda), in the norm in which the noise
/// is that of a sample for each degree of freedom (noise_limit). So the error stays below a tenth of the noise where the
/// root mean square of a sample is up to 10 times its noise, whatever direction the error has. Beyond that it does where it
/// is spread over the image's modes.
WHORL_PUBLIC double nufft_tolerance(const ReconOptions& options);

/// Whether the images are made with coil maps that are there before: least squares, and gridding with matched combination.
WHORL_PUBLIC bool needs_coil_maps(const ReconOptions& options);

/// Whether solvers keep to a support, ball or image.
WHORL_PUBLIC bool has_support(const ReconOptions& options);

}  // namespace whorl
