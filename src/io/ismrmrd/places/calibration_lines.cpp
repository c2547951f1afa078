#include "io/ismrmrd/places/calibration_lines.hpp"

#include <fmt/format.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "io/ismrmrd/places/compare_lines.hpp"
#include "io/ismrmrd/places/counted_spokes.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t compared = 64;  // lines that are read to find out
// Lines that are more apart would spoil the image as its samples; as a calibration scan they do no harm.
constexpr double most_apart_of_samples = 0.02;
constexpr double energy_ratio = 4;  // between lines side by side

using Place = std::tuple<FrameIndex, Index, Index>;  // frame and steps

Place place_of(const AcquisitionHead& head) {
  return {frame_index(head.idx), head.idx.kspace_encode_step_1, head.idx.kspace_encode_step_2};
}

bool is_both(const AcquisitionHead& head) {
  return head.flag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING);
}

double energy_of(const ProbedReadout& readout) {
  double sum = 0;
  for (Index sample = 0; sample < readout.length; ++sample) sum += readout.energy(sample);
  return sum;
}

/// Finds out by the data whether calibration lines are samples of the image beside them.
class Agreement {
 public:
  Agreement(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header)
      : ctx_(ctx), sorted_(sorted), header_(header) {
    for (const Index number : sorted.image_readouts()) image_[place_of(sorted.head(number))] = number;
  }

  /// Why the lines are no samples of the image; empty if they are.
  std::string reason_against(const std::vector<Index>& lines) const {
    std::vector<Index> shared;
    for (const Index line : lines) {
      if (image_.contains(place_of(sorted_.head(line)))) shared.push_back(line);
    }
    return shared.empty() ? by_neighbors(lines) : by_shared(shared);
  }

 private:
  std::string by_shared(const std::vector<Index>& shared) const {
    std::vector<std::pair<Index, Index>> pairs;
    for (const Index line : nearest_to_center(sorted_, header_, shared, compared / 4)) {
      pairs.emplace_back(line, image_.at(place_of(sorted_.head(line))));
    }
    const std::optional<double> apart = difference_of_lines(ctx_, sorted_, pairs);
    if (!apart) return "they share no samples with its lines at the same steps";
    if (*apart <= most_apart_of_samples) return {};
    return fmt::format("they differ from its lines at the same steps by {:.0f} %", 100 * std::sqrt(*apart));
  }

  /// The nearest readouts of the image on the sides of a line, along the first axis that has any; those on both sides if there are.
  std::vector<Index> neighbors(const AcquisitionHead& head) const {
    constexpr Index farthest = 4;
    std::vector<Index> best;
    for (const bool along_1 : {true, false}) {
      std::vector<Index> found;
      for (const Index direction : {-1, 1}) {
        for (Index distance = 1; distance <= farthest; ++distance) {
          auto [frame, step_1, step_2] = place_of(head);
          (along_1 ? step_1 : step_2) += direction * distance;
          const auto beside = image_.find({frame, step_1, step_2});
          if (beside == image_.end()) continue;
          found.push_back(beside->second);
          break;
        }
      }
      if (found.size() > best.size()) best = std::move(found);
    }
    return best;
  }

  /// Lines with no readout of the image beside them are those that it lacks.
  std::string by_neighbors(const std::vector<Index>& all) const {
    struct Group {
      Index line = 0;
      std::vector<Index> beside;
    };
    std::vector<Group> groups;
    std::size_t sides = 1;
    for (const Index line : nearest_to_center(sorted_, header_, all, compared)) {
      groups.push_back({line, neighbors(sorted_.head(line))});
      sides = std::max(sides, groups.back().beside.size());
    }
    std::erase_if(groups, [&](const Group& group) { return group.beside.size() < sides; });
    if (groups.empty()) return {};
    std::vector<Index> numbers;
    for (const Group& group : groups) {
      numbers.push_back(group.line);
      numbers.insert(numbers.end(), group.beside.begin(), group.beside.end());
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::map<Index, double> energy;
    for (const ProbedReadout& readout : read_readouts(ctx_, sorted_, numbers)) {
      energy[readout.number] = energy_of(readout);
    }
    // By how much a line leaves what its neighbors have: the energy falls between them towards the edge of k-space.
    std::vector<double> ratios;
    for (const Group& group : groups) {
      double least = energy[group.beside.front()];
      double most = energy[group.beside.back()];
      if (least > most) std::swap(least, most);
      const double here = energy[group.line];
      ratios.push_back(here > most ? here / most : here < least ? here / least : 1);
    }
    const auto middle = ratios.begin() + std::ssize(ratios) / 2;
    std::ranges::nth_element(ratios, middle);
    // From lines on one side alone the energy may rise steeply.
    const double bearable = sides == 2 ? energy_ratio : energy_ratio * energy_ratio * energy_ratio;
    if (*middle <= bearable && *middle >= 1 / bearable) return {};
    return fmt::format("they have {:.2g} times the energy of its lines beside them", *middle);
  }

  const Context& ctx_;
  const SortedFile& sorted_;
  const EncodingHeader& header_;
  std::map<Place, Index> image_;
};

/// The readouts of a frame within the steps of those that are flagged.
FramePlan center_of(const FramePlan& frame, const std::vector<AcquisitionHead>& heads,
                    const std::vector<Index>& flagged) {
  const auto head = [&](Index number) -> const AcquisitionHead& { return heads[static_cast<std::size_t>(number)]; };
  std::array<Index, 2> first{0xFFFF, 0xFFFF};
  std::array<Index, 2> last{};
  const auto steps = [&](Index number) {
    const AcquisitionCounters& idx = head(number).idx;
    return std::array<Index, 2>{idx.kspace_encode_step_1, idx.kspace_encode_step_2};
  };
  for (const Index number : flagged) {
    const auto here = steps(number);
    for (const std::size_t axis : {0, 1}) {
      first[axis] = std::min(first[axis], here[axis]);
      last[axis] = std::max(last[axis], here[axis]);
    }
  }
  FramePlan center{.index = frame.index, .acquisitions = {}};
  std::ranges::copy_if(frame.acquisitions, std::back_inserter(center.acquisitions), [&](Index number) {
    const auto here = steps(number);
    return here[0] >= first[0] && here[0] <= last[0] && here[1] >= first[1] && here[1] <= last[1];
  });
  return center;
}

/// The frames of a slice, by what calibrates them.
struct SliceLines {
  std::vector<const FramePlan*> frames;
  std::map<FrameIndex, std::vector<Index>> joined;  // lines that became samples
  std::map<FrameIndex, std::vector<Index>> both;    // readouts that are flagged as calibration and imaging
  std::map<FrameIndex, std::vector<Index>> apart;   // lines that did not

  std::optional<FramePlan> calibration(const std::vector<AcquisitionHead>& heads) const {
    const auto center = [&](const auto& flagged) -> std::optional<FramePlan> {
      if (flagged.empty() || flagged.size() == frames.size()) return std::nullopt;
      const auto& [index, lines] = *flagged.begin();
      const auto frame = std::ranges::find_if(frames, [&](const FramePlan* one) { return one->index == index; });
      return center_of(**frame, heads, lines);
    };
    if (!joined.empty()) return center(joined);
    if (apart.empty()) return center(both);
    const auto most = std::ranges::max_element(apart, {}, [](const auto& one) { return one.second.size(); });
    return FramePlan{.index = most->first, .acquisitions = most->second};
  }
};

/// Brings calibration lines to the frames of their slices, or keeps them apart.
class LineSorter {
 public:
  LineSorter(const std::vector<AcquisitionHead>& heads, AcquisitionPlan& plan, const std::vector<Index>& lines)
      : heads_(heads), plan_(plan), lines_(lines) {
    for (FramePlan& frame : plan.frames) {
      frames_.emplace(frame.index, &frame);
      SliceLines& slice = slices_[frame.index.slice];
      slice.frames.push_back(&frame);
      for (const Index number : frame.acquisitions) {
        if (is_both(head(number))) slice.both[frame.index].push_back(number);
      }
    }
  }

  /// The lines that have the counters of a frame.
  std::vector<Index> of_frames() const {
    std::vector<Index> some;
    std::ranges::copy_if(lines_, std::back_inserter(some),
                         [&](Index line) { return frames_.contains(frame_index(head(line).idx)); });
    return some;
  }

  /// `agree`: those of the frames become their samples.
  void sort(bool agree) {
    Index joined = 0;
    for (const Index line : lines_) {
      const FrameIndex index = frame_index(head(line).idx);
      const auto frame = frames_.find(index);
      const auto slice = slices_.find(index.slice);
      if (frame != frames_.end() && agree) {
        frame->second->acquisitions.push_back(line);
        slice->second.joined[index].push_back(line);
        ++joined;
      } else if (slice != slices_.end()) {
        slice->second.apart[index].push_back(line);
      } else {
        ++left_out_;
      }
    }
    if (joined == 0) return;
    for (FramePlan& frame : plan_.frames) std::ranges::sort(frame.acquisitions);
    place_frames(plan_, heads_);
    plan_.notes.emplace_back(
        fmt::format("{} lines flagged as calibration agree with the lines of the image: they are samples of it.",
                    joined),
        NoteKind::answer);
  }

  /// The calibration scan. `against`: why lines are apart.
  std::vector<FramePlan> calibration(const std::string& against) {
    std::vector<FramePlan> calibration;
    Index apart = 0;
    bool of_center = false;
    for (const auto& [number, slice] : slices_) {
      std::optional<FramePlan> found = slice.calibration(heads_);
      for (const auto& [index, some] : slice.apart) {
        const bool used = found && found->index == index && slice.joined.empty();
        (used ? apart : left_out_) += std::ssize(some);
      }
      if (!found) continue;
      of_center = of_center || !slice.joined.empty() || slice.apart.empty();
      calibration.push_back(std::move(*found));
    }
    if (apart > 0) {
      plan_.notes.emplace_back(
          fmt::format("{} lines flagged as calibration are no samples of the image ({}){}.", apart, against,
                      plan_.coils > 1 ? ": its coil maps are made of them" : ", and one coil needs no maps"),
          NoteKind::answer);
    }
    if (of_center) {
      plan_.notes.emplace_back(
          "Some frames of a slice have calibration lines: the coil maps of all its frames are made of these.",
          NoteKind::answer);
    }
    return calibration;
  }

  Index left_out() const { return left_out_; }

 private:
  const AcquisitionHead& head(Index number) const { return heads_[static_cast<std::size_t>(number)]; }

  const std::vector<AcquisitionHead>& heads_;
  AcquisitionPlan& plan_;
  const std::vector<Index>& lines_;
  std::map<int, SliceLines> slices_;
  std::map<FrameIndex, FramePlan*> frames_;
  Index left_out_ = 0;
};

void note_left_out(Index count, AcquisitionPlan& plan) {
  if (count == 0) return;
  for (Note& note : notes_on_skipped({{"flagged as calibration", count}})) plan.notes.emplace_back(std::move(note));
}

}  // namespace

std::vector<FramePlan> settle_calibration(const Context& ctx, const Measurement& measurement,
                                          const EncodingHeader& header, const ScanReadOptions& options,
                                          AcquisitionPlan& plan) {
  const std::vector<Index> lines = std::exchange(plan.calibration, {});
  if (plan.trajectory_dimensions > 0 || header.trajectory_kind != "cartesian" || is_spokes(options.kind) ||
      !options.trajectory_from.empty()) {
    note_left_out(std::ssize(lines), plan);
    return {};
  }
  LineSorter sorter(measurement.heads, plan, lines);
  std::string against = "no readout of an image shares their counters";
  bool agree = false;
  if (const std::vector<Index> of_frames = sorter.of_frames(); !of_frames.empty()) {
    const SortedFile sorted{*measurement.source, measurement.heads, plan, measurement.name};
    const std::string found = Agreement(ctx, sorted, header).reason_against(of_frames);
    agree = found.empty();
    if (!agree) against = found;
  }
  sorter.sort(agree);
  std::vector<FramePlan> calibration = sorter.calibration(against);
  note_left_out(sorter.left_out(), plan);
  return calibration;
}

}  // namespace whorl::io
