// A field of view wider than that of the images, for objects that reach beyond it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "whorl/comm/communicator.hpp"
#include "whorl/job/request.hpp"
#include "whorl/recon/reconstruction.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// Whether a request leaves the field of view of the solver open: no maps, normal operators or supports are given on that of the
/// images, nor kept.
bool may_widen(const ReconRequest& request);

/// The scan is solved on a wider matrix, with the voxels that its images have among them, and the results are cropped.
class WiderField {
 public:
  /// How wide, by the request or by the data of the first frame of each slice; none: as the images are. All ranks find the same.
  static std::optional<WiderField> find(const Context& host, Communicator& ranks, const ReconRequest& request,
                                        const Scan& scan);

  /// Widens the scan and what the options say of voxels; once, further calls do nothing.
  void widen(Scan& scan, ReconOptions& options);

  /// The places of the images.
  const std::vector<ImageFrame>& frames() const { return frames_; }

  /// Both matrices: "80 x 80 for images of 64 x 64".
  std::string told() const;

  /// Crops all images and maps of a result, on the host.
  void crop(Reconstruction& made) const;

 private:
  /// What the wide images are multiplied by: those of a unitary transform grow with the root of their voxels.
  double unit() const;

  WiderField(const Scan& scan, const ReconOptions& options, const std::array<double, 3>& factors, bool by_data);

  bool by_data_;
  std::array<Index, 3> matrix_;
  std::array<Index, 3> wide_;
  std::array<Index, 3> first_{};  // voxel of the wide matrix
  std::vector<ImageFrame> frames_;
  bool is_widened_ = false;
  bool is_filtered_ = false;
};

}  // namespace whorl::job
