#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/ask.hpp"
#include "io/bytes/printable.hpp"
#include "io/pulseq/extensions.hpp"
#include "io/pulseq/pulses.hpp"
#include "io/pulseq/sequence.hpp"
#include "io/pulseq/slices.hpp"
#include "io/pulseq/waveform.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl {

namespace {

using io::pulseq::Adc;
using io::pulseq::Block;
using io::pulseq::BlockExtensions;
using io::pulseq::event_of;
using io::pulseq::PulseTime;
using io::pulseq::PulseTimes;
using io::pulseq::SelectedSlices;
using io::pulseq::Sequence;
using io::pulseq::ShapeCache;
using io::pulseq::Waveform;
using io::pulseq::WaveformMaker;
using Point = std::array<double, 3>;

Point plus(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Goes through a sequence block by block.
class Walk {
 public:
  Walk(const Context& ctx, const Sequence& sequence)
      : ctx_(&ctx),
        sequence_(&sequence),
        shapes_(sequence),
        waveforms_(sequence, shapes_),
        pulses_(sequence, shapes_),
        extensions_(sequence) {}

  PulseqReadouts run() {
    make_room();
    ProgressStage stage(*ctx_, "sequence", static_cast<Index>(sequence_->blocks.size()));
    for (const Block& block : sequence_->blocks) {
      take(block);
      stage.advance();
    }
    return finish();
  }

 private:
  void make_room() {
    const Index most = io::pulseq::most_held(sequence_->bytes);
    Index samples = 0;
    for (const Block& block : sequence_->blocks) {
      if (block.adc != 0) samples += event_of(*sequence_, sequence_->adcs, block.adc, "ADC event").samples;
      if (samples <= most) continue;
      throw IoError(fmt::format("'{}': it takes more than {} samples, which is too much for a file of its size",
                                sequence_->source, most));
    }
    positions_.reserve(3 * static_cast<std::size_t>(samples));
    seconds_.reserve(static_cast<std::size_t>(samples));
    since_.reserve(static_cast<std::size_t>(samples));
  }

  void take(const Block& block) {
    extensions_.take(block);
    std::array<Waveform, 3> gradients;
    double longest = block.duration;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      gradients[axis] = waveforms_.next(block, axis);
      longest = std::max(longest, gradients[axis].end());
    }
    const Adc adc = block.adc == 0 ? Adc{} : event_of(*sequence_, sequence_->adcs, block.adc, "ADC event");
    longest = std::max(longest, adc.delay + static_cast<double>(adc.samples) * adc.dwell);
    const double duration = block_duration(block, longest);
    const auto moved_to = [&](double time) {
      return extensions_.turned(
          {gradients[0].integral_to(time), gradients[1].integral_to(time), gradients[2].integral_to(time)});
    };
    std::optional<PulseTime> pulse;
    if (block.rf != 0) pulse = pulses_.get(block.rf);
    const auto gradient_at = [&](double time) {
      return extensions_.turned(
          {gradients[0].value_at(time), gradients[1].value_at(time), gradients[2].value_at(time)});
    };
    // Readouts of this block come after its pulse.
    if (pulse && !pulse->refocuses) {
      slices_.excite(event_of(*sequence_, sequence_->pulses, block.rf, "RF pulse"), gradient_at(pulse->center));
    }
    // k = start + moved before the pulse. It excites: k = moved since; it refocuses: -k at it, and moved since.
    Point start_after = start_;
    if (pulse) {
      const Point at_pulse = moved_to(pulse->center);
      const Point k = plus(start_, at_pulse);
      start_after = pulse->refocuses ? minus(minus({0, 0, 0}, k), at_pulse) : minus({0, 0, 0}, at_pulse);
    }
    const std::string_view left_out = extensions_.left_out();
    if (adc.samples > 0 && !left_out.empty()) {
      left_out_[std::string(left_out)] += 1;
    } else if (adc.samples > 0) {
      add_readout(adc);
      for (Index i = 0; i < adc.samples; ++i) {
        detail::ask_at(*ctx_, i, "reading a sequence");
        const double time = adc.delay + (static_cast<double>(i) + 0.5) * adc.dwell;
        const bool after = pulse && time >= pulse->center;
        const Point k = plus(after ? start_after : start_, moved_to(time));
        positions_.insert(positions_.end(), k.begin(), k.end());
        seconds_.push_back(now_ + time);
        const bool excited_here = after && !pulse->refocuses;
        since_.push_back(excited_here ? time - pulse->center : now_ + time - excited_);
      }
    }
    if (pulse && !pulse->refocuses) {
      excited_ = now_ + pulse->center;
      if (!first_pulse_) first_pulse_ = excited_;
    }
    start_ = plus(start_after, moved_to(duration));
    now_ += duration;
  }

  double block_duration(const Block& block, double longest) const {
    if (sequence_->version < io::pulseq::version_1_4) {
      return block.rf == 0 ? longest : std::max(longest, pulses_.duration(block.rf));
    }
    constexpr double rounding = 1e-6;  // times are written in whole microseconds
    if (longest > block.duration + rounding) {
      throw IoError(fmt::format("'{}': a block of {:.9g} s has an event that ends after {:.9g} s", sequence_->source,
                                block.duration, longest));
    }
    return block.duration;
  }

  void add_readout(const Adc& adc) {
    readouts_.push_back({static_cast<Index>(seconds_.size()), adc.samples, adc.dwell * 1e6, extensions_.frame()});
    selected_.push_back(slices_.take_readout());
  }

  /// Readouts that end before the first excitation are noise scans, or see nothing.
  void drop_unexcited(PulseqReadouts& found) {
    if (!first_pulse_) return;
    Index readouts = 0;
    Index samples = 0;
    for (const PulseqReadout& readout : readouts_) {
      if (seconds_[static_cast<std::size_t>(readout.first + readout.samples - 1)] >= *first_pulse_) break;
      ++readouts;
      samples += readout.samples;
    }
    if (readouts == 0) return;
    readouts_.erase(readouts_.begin(), readouts_.begin() + readouts);
    selected_.erase(selected_.begin(), selected_.begin() + readouts);
    for (PulseqReadout& readout : readouts_) readout.first -= samples;
    positions_.erase(positions_.begin(), positions_.begin() + 3 * samples);
    seconds_.erase(seconds_.begin(), seconds_.begin() + samples);
    since_.erase(since_.begin(), since_.begin() + samples);
    found.notes.emplace_back(fmt::format("Readouts before the first pulse were left out: {}.", readouts),
                             NoteKind::doubt);
  }

  /// Where no label does, the pulses' frequencies count the slices.
  void number_slices(PulseqReadouts& found) {
    const auto counts_slices = [](const auto& labels) {
      return std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.second.name == "SLC"; });
    };
    if (counts_slices(sequence_->set_labels) || counts_slices(sequence_->increment_labels)) return;
    std::vector<int> seen;  // in the order of the readouts that are kept
    for (std::size_t i = 0; i < readouts_.size(); ++i) {
      const auto place = std::find(seen.begin(), seen.end(), selected_[i]) - seen.begin();
      if (place == static_cast<std::ptrdiff_t>(seen.size())) seen.push_back(selected_[i]);
      readouts_[i].frame.slice = static_cast<int>(place);
    }
    if (seen.size() < 2) return;
    found.slices_by_pulses = true;
    found.notes.emplace_back(fmt::format(
        "No label counts slices: they are told apart by the frequencies of their pulses, {} in the order of "
        "their first readouts.",
        seen.size()));
  }

  PulseqReadouts finish() {
    PulseqReadouts found;
    const int version = sequence_->version;
    found.notes.emplace_back(fmt::format("Pulseq {}.{}.{}: {} blocks in {:.6g} s.", version / 1000000,
                                         version / 1000 % 1000, version % 1000, sequence_->blocks.size(), now_));
    drop_unexcited(found);
    number_slices(found);
    for (const auto& [what, count] : left_out_) {
      found.notes.emplace_back(fmt::format("Readouts that are {} were left out: {}.", what, count), NoteKind::doubt);
    }
    if (pulses_.guessed() > 0) {
      found.notes.emplace_back(
          "The file does not say what its pulses are for: those of up to 90 degrees excite, others refocus.");
    }
    if (extensions_.soft_delays()) {
      found.notes.emplace_back("Soft delays have the durations that are in the file.");
    }
    for (const std::string& name : extensions_.ignored()) {
      found.notes.emplace_back(fmt::format("The extension {} is not known and was ignored.", io::printable(name, 40)),
                               NoteKind::doubt);
    }
    if (readouts_.empty()) throw IoError(fmt::format("'{}': it takes no samples of images", sequence_->source));
    const auto samples = static_cast<Index>(seconds_.size());
    found.positions_per_m = Array<double>(*ctx_, {samples, 3});
    found.seconds = Array<double>(*ctx_, {samples});
    found.seconds_after_excitation = Array<double>(*ctx_, {samples});
    std::copy(positions_.begin(), positions_.end(), found.positions_per_m.data());
    std::copy(seconds_.begin(), seconds_.end(), found.seconds.data());
    std::copy(since_.begin(), since_.end(), found.seconds_after_excitation.data());
    found.readouts = std::move(readouts_);
    found.field_of_view_mm = sequence_->field_of_view_mm;
    if (sequence_->field_of_view_in_mm) {
      found.notes.emplace_back("The field of view in the file was taken as millimeters, as of old programs.");
    }
    return found;
  }

  const Context* ctx_;
  const Sequence* sequence_;
  ShapeCache shapes_;
  WaveformMaker waveforms_;
  PulseTimes pulses_;
  BlockExtensions extensions_;
  SelectedSlices slices_;
  std::vector<int> selected_;  // the slice of each readout
  double now_ = 0;             // s, start of the block
  double excited_ = 0;         // s, center of the last excitation
  std::optional<double> first_pulse_;
  Point start_{};  // k at the start of the block
  std::vector<double> positions_;
  std::vector<double> seconds_;
  std::vector<double> since_;
  std::vector<PulseqReadout> readouts_;
  std::map<std::string, Index> left_out_;
};

}  // namespace

PulseqReadouts read_pulseq_readouts(const Context& ctx, const std::filesystem::path& path) {
  const Sequence sequence = io::pulseq::read_sequence(ctx, path);
  return Walk(ctx, sequence).run();
}

}  // namespace whorl
