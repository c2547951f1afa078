#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ask.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl {

namespace {

// Rasters of common scanners, and their pauses around pulses and readouts.
constexpr double adc_raster_us = 0.1;
constexpr double pause_before_pulse_us = 100;
constexpr double pause_after_pulse_us = 30;
constexpr double adc_pause_us = 10;

double rounded_up(double time_us, double raster_us) {
  constexpr double rounding = 1e-6;
  return std::ceil(time_us / raster_us - rounding) * raster_us;
}

bool is_multiple(double time_us, double raster_us) {
  constexpr double rounding = 1e-6;
  return std::abs(time_us / raster_us - std::round(time_us / raster_us)) < rounding;
}

/// Times of a shot, in us: the block of the pulse, then that of the readout.
struct ShotTimes {
  double pulse_block = 0;
  double gradient_delay = 0;
  double adc_delay = 0;
  double readout_block = 0;
};

ShotTimes shot_times(const DesignedTrajectory& designed, const PulseqShot& shot) {
  const double raster = designed.gradients.raster_us;
  const double dwell = designed.dwell_us;
  ShotTimes times;
  times.pulse_block = rounded_up(pause_before_pulse_us + shot.pulse_us + pause_after_pulse_us, raster);
  // Sample i of a readout is i dwell times after the start of its gradient; that of an ADC lies in the middle of its
  // dwell time.
  times.gradient_delay = rounded_up(adc_pause_us + dwell / 2, raster);
  times.adc_delay = times.gradient_delay - dwell / 2;
  if (!is_multiple(dwell, adc_raster_us) || !is_multiple(times.adc_delay, 1)) {
    throw ValueError(
        fmt::format("writing Pulseq: a dwell time of {:g} us, whose delays are whole microseconds; expected an even "
                    "number of microseconds (gradient raster {:g} us)",
                    dwell, raster));
  }
  const double gradient = static_cast<double>(designed.gradients.mt_per_m.extent(1)) * raster;
  const double adc = static_cast<double>(designed.trajectory.readout_length) * dwell;
  const double least =
      rounded_up(std::max(times.gradient_delay + gradient, times.adc_delay + adc + adc_pause_us), raster);
  times.readout_block = least;
  if (shot.repetition_time_ms > 0) {
    times.readout_block = rounded_up(1000 * shot.repetition_time_ms - times.pulse_block, raster);
    if (times.readout_block < least) {
      throw ValueError(fmt::format("writing Pulseq: a repetition time of {:g} ms, but a shot takes {:g} ms",
                                   shot.repetition_time_ms, (times.pulse_block + least) / 1000));
    }
  }
  return times;
}

/// The gradient of a readout along an axis of the scanner, in Hz/m; empty where it is none.
class Waveforms {
 public:
  explicit Waveforms(const DesignedTrajectory& designed)
      : designed_(&designed), hertz_(1000 * designed.gamma_mhz_per_t) {
    for (const double value : designed.gradients.mt_per_m.span()) largest_ = std::max(largest_, std::abs(value));
  }

  std::vector<double> get(std::size_t readout, std::size_t axis) const {
    const auto g = designed_->gradients.mt_per_m.view<3>();
    const PlayedWaveform& played = designed_->played[readout];
    std::vector<double> values(static_cast<std::size_t>(g.extent(1)), 0.0);
    double largest = 0;
    for (Index i = 0; i < g.extent(1); ++i) {
      double& value = values[static_cast<std::size_t>(i)];
      for (Index of = 0; of < g.extent(2); ++of) {
        value +=
            hertz_ * g(static_cast<Index>(played.waveform), i, of) * played.axes[static_cast<std::size_t>(of)][axis];
      }
      largest = std::max(largest, std::abs(value));
    }
    // Sines of multiples of pi.
    constexpr double rounding = 1e-12;
    if (largest <= rounding * hertz_ * largest_) values.clear();
    return values;
  }

 private:
  const DesignedTrajectory* designed_;
  double hertz_;
  double largest_ = 0;
};

class Writer {
 public:
  Writer(const Context& ctx, const std::filesystem::path& path, Index stages)
      : file_(path), stage_(ctx, "writing " + path.filename().string(), stages) {}

  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
    constexpr std::size_t part = std::size_t{1} << 20;
    if (text_.size() > part) flush();
  }
  void advance() { stage_.advance(); }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }

  AtomicFile file_;
  ProgressStage stage_;
  std::string text_;
};

void write_definitions(Writer& out, const DesignedTrajectory& designed, const PulseqShot& shot,
                       const ShotTimes& times) {
  const double raster = 1e-6 * designed.gradients.raster_us;
  const double total = 1e-6 * (times.pulse_block + times.readout_block) * static_cast<double>(designed.played.size());
  out.line("# Pulseq sequence file\n# Created by whorl {}\n\n[VERSION]\nmajor 1\nminor 5\nrevision 0\n", version());
  out.line("[DEFINITIONS]\nAdcRasterTime {:.9g}\nBlockDurationRaster {:.9g}", 1e-6 * adc_raster_us, raster);
  const auto& field = shot.field_of_view_mm;
  if (field[0] > 0) {
    out.line("FOV {:.9g} {:.9g} {:.9g}", field[0] / 1000, field[1] / 1000, field[2] / 1000);
  }
  out.line("GradientRasterTime {:.9g}\nRadiofrequencyRasterTime 1e-06\nTotalDuration {:.9g}\n", raster, total);
}

}  // namespace

void write_pulseq(const Context& ctx, const DesignedTrajectory& designed, const PulseqShot& shot,
                  const std::filesystem::path& path) {
  const auto readouts = static_cast<Index>(designed.played.size());
  if (readouts == 0 || readouts * designed.trajectory.readout_length != designed.trajectory.samples()) {
    throw ValueError(
        fmt::format("writing Pulseq: {} waveforms for {} samples in readouts of {}; expected one for each "
                    "readout, as designed trajectories have",
                    readouts, designed.trajectory.samples(), designed.trajectory.readout_length));
  }
  check_options(shot);
  const ShotTimes times = shot_times(designed, shot);
  const double raster = designed.gradients.raster_us;
  const Waveforms waveforms(designed);
  constexpr Index stages = 3;
  Writer out(ctx, path, stages * readouts);
  write_definitions(out, designed, shot, times);

  // A gradient has three numbers, whether it is played or not: 3 readout + axis + 1, and its shape the same from 3 on.
  const auto id = [](Index readout, std::size_t axis) { return 3 * readout + static_cast<Index>(axis) + 1; };
  constexpr Index pulse_shapes = 3;
  std::vector<double> amplitudes;  // [readout, axis]; 0: none
  out.line("# NUM DUR RF GX GY GZ ADC EXT\n[BLOCKS]");
  for (Index readout = 0; readout < readouts; ++readout, out.advance()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double largest = 0;
      for (const double value : waveforms.get(static_cast<std::size_t>(readout), axis)) {
        largest = std::max(largest, std::abs(value));
      }
      amplitudes.push_back(largest);
    }
    const auto number = [&](std::size_t axis) {
      return amplitudes[static_cast<std::size_t>(id(readout, axis) - 1)] > 0 ? id(readout, axis) : 0;
    };
    out.line("{} {:.0f} 1 0 0 0 0 0", 2 * readout + 1, times.pulse_block / raster);
    out.line("{} {:.0f} 0 {} {} {} 1 0", 2 * readout + 2, times.readout_block / raster, number(0), number(1),
             number(2));
  }
  out.line("\n# id amplitude magnitude phase time center delay freq_ppm phase_ppm freq phase use\n[RF]");
  out.line("1 {:.12g} 1 2 3 {:.9g} {:.0f} 0 0 0 0 e\n", shot.flip_angle_degrees / 360 / (1e-6 * shot.pulse_us),
           shot.pulse_us / 2, pause_before_pulse_us);
  out.line("# id amplitude first last shape time delay\n[GRADIENTS]");
  for (Index readout = 0; readout < readouts; ++readout, out.advance()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index at = id(readout, axis);
      const double amplitude = amplitudes[static_cast<std::size_t>(at - 1)];
      if (amplitude > 0) out.line("{} {:.12g} 0 0 {} 0 {:.0f}", at, amplitude, at + pulse_shapes, times.gradient_delay);
    }
  }
  out.line("\n# id samples dwell delay freq_ppm phase_ppm freq phase phase_shape\n[ADC]");
  out.line("1 {} {:.0f} {:.0f} 0 0 0 0 0\n", designed.trajectory.readout_length, 1000 * designed.dwell_us,
           times.adc_delay);
  out.line("[SHAPES]\n\nshape_id 1\nnum_samples 2\n1\n1\n\nshape_id 2\nnum_samples 2\n0\n0\n");
  out.line("shape_id 3\nnum_samples 2\n0\n{:.9g}\n", shot.pulse_us);
  for (Index readout = 0; readout < readouts; ++readout, out.advance()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index at = id(readout, axis);
      const double amplitude = amplitudes[static_cast<std::size_t>(at - 1)];
      if (!(amplitude > 0)) continue;
      const std::vector<double> values = waveforms.get(static_cast<std::size_t>(readout), axis);
      out.line("shape_id {}\nnum_samples {}", at + pulse_shapes, values.size());
      for (const double value : values) out.line("{:.9g}", value / amplitude);
      out.line("");
    }
  }
  out.commit();
}

}  // namespace whorl
