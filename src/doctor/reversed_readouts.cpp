// Readouts whose samples are in the opposite order of their positions.
#include <fmt/format.h>

#include "doctor/check.hpp"

namespace whorl::doctor {

namespace {

constexpr double likely = 0.75;

struct Pattern {
  const char* name;
  bool even;
  bool odd;

  bool reverses(Index readout) const { return readout % 2 == 0 ? even : odd; }
};

constexpr std::array<Pattern, 3> patterns{{{"all readouts", true, true},
                                           {"every second readout", false, true},
                                           {"the first of every two readouts", true, false}}};

void reverse(Scan& scan, const Pattern& pattern) {
  for (ScanFrame& frame : scan.frames) {
    const Index length = frame.trajectory->readout_length;
    if (length < 2) continue;
    const auto data = frame.data.view<2>();
    for (Index first = 0; first + length <= data.extent(1); first += length) {
      if (!pattern.reverses(first / length)) continue;
      for (Index c = 0; c < data.extent(0); ++c) {
        for (Index i = 0; i < length / 2; ++i) std::swap(data(c, first + i), data(c, first + length - 1 - i));
      }
    }
  }
}

}  // namespace

// Spokes through the center that are all reversed make a turned image: that is no contradiction, and is not found.
Findings find_reversed_readouts(const Context& ctx, Examination& examination) {
  const Index length = examination.readout_length();
  if (length < 2) {
    examination.undecided.emplace_back(
        "readouts: their length is not known; their order, delays and off-resonance were not judged.");
    return {};
  }
  const double before = examination.nominal_fit(ctx).residual;
  if (examination.nominal_fit(ctx).grid == 0 || examination.is_consistent(ctx, before)) return {};
  const Pattern* best = nullptr;
  double least = before;
  for (const Pattern& pattern : patterns) {
    const detail::CenterFit fit = examination.fit(ctx, [&](Index j) {
      const Index readout = j / length;
      return examination.nominal(pattern.reverses(readout) ? (2 * readout + 1) * length - 1 - j : j);
    });
    if (fit.residual < least && explained(before, fit.residual) >= likely) {
      best = &pattern;
      least = fit.residual;
    }
  }
  if (best == nullptr) return {};
  return {{.check = "readout order",
           .what = fmt::format(
               "the samples of {} are in the opposite order of their positions (contradiction {:.3g}, after "
               "turning them {:.3g})",
               best->name, before, least),
           .value = before,
           .unit = "of the signal",
           .confidence = explained(before, least),
           .remedy = "whorl doctor --fix",
           .mend_text = fmt::format("the samples of {} reversed", best->name),
           .mend = [pattern = *best](const Context&, Scan& scan) { reverse(scan, pattern); }}};
}

}  // namespace whorl::doctor
