#include "whorl/scan/self_gating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

// The sample of each readout that is nearest to the center.
std::vector<Index> center_samples_of(const Scan& scan, const ScanFrame& frame, Index readouts) {
  const auto k = frame.trajectory->points.view<2>();
  const Index length = frame.trajectory->readout_length;
  const double reach = 1.0 / static_cast<double>(*std::max_element(scan.matrix.begin(), scan.matrix.end()));
  std::vector<Index> nearest;
  for (Index readout = 0; readout < readouts; ++readout) {
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index sample = readout * length; sample < (readout + 1) * length; ++sample) {
      double square = 0;
      for (Index axis = 0; axis < k.extent(1); ++axis) square += k(sample, axis) * k(sample, axis);
      if (square < least) {
        least = square;
        best = sample;
      }
    }
    if (std::sqrt(least) > reach) {
      throw ValueError(fmt::format(
          "gating: readout {} passes the center of k-space at {:.3g} cycles per pixel, expected at most one "
          "cycle per field of view ({:.3g}); self-gating takes spokes through the center",
          readout, std::sqrt(least), reach));
    }
    nearest.push_back(best);
  }
  return nearest;
}

// Removes the straight line over time that fits best: slow drift would leak into the band.
void remove_line(std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double middle = (n - 1) / 2;
  double mean = 0;
  double slope = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += values[i] / n;
    slope += values[i] * (static_cast<double>(i) - middle);
  }
  slope /= std::max(n * (n * n - 1) / 12, 1.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= mean + slope * (static_cast<double>(i) - middle);
}

// The first and last frequency of the band among those of an FFT over the readouts.
std::pair<Index, Index> band_of(const Scan& scan, Index readouts, const GatingOptions& options) {
  if (!(scan.readout_interval_ms > 0)) {
    throw ValueError(
        "gating: the scan does not say the time from readout to readout, which frequencies need; give it "
        "(--readout-interval)");
  }
  const double duration = 1e-3 * scan.readout_interval_ms * static_cast<double>(readouts);
  const auto first = std::max<Index>(static_cast<Index>(std::ceil(options.band[0] * duration)), 1);
  const auto last = std::min<Index>(static_cast<Index>(std::floor(options.band[1] * duration)), (readouts - 1) / 2);
  if (!(options.band[0] < options.band[1]) || first > last) {
    const auto highest = (readouts - 1) / 2;
    throw ValueError(fmt::format(
        "gating: a band of {:g} to {:g} Hz has no frequency of {} readouts in {:.3g} s, which tell {:.3g} to "
        "{:.3g} Hz apart; take a wider band",
        options.band[0], options.band[1], readouts, duration, 1 / duration, static_cast<double>(highest) / duration));
  }
  return {first, last};
}

// Real and imaginary parts of all coils over the readouts, limited to the band: [readout, channel].
Eigen::MatrixXd band_limited_channels(const Context& ctx, const ScanFrame& frame, const std::vector<Index>& center,
                                      const std::pair<Index, Index>& band) {
  const auto readouts = static_cast<Index>(center.size());
  const Index coils = frame.data.extent(0);
  const auto plan = make_fft_plan<double>(ctx, {readouts});
  Eigen::MatrixXd channels(readouts, 2 * coils);
  for (Index channel = 0; channel < 2 * coils; ++channel) {
    std::vector<double> values;
    for (const Index sample : center) {
      const std::complex<float> value = frame.data.data()[channel / 2 * frame.data.extent(1) + sample];
      values.push_back(channel % 2 == 0 ? value.real() : value.imag());
    }
    remove_line(values);
    std::vector<Complex> spectrum(values.begin(), values.end());
    plan->execute(ctx, FftDirection::forward, spectrum.data(), 1);
    for (Index f = 0; f < readouts; ++f) {
      const Index folded = std::min(f, readouts - f);
      if (folded < band.first || folded > band.second) spectrum[static_cast<std::size_t>(f)] = 0;
    }
    plan->execute(ctx, FftDirection::inverse, spectrum.data(), 1);
    for (Index i = 0; i < readouts; ++i) {
      channels(i, channel) = spectrum[static_cast<std::size_t>(i)].real() / static_cast<double>(readouts);
    }
  }
  return channels;
}

// The phases of the analytic signal, and its strongest frequency.
void analyze(const Context& ctx, GatingSignal& signal, double readout_interval_ms) {
  const auto readouts = static_cast<Index>(signal.values.size());
  const auto plan = make_fft_plan<double>(ctx, {readouts});
  std::vector<Complex> spectrum(signal.values.begin(), signal.values.end());
  plan->execute(ctx, FftDirection::forward, spectrum.data(), 1);
  const auto positive = spectrum.begin() + (readouts + 1) / 2;
  const auto largest = std::max_element(spectrum.begin(), positive,
                                        [](const Complex& a, const Complex& b) { return std::norm(a) < std::norm(b); });
  signal.frequency_hz =
      static_cast<double>(largest - spectrum.begin()) / (1e-3 * readout_interval_ms * static_cast<double>(readouts));
  std::fill(positive, spectrum.end(), Complex(0));
  plan->execute(ctx, FftDirection::inverse, spectrum.data(), 1);
  for (const Complex& value : spectrum) signal.phases.push_back(std::arg(value));
}

}  // namespace

template <>
const OptionTable<GatingOptions>& option_table<GatingOptions>() {
  using Gating = GatingOptions;
  static const OptionTable<Gating> table =
      OptionTable<Gating>("gating")
          .integer("bins", &Gating::bins, {0, 1000}, "",
                   "Sort the readouts into this many frames by the motion that the center of k-space tells (0: no)")
          .choice("by", &Gating::by, {{"phase", GatingBy::phase}, {"amplitude", GatingBy::amplitude}},
                  "Frames of equal parts of the cycle, or of equally many readouts between both ends of the motion")
          .when("gating", [](const Gating& options) { return options.bins > 0; })
          .real("soft", &Gating::soft, {0, 1}, "",
                "Weigh the readouts of each frame by the motion: this part of them, where the object rests longest, "
                "counts fully, others fall off with their distance (0: no)")
          .list("band", &Gating::band, 2, 2, OptionRange::at_least(0), "Hz",
                "Lowest and highest frequency of the motion: 0.7 2 for hearts, 0.1 0.5 for breathing")
          .when("gating", [](const Gating& options) { return options.bins > 0 || options.soft > 0; });
  return table;
}

GatingSignal gating_signal(const Context& ctx, const Scan& scan, const ScanFrame& frame, const GatingOptions& options) {
  check_options(options);
  const Context host = ctx.host();
  const Index readouts = readouts_of(frame, "gating");
  const std::pair<Index, Index> band = band_of(scan, readouts, options);
  const Eigen::MatrixXd channels = band_limited_channels(host, frame, center_samples_of(scan, frame, readouts), band);
  const Eigen::MatrixXd covariance = channels.transpose() * channels;
  const auto [values_of, directions] = detail::eigenpairs(covariance);
  const Index last = covariance.cols() - 1;
  const double energy = values_of[last];
  if (!(energy > 0)) throw ValueError("gating: the center of k-space does not change in the band; take another band");
  Eigen::VectorXd direction = directions.col(last);
  Eigen::Index strongest = 0;
  direction.cwiseAbs().maxCoeff(&strongest);
  if (direction[strongest] < 0) direction = -direction;
  const Eigen::VectorXd values = channels * direction / std::sqrt(energy / static_cast<double>(readouts));
  GatingSignal signal;
  signal.values.assign(values.begin(), values.end());
  signal.part = energy / covariance.trace();
  analyze(host, signal, scan.readout_interval_ms);
  return signal;
}

std::vector<int> gating_bins(const GatingSignal& signal, const GatingOptions& options) {
  const std::size_t readouts = signal.values.size();
  std::vector<int> bins(readouts, 0);
  if (options.by == GatingBy::phase) {
    for (std::size_t i = 0; i < readouts; ++i) {
      const double turn = signal.phases[i] / (2 * std::numbers::pi) + 0.5;
      bins[i] = std::clamp(static_cast<int>(turn * options.bins), 0, options.bins - 1);
    }
    return bins;
  }
  std::vector<std::size_t> order(readouts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return signal.values[a] < signal.values[b]; });
  for (std::size_t place = 0; place < readouts; ++place) {
    bins[order[place]] = static_cast<int>(place * static_cast<std::size_t>(options.bins) / readouts);
  }
  return bins;
}

std::vector<double> gating_weights(const GatingSignal& signal, double part) {
  if (!(part > 0 && part < 1)) {
    throw ValueError(
        fmt::format("gating: {:g} of the readouts to count fully, expected a part above 0, below 1", part));
  }
  std::vector<double> sorted = signal.values;
  std::sort(sorted.begin(), sorted.end());
  const auto inside = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::lround(part * static_cast<double>(sorted.size()))), 1, sorted.size());
  std::size_t best = 0;
  for (std::size_t first = 0; first + inside <= sorted.size(); ++first) {
    if (sorted[first + inside - 1] - sorted[first] < sorted[best + inside - 1] - sorted[best]) best = first;
  }
  const double low = sorted[best];
  const double high = sorted[best + inside - 1];
  const double half = (high - low) / 2;
  std::vector<double> weights;
  for (const double value : signal.values) {
    const double beyond = std::max({low - value, value - high, 0.0});
    weights.push_back(beyond == 0 ? 1 : std::exp(-beyond * beyond / (2 * half * half)));
  }
  return weights;
}

GatedScan gate(const Context& ctx, Scan scan, const GatingOptions& options) {
  GatedScan gated;
  ProgressStage progress(ctx, "self-gating", static_cast<Index>(scan.frames.size()));
  for (const ScanFrame& frame : scan.frames) {
    gated.signals.push_back(gating_signal(ctx, scan, frame, options));
    gated.bins.push_back(gating_bins(gated.signals.back(), options));
    progress.advance();
  }
  if (!gated.signals.empty()) {
    const GatingSignal& first = gated.signals.front();
    scan.notes.emplace_back(
        fmt::format("Self-gating: the center of k-space moves at {:.3g} Hz; the signal has {:.0f} % of what its coils "
                    "have from {:g} to {:g} Hz. {} frames by its {}.",
                    first.frequency_hz, 100 * first.part, options.band[0], options.band[1], options.bins,
                    option_table<GatingOptions>().text_of(options, "by")),
        NoteKind::answer);
  }
  gated.scan = bin_frames(ctx, std::move(scan), gated.bins, options.bins);
  return gated;
}

}  // namespace whorl
