// Frames that are reconstructed together.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/internal.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Frames, or images, from one to before another.
struct FrameRange {
  Index first = 0;
  Index last = 0;

  Index count() const { return last - first; }
};

/// The data of a frame: those of one scan, or of one of several that are solved together.
struct FramePart {
  const Trajectory& trajectory;
  ArrayRef<const std::complex<float>> data;  ///< [coil, sample]
  double share = 1;                          ///< of sum |s|^2 over all coils, in the mean over the image
};

/// Frames one after another at one place, most often with one trajectory, so that one model holds for all of them.
struct FrameGroup {
  Index first = 0;                      ///< index of the first of them
  std::span<const ScanFrame> frames{};  ///< refers to the scan
  FrameRange images{};                  ///< what they give: an image each, or those of coefficients (images_of)

  /// For people: "frame 3 of 8", "frames 3 to 6 of 8", or "reconstruction" where the scan has one frame.
  std::string title(const Scan& scan) const;
  bool has_one_trajectory() const;
};

/// Property that the frames of a group share: place and trajectory, or the place alone.
enum class FramesShare { trajectory, place };

/// With a subspace or regularizers that span frames it is the place alone.
FramesShare frames_share(const ReconOptions& options);
/// For frames that are solved together. Without regularizers each has its own steps, so that the place suffices.
FramesShare solved_share(const ReconOptions& options);

/// The images of frames that are sorted as they are solved: one of each, or with a subspace its components of each slice.
FrameRange images_of(const Scan& scan, FrameRange frames, const ReconOptions& options);
/// How many all frames give, which need not be sorted.
Index count_of_images(const Scan& scan, const ReconOptions& options);
/// Where these lie, in the order in which they are given.
WHORL_INTERNAL std::vector<ImageFrame> places_of_images(const Scan& scan, const ReconOptions& options);

/// The frames of a scan in groups of `most` at most, in their order.
std::vector<FrameGroup> frame_groups(const Scan& scan, Index most, FramesShare share = FramesShare::trajectory);
/// The groups of a range of frames.
std::vector<FrameGroup> frame_groups(const Scan& scan, FrameRange range, Index most, FramesShare share);

/// The slice of each frame.
std::vector<int> slices_of(const Scan& scan);
/// The frames of each slice, which need not be neighbors.
WHORL_INTERNAL std::map<int, std::vector<const ScanFrame*>> frames_of_slices(const Scan& scan);
/// Number of slices among those of some frames.
Index count_of_slices(std::span<const int> slices);

/// The positions of several trajectories one after another, on the host.
using Trajectories = std::vector<std::shared_ptr<const Trajectory>>;
std::shared_ptr<const Trajectory> one_after_another(const Context& ctx, const Trajectories& all);

/// The scan with its frames in an order; empty: as they are.
Scan in_order(Scan scan, const std::vector<std::size_t>& order);

/// The numbers of the frames in the order of their slices, in which the frames of a slice are neighbors.
std::vector<std::size_t> order_by_slice(const Scan& scan);

/// Whether the frames of a slice are solved one after another, or together: they are neighbors then.
bool is_sorted_by_slice(const ReconOptions& options);
/// The numbers of the frames in the order in which they are solved.
std::vector<std::size_t> solving_order(const Scan& scan, const ReconOptions& options);

}  // namespace whorl::recon
