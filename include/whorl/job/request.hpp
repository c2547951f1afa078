// What a reconstruction is asked for: the scan and how it is read, what is corrected, how frames are made, the method, and the
// results. The program, the package of Python and servers fill it, and ReconJob does it.
#pragma once

#include <array>
#include <complex>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/job/corrections.hpp"
#include "whorl/job/file_or.hpp"
#include "whorl/job/lambda_request.hpp"
#include "whorl/op/saved_normals.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/subspace_basis.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// How frames are made, and what counts in them.
struct FrameRequest {
  FrameOptions frames{};
  FileOr<Array<double>> weights{};  ///< of the readouts or samples, as weigh_samples takes them
  bool are_made = false;            ///< the scan's frames come of make_frames: have few samples each

  bool are_small() const { return are_made || frames.any(); }
  bool weighs_samples() const { return weights.given() || frames.gating.soft > 0; }
};

template <>
WHORL_PUBLIC const OptionTable<FrameRequest>& option_table<FrameRequest>();

/// What a basis is made from.
enum class SubspaceSource { none, t2, t1, frames };

struct SubspaceRequest {
  FileOr<SubspaceBasis> basis{};                 ///< in a file: [frame, component]
  SubspaceSource from = SubspaceSource::none;    ///< in the place of a basis
  Index rank = 4;                                ///< components; of a basis in memory all count
  std::array<double, 2> relaxation_ms{10, 500};  ///< of the dictionary
  Index resolution = 16;                         ///< of the frames that make a basis

  bool any() const { return basis.given() || from != SubspaceSource::none; }
};

template <>
WHORL_PUBLIC const OptionTable<SubspaceRequest>& option_table<SubspaceRequest>();

/// The maps of the signal during the readout, and what is known of the gradients' concomitant field.
struct SignalRequest {
  FileOr<ReferenceImage> field_map{};
  FileOr<ReferenceImage> r2_star{};
  bool concomitant = false;
  double field_strength_t = 0;  ///< 0: that of the scan

  bool any() const { return field_map.given() || r2_star.given() || concomitant; }
};

template <>
WHORL_PUBLIC const OptionTable<SignalRequest>& option_table<SignalRequest>();

/// The files to write, by their names; empty: not asked for. Without any, results stay in memory.
struct ReconOutputs {
  std::string image;  ///< its record lies beside it
  std::string png;    ///< a picture of the magnitude
  std::string movie;
  std::string maps;   ///< of the coils
  std::string sets;   ///< images of the sets of nlinv
  std::string parts;  ///< of low-rank-sparse or ictv
  std::string normal;
  std::string gating;  ///< the signal
  std::string motion;  ///< the poses that were undone
  std::string readout_shifts;
  std::string subspace;         ///< the basis
  std::string subspace_frames;  ///< images of the frames
  std::string lambda_curve;     ///< a picture
  std::string standard_deviation;
  std::string g_factor;
  std::string bias;
  std::string truth_bar;
  std::string truth_bound;
  std::string point_spread;

  bool complex = false;           ///< images, not their magnitude
  bool bids = false;              ///< also what the scan says of the measurement
  std::vector<double> window;     ///< of pictures: black and white; empty: of the images
  Index tiles = 0;                ///< of pictures; 0: planes of volumes, else overview_tiles at most
  double frames_per_second = 10;  ///< of the movie
};

struct ReconRequest {
  FileOr<Scan> scan{};  ///< in memory it stays as it is; the data are copied
  /// Further scans of the same object for one image (ReconOptions::joint), read, corrected and cut into frames as the first, and
  /// moved to its place by their headers. In the names of maps, of arrays for corrections and of weights {} stands for the
  /// name of each scan (with_scan_name); without it they are those of all.
  std::vector<FileOr<Scan>> joint{};
  bool align_joint = false;  ///< find where the object lies in each further scan, by images, and undo it
  ScanReadOptions read{};
  Corrections corrections{};
  FrameRequest frames{};
  SubspaceRequest subspace{};
  SignalRequest signal{};
  LambdaRequest lambda{};
  ReconOptions recon{};                              ///< but for what follows from the rest
  std::vector<FileOr<ReferenceImage>> references{};  ///< they choose the prior as the penalty
  FileOr<ReferenceImage> support{};                  ///< for ImageSupport::image
  FileOr<Array<std::complex<float>>> maps{};         ///< of the coils, [coil, (z,) y, x]; they are CoilMapMethod::file
  FileOr<SavedNormals> normal{};                     ///< F^H F of each trajectory
  std::vector<std::vector<Index>> point_spreads{};   ///< voxels x, y(, z)
  bool says_maps_from = false;                       ///< recon.maps_from is the caller's choice
  std::string checkpoint{};                          ///< folder; empty: none
  double checkpoint_every = 60;                      ///< seconds from one state of the solver to the next
  /// Least squares has a field of view so many times as wide, and its images are cropped; 0: by the data, 1: that of the images. It
  /// has no effect where maps, normal operators or a support are given for that of the images.
  double widen = 0;
  bool dry_run = false;  ///< find what would be done
  ReconOutputs outputs{};
};

/// All options, those of the parts too, but for --prior, --psf and the filter, which no table describes.
template <>
WHORL_PUBLIC const OptionTable<ReconRequest>& option_table<ReconRequest>();

/// Sets what follows from the choices: the penalty and the maps of files, the weight of the penalty where none was given, and the
/// frames that maps are estimated from: all of them where frames are made anew, which have too few samples each. Weighted
/// samples are not joined. ReconJob does so; a request that is settled stays as it is.
/// Throws  ValueError (choices that contradict each other)
void settle(ReconRequest& request);

/// The files that are read for a request, with those that belong to them (the .hdr of a .cfl), each once.
std::vector<std::filesystem::path> files_read(const ReconRequest& request);

/// What is asked as soon as it is known which files are written for an output. Throws where one may not be.
using CheckWritten = std::function<void(const std::string& output, std::span<const std::filesystem::path> files)>;

}  // namespace whorl
