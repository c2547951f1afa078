// The methods of a reconstruction: what each does with a group of frames, and what memory it takes.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "recon/encoding/encoding.hpp"
#include "recon/finish_images.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joined/joined_scans.hpp"
#include "recon/methods/entry.hpp"
#include "recon/methods/memory_sizes.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/ranks/group_encodings.hpp"
#include "recon/ranks/share.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/run.hpp"
#include "recon/tiles/frame_images.hpp"
#include "recon/tiles/spill.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::recon {

/// Surroundings of a step or method: the scan, the parts of the reconstruction that are made already, and the result.
struct Workplace {
  Scan& scan;                      ///< with its frames in the order in which they are solved
  const std::vector<int>& slices;  ///< of each frame
  const ReconOptions& options;     ///< those that the stages work by (working_options)
  const SignalOptions& signal;     ///< as it was given
  const Tiles& tiles;
  Index frames_together;
  Index spilled_solver_bytes;
  Run& run;
  Share& share;
  const Spill& spill;
  JoinedScans& joined;  ///< the scans, where they are several
  Encodings& encodings;
  FrameImages& images;
  ImageFinish& finish;
  const FinishedFrames& finished;
  ErrorBarMaker& error_bars;
  Reconstruction& result;
  std::unique_ptr<Method> method{};               ///< that solves the groups
  const FrameGroup* next = nullptr;               ///< the group that comes after the one at work, or null
  std::optional<int> slice{};                     ///< the number of the slice at work
  std::shared_ptr<const Array<float>> support{};  ///< where its images may differ from 0; null: everywhere
  Array<std::complex<float>> maps{};              ///< of that slice, all coils; none where the method asks for none
  Array<std::complex<float>> own_maps{};          ///< those of this rank's coils

  Shape image() const { return scan.image_shape(); }
  Index number_of(const ScanFrame& frame) const { return &frame - scan.frames.data(); }
  const ScanFrame& first_of_slice(Index frame) const {
    return scan.frames[static_cast<std::size_t>(recon::first_of_slice(slices, frame))];
  }
  FrameImage frame_image(Index frame) const {
    return {frame, scan.frames[static_cast<std::size_t>(frame)], maps, images.of(frame)};
  }
  /// This rank's part of the encoding of a frame, whose data are `known` to all ranks or not.
  EncodingPart part_of(const ScanFrame& frame, bool known) {
    return frame_part(run, share, encodings, own_maps, scan.coils, frame, known);
  }
};

/// Makes the images of the groups of a scan, in their order.
class Method {
 public:
  explicit Method(Workplace& at) : at_(at) {}
  virtual ~Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  /// Before the first group of a slice: forgets what the frames of the slice before shared.
  virtual void enter_slice(const FrameGroup& /*group*/) {}
  /// What the transform is planned for, where `first` is the first frame of a slice.
  virtual const ScanFrame& planned(const ScanFrame& first) {
    return first;  // NOLINT(bugprone-return-const-ref-from-parameter): a frame of the scan
  }
  /// The images of a group, into those of the workplace.
  virtual void solve(const FrameGroup& group) = 0;
  /// The coil maps of the slice's images, on the run's device.
  virtual Array<std::complex<float>> maps() { return at_.maps.share(); }

  // What MethodEntry says of a method. A class has its own in the place of those that differ.
  static constexpr bool grids = false;
  static constexpr bool makes_maps = false;
  static constexpr bool least_squares = false;
  static constexpr bool frames_apart = false;

 protected:
  Workplace& at_;
};

template <class Of>
constexpr MethodEntry method_entry() {
  return {.make = [](Workplace& at) -> std::unique_ptr<Method> { return std::make_unique<Of>(at); },
          .add_memory = &Of::add_memory,
          .check = &Of::check,
          .may_spill = &Of::may_spill,
          .iterations = &Of::iterations,
          .grids = Of::grids,
          .makes_maps = Of::makes_maps,
          .least_squares = Of::least_squares,
          .frames_apart = Of::frames_apart};
}

}  // namespace whorl::recon
