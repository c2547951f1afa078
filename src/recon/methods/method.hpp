// The methods of a reconstruction: what each does with a group of frames, and what memory it takes.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/finish_images.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joined/joined_scans.hpp"
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

class Method;

/// What a step or a method finds where it works: the scan, the parts of the reconstruction that are made already, and the result.
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

 protected:
  /// The certificate of the first frame of each slice, with the image that was found (least squares).
  void certify_slice(const FrameGroup& group);
  /// The images of a group that regularizers hold together, with what comes along.
  void solve_regularized(const FrameGroup& group, const std::string& title, const SeriesProblem& problem,
                         const SliceWeights& weights);

  Workplace& at_;

 private:
  std::set<int> certified_;  // slices
};

/// A method that the options can name: how it is made, and what it takes.
struct MethodEntry {
  std::unique_ptr<Method> (*make)(Workplace& at);
  /// Adds the stages of the method to those that come before it, and sets how much it does at a time.
  void (*add_memory)(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);
};

template <class Of>
constexpr MethodEntry method_entry() {
  return {[](Workplace& at) -> std::unique_ptr<Method> { return std::make_unique<Of>(at); }, &Of::add_memory};
}

/// The only place that decides which method works.
const MethodEntry& method_of(const ReconOptions& options);

extern const MethodEntry gridding_method;
extern const MethodEntry cg_sense_method;
extern const MethodEntry regularized_method;
extern const MethodEntry nlinv_method;
extern const MethodEntry subspace_method;

}  // namespace whorl::recon
