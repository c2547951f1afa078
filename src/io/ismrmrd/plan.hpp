// The destination of each acquisition: noise, a frame, or none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/internal.hpp"
#include "io/ismrmrd/source.hpp"
#include "whorl/core/note.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

struct FramePlan {
  FrameIndex index;
  std::vector<Index> acquisitions;  ///< in file order
  Index samples = 0;                ///< without those to be discarded
  Index readout_length = 0;         ///< 0 where readouts differ
};

/// The destination of the samples of one acquisition.
struct Destination {
  enum class Kind { skipped, noise, frame };
  Kind kind = Kind::skipped;
  std::size_t frame = 0;
  Index offset = 0;  ///< first sample
};

struct AcquisitionPlan {
  Index coils = 0;
  Index noise_samples = 0;
  double noise_dwell_us = 0;
  int trajectory_dimensions = 0;
  std::vector<FramePlan> frames;          ///< ordered by FrameIndex
  std::vector<Destination> destinations;  ///< one per acquisition
  std::vector<Index> calibration;         ///< acquisitions that are left out for being flagged as calibration alone
  Notes notes;
};

/// The frame that the counters of a readout name.
FrameIndex frame_index(const AcquisitionCounters& idx);

/// Gives the acquisitions of the frames their destinations, and the frames what follows from their acquisitions.
void place_frames(AcquisitionPlan& plan, const std::vector<AcquisitionHead>& heads);

enum class ReadoutUse { image, noise, none };

/// What an acquisition is for, by itself. Throws ValueError as plan_acquisitions.
WHORL_INTERNAL ReadoutUse use_of(const AcquisitionHead& head, const ScanReadOptions& options);

/// Whether any of them is of an image, as plan_acquisitions sees all of them together.
WHORL_INTERNAL bool have_image(const std::vector<AcquisitionHead>& heads, const ScanReadOptions& options);

/// Why an acquisition is for none: "flagged as ...", "of encoding 1", "without samples".
WHORL_INTERNAL std::string reason_to_skip(const AcquisitionHead& head, const ScanReadOptions& options);

/// Acquisitions that were left out, counted by the reason.
using SkippedCounts = std::map<std::string, Index>;

/// What to do about acquisitions that were left out by their flags or encoding.
inline constexpr std::string_view skipped_advice =
    "keep-flags takes readouts in spite of a flag, and encoding those of another one";

WHORL_INTERNAL Notes notes_on_skipped(const SkippedCounts& skipped);

/// Throws IoError for a measurement without an image: what is there instead, and what to do.
[[noreturn]] WHORL_INTERNAL void refuse_without_image(const SkippedCounts& skipped, std::size_t noise,
                                                      const std::string& file);

/// Sorts the acquisitions, as the options say of flags and encoding. Throws IoError for headers that contradict themselves or
/// each other and where no readout is of an image, ValueError for the name of a flag that is none.
AcquisitionPlan plan_acquisitions(const std::vector<AcquisitionHead>& heads, const ScanReadOptions& options,
                                  const std::string& file);

}  // namespace whorl::io
