#include "io/ismrmrd/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "io/ismrmrd/flags.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

std::string were_left_out(Index count, std::string_view which) {
  return count == 1 ? fmt::format("1 acquisition {} was left out", which)
                    : fmt::format("{} acquisitions {} were left out", count, which);
}

/// The numbers of flags as bits.
template <class... Number>
constexpr std::uint64_t bits_of(Number... number) {
  return ((std::uint64_t{1} << static_cast<unsigned>(number - 1)) | ...);
}

/// Flags of readouts that are not of an image.
constexpr std::uint64_t skipped_flags =
    bits_of(ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA, ISMRMRD::ISMRMRD_ACQ_IS_PHASECORR_DATA,
            ISMRMRD::ISMRMRD_ACQ_IS_HPFEEDBACK_DATA, ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA,
            ISMRMRD::ISMRMRD_ACQ_IS_RTFEEDBACK_DATA, ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA,
            ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION_REFERENCE, ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION,
            ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION);

/// Sorts acquisitions by their flags, and counts those that are of no image.
class Selection {
 public:
  Selection(const ScanReadOptions& options)
      : encoding_(options.encoding),
        keep_(flag_bits(options.keep_flags, "keep-flags")),
        drop_(flag_bits(options.drop_flags, "drop-flags")) {
    if (const std::uint64_t both = keep_ & drop_; both != 0) {
      throw ValueError(
          fmt::format("keep-flags, drop-flags: {} is to be kept and dropped", flag_name(flags_in(both)[0])));
    }
  }

  bool is_noise(const AcquisitionHead& head) const {
    return head.flag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT) && (head.flags & drop_) == 0 &&
           (keep_ & bits_of(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT)) == 0;
  }

  /// Why an acquisition has no samples of an image; empty if it has. Does not test for noise.
  std::string reason_to_skip(const AcquisitionHead& head) const {
    std::uint64_t against = (head.flags & skipped_flags & ~keep_) | (head.flags & drop_);
    // Calibration that is image as well
    if (head.flag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING)) {
      against &= ~bits_of(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION) | drop_;
    }
    if (against != 0) return fmt::format("flagged as {}", flag_name(flags_in(against).front()));
    if (head.encoding_space_ref != encoding_) return fmt::format("of encoding {}", head.encoding_space_ref);
    return head.kept() == 0 ? "without samples" : "";
  }

  /// Whether the flag of calibration alone keeps an acquisition out of the image.
  bool is_calibration(const AcquisitionHead& head) const {
    AcquisitionHead other = head;
    other.flags &= ~bits_of(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION);
    return !reason_to_skip(head).empty() && reason_to_skip(other).empty() &&
           (drop_ & bits_of(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION)) == 0;
  }

  Index count_images(const std::vector<AcquisitionHead>& heads) const {
    return std::count_if(heads.begin(), heads.end(),
                         [&](const AcquisitionHead& head) { return !is_noise(head) && reason_to_skip(head).empty(); });
  }

  /// Image readouts of a vendor carry the flag of surface coil correction. Where nothing but these would make an image, they do.
  void keep_surface_coil_correction(const std::vector<AcquisitionHead>& heads, Notes& notes) {
    constexpr std::uint64_t flag = bits_of(ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA);
    if ((drop_ & flag) != 0 || count_images(heads) > 0) return;
    keep_ |= flag;
    const auto kept = count_images(heads);
    if (kept == 0) return;
    notes.emplace_back(fmt::format(
        "All {} image readouts are flagged as surface coil correction: they were kept, since nothing else is there.",
        kept));
  }

 private:
  int encoding_;
  std::uint64_t keep_;
  std::uint64_t drop_;
};

void check_head(const AcquisitionHead& head, Index number, const std::string& file) {
  if (head.kept() < 0) {
    throw IoError(fmt::format("{}: acquisition {} discards {} + {} of its {} samples", file, number, head.discard_pre,
                              head.discard_post, head.number_of_samples));
  }
}

/// Sorts image readouts into frames as they come.
class FrameCollector {
 public:
  FrameCollector(AcquisitionPlan& plan, const std::string& file) : plan_(plan), file_(file) {}

  void add(const AcquisitionHead& head, Index number) {
    if (frames_.empty()) {
      plan_.coils = head.active_channels;
      plan_.trajectory_dimensions = head.trajectory_dimensions;
      // An acquisition without channels may still be useful: as a trajectory for a simulation.
      if (plan_.coils == 0 && plan_.trajectory_dimensions == 0) {
        throw IoError(fmt::format("{}: acquisition {} has neither active channels nor a trajectory", file_, number));
      }
    }
    if (head.active_channels != plan_.coils) {
      throw IoError(
          fmt::format("{}: acquisition {} has {} channels, those before it {}; all readouts must have the "
                      "same channels",
                      file_, number, head.active_channels, plan_.coils));
    }
    if (head.trajectory_dimensions != plan_.trajectory_dimensions) {
      throw IoError(fmt::format("{}: acquisition {} has {} trajectory columns, those before it {}", file_, number,
                                head.trajectory_dimensions, plan_.trajectory_dimensions));
    }
    frames_[frame_index(head.idx)].acquisitions.push_back(number);
    if (head.discard_pre + head.discard_post > 0) ++discarding_;
    averages_.insert(head.idx.average);
    segments_.insert(head.idx.segment);
  }

  bool empty() const { return frames_.empty(); }

  void finish(const std::vector<AcquisitionHead>& heads) {
    for (auto& [index, frame] : frames_) {
      frame.index = index;
      plan_.frames.push_back(std::move(frame));
    }
    place_frames(plan_, heads);
    const auto partial = std::count_if(plan_.frames.begin(), plan_.frames.end(), [&](const FramePlan& frame) {
      return frame.readout_length == 0 && !is_cut(frame, heads);
    });
    note(discarding_ > 0,
         fmt::format("{} acquisitions have samples that the file marks as discarded; these were left "
                     "out.",
                     discarding_),
         NoteKind::doubt);
    note(partial > 0, fmt::format("{} readouts of different lengths (partial readouts).",
                                  partial == 1 ? std::string("1 frame has") : fmt::format("{} frames have", partial)));
    note(averages_.size() > 1,
         fmt::format("{} averages were kept as further samples of their frame.", averages_.size()));
    note(segments_.size() > 1, fmt::format("{} segments were joined in their frame.", segments_.size()));
  }

 private:
  // Samples without readouts lie in pieces as long as acquisitions can be, and a rest.
  static bool is_cut(const FramePlan& frame, const std::vector<AcquisitionHead>& heads) {
    const auto kept = [&](std::size_t i) { return heads[static_cast<std::size_t>(frame.acquisitions[i])].kept(); };
    const std::size_t last = frame.acquisitions.size() - 1;
    for (std::size_t i = 1; i < last; ++i) {
      if (kept(i) != kept(0)) return false;
    }
    return kept(last) < kept(0);
  }

  void note(bool applies, std::string text, NoteKind kind = NoteKind::fact) {
    if (applies) plan_.notes.emplace_back(std::move(text), kind);
  }

  AcquisitionPlan& plan_;
  const std::string& file_;
  std::map<FrameIndex, FramePlan> frames_;
  std::set<int> averages_;
  std::set<int> segments_;
  Index discarding_ = 0;
};

/// Assigns positions to the noise readouts with as many channels as the data; skips the others.
void place_noise(AcquisitionPlan& plan, const std::vector<Index>& noise, const std::vector<AcquisitionHead>& heads) {
  Index foreign = 0;
  for (const Index number : noise) {
    const AcquisitionHead& head = heads[static_cast<std::size_t>(number)];
    if (head.active_channels != plan.coils) {
      ++foreign;
      continue;
    }
    plan.destinations[static_cast<std::size_t>(number)] = {Destination::Kind::noise, 0, plan.noise_samples};
    plan.noise_samples += head.kept();
    plan.noise_dwell_us = head.sample_time_us;
  }
  if (foreign > 0) {
    plan.notes.emplace_back(fmt::format("{}: the data has {} channels, this noise has others.",
                                        were_left_out(foreign, "flagged as noise"), plan.coils),
                            NoteKind::doubt);
  }
}

}  // namespace

FrameIndex frame_index(const AcquisitionCounters& idx) {
  return {idx.slice, idx.contrast, idx.phase, idx.repetition, idx.set};
}

void place_frames(AcquisitionPlan& plan, const std::vector<AcquisitionHead>& heads) {
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    FramePlan& frame = plan.frames[f];
    frame.samples = 0;
    frame.readout_length = heads[static_cast<std::size_t>(frame.acquisitions.front())].kept();
    for (const Index number : frame.acquisitions) {
      const auto place = static_cast<std::size_t>(number);
      plan.destinations[place] = {Destination::Kind::frame, f, frame.samples};
      frame.samples += heads[place].kept();
      if (frame.readout_length != heads[place].kept()) frame.readout_length = 0;
    }
  }
}

ReadoutUse use_of(const AcquisitionHead& head, const ScanReadOptions& options) {
  const Selection selection(options);
  if (selection.is_noise(head)) return ReadoutUse::noise;
  return selection.reason_to_skip(head).empty() ? ReadoutUse::image : ReadoutUse::none;
}

bool have_image(const std::vector<AcquisitionHead>& heads, const ScanReadOptions& options) {
  Selection selection(options);
  Notes notes;
  selection.keep_surface_coil_correction(heads, notes);
  return selection.count_images(heads) > 0;
}

std::string reason_to_skip(const AcquisitionHead& head, const ScanReadOptions& options) {
  return Selection(options).reason_to_skip(head);
}

Notes notes_on_skipped(const SkippedCounts& skipped) {
  Notes notes;
  for (const auto& [reason, count] : skipped) {
    notes.emplace_back(were_left_out(count, reason) + ".", NoteKind::doubt);
  }
  return notes;
}

void refuse_without_image(const SkippedCounts& skipped, std::size_t noise, const std::string& file) {
  std::vector<std::string> parts;
  if (noise > 0) parts.push_back(fmt::format("{} noise", noise));
  for (const auto& [reason, count] : skipped) parts.push_back(fmt::format("{} {}", count, reason));
  throw IoError(fmt::format("{}: no acquisition in it belongs to an image: {}; {}", file, fmt::join(parts, ", "),
                            skipped_advice));
}

AcquisitionPlan plan_acquisitions(const std::vector<AcquisitionHead>& heads, const ScanReadOptions& options,
                                  const std::string& file) {
  AcquisitionPlan plan;
  plan.destinations.resize(heads.size());
  Selection selection(options);
  selection.keep_surface_coil_correction(heads, plan.notes);
  FrameCollector frames(plan, file);
  std::vector<Index> noise;
  SkippedCounts skipped;
  for (Index number = 0; number < static_cast<Index>(heads.size()); ++number) {
    const AcquisitionHead& head = heads[static_cast<std::size_t>(number)];
    check_head(head, number, file);
    if (selection.is_noise(head)) {
      noise.push_back(number);
      continue;
    }
    const std::string reason = selection.reason_to_skip(head);
    if (reason.empty()) {
      frames.add(head, number);
    } else if (selection.is_calibration(head)) {
      plan.calibration.push_back(number);
    } else {
      ++skipped[reason];
    }
  }
  std::erase_if(plan.calibration, [&](Index number) {
    const AcquisitionHead& head = heads[static_cast<std::size_t>(number)];
    const bool like_image = !frames.empty() && head.active_channels == plan.coils && plan.coils > 0 &&
                            head.trajectory_dimensions == plan.trajectory_dimensions;
    if (!like_image) ++skipped[selection.reason_to_skip(head)];
    return !like_image;
  });
  if (frames.empty()) refuse_without_image(skipped, noise.size(), file);
  for (Note& note : notes_on_skipped(skipped)) plan.notes.emplace_back(std::move(note));
  frames.finish(heads);
  place_noise(plan, noise, heads);
  return plan;
}

}  // namespace whorl::io
