// Frames that are made from the readouts of a scan: joined, cut, or gated by the motion of the object.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/scan/self_gating.hpp"

namespace whorl::python {

namespace {

// The signature of gating_signal states this default too.
static_assert(GatingOptions{}.band == std::array{0.5, 2.0});

// Signal of a frame, or values alone.
GatingSignal signal_from(nb::handle object) {
  if (nb::isinstance<GatingSignal>(object)) return nb::cast<GatingSignal>(object);
  GatingSignal signal;
  signal.values = numbers_from(object, "signal");
  for (const double value : signal.values) {
    if (!std::isfinite(value)) throw ValueError("gating_weights: the signal has values that are not finite");
  }
  return signal;
}

void bind_gating(Module& m) {
  Class<GatingSignal>(m, "GatingSignal", "The signal of one frame's readouts, by which they are gated.")
      .def_ro("values", &GatingSignal::values, "[readout]: mean 0, mean square 1.")
      .def_ro("phases", &GatingSignal::phases, "[readout]: of the analytic signal, in radians, -pi to pi.")
      .def_ro("frequency_hz", &GatingSignal::frequency_hz, "Where the spectrum of the values is largest.")
      .def_ro("part", &GatingSignal::part, "Of the energy in the band, over all coils, that the signal has.");
  def<"gating_signal(scan: Scan, frame: int = 0, *, gate_band: tuple[float, float] = (0.5, 2.0), "
      "context) -> GatingSignal">(
      m,
      [](const Scan& scan, Index frame, const std::array<double, 2>& band, nb::handle context) {
        const auto count = static_cast<Index>(scan.frames.size());
        if (frame < 0 || frame >= count) {
          throw ValueError("gating_signal: frame " + std::to_string(frame) + ", expected 0 to " +
                           std::to_string(count - 1));
        }
        return run(context_of(context).host(), [&](const Context& ctx) {
          return gating_signal(ctx, scan, scan.frames[static_cast<std::size_t>(frame)], {.band = band});
        });
      },
      R"(How the object moves, by the samples nearest to k = 0 of each readout of a frame: limited to the band, it is the
principal component of all coils. Its sign is not known. Runs on the host.

Units   gate_band in Hz: 0.7 to 2 for hearts, 0.1 to 0.5 for breathing
Raises  ValueError (no such frame, an unknown readout interval or length, readouts that do not pass the center, a band
        without frequencies between 0 and half the readouts' rate, data without a signal there), Cancelled
Source  Larson et al., Magn Reson Med 51:93 (2004); Pang et al., Magn Reson Med 71:67 (2014))");
  def<"gating_weights(signal: object, part: float) -> Array">(
      m,
      [](nb::handle signal_object, double part) {
        const GatingSignal signal = signal_from(signal_object);
        const std::vector<double> weights =
            run(context_of(nb::none()), [&](const Context&) { return gating_weights(signal, part); });
        Array<double> made(Context(), {static_cast<Index>(weights.size())});
        std::copy(weights.begin(), weights.end(), made.data());
        return to_python(std::move(made));
      },
      R"(Soft gating: a weight for each readout, by where the motion is. The readouts of the shortest interval of the signal that
has `part` of them, where the object rests longest, have weight 1. Others fall off as exp(-(d / h)^2 / 2) with their
distance d from the interval, whose half is h. make_frames(soft_gate=part) applies them.

Shapes  signal: a GatingSignal, or values [readout] of any unit, such as those of a belt; float64 [readout]
Raises  ValueError (a part that is not between 0 and 1, no readouts, values that are not finite), ShapeError)");
}

}  // namespace

void bind_frames(Module& m) {
  bind_gating(m);
  Class<GatedScan>(m, "GatedScan",
                   "What make_frames makes: the readouts of a scan in new frames, and what they were sorted by.\n\n"
                   "Without gating there are no signals and bins.")
      .def_ro("scan", &GatedScan::scan, "With the new frames; those of gating have the bin as phase.")
      .def_ro("signals", &GatedScan::signals, "Of gating, for each slice.")
      .def_ro("bins", &GatedScan::bins, "Of gating: [slice][readout].");
  def<"make_frames(scan: Scan, *, options, context) -> GatedScan">(
      m,
      [](const Scan& scan, nb::handle context, const FrameOptions& chosen) {
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return make_frames(ctx, clone(ctx, scan), chosen); });
      },
      R"(A copy of a scan with other frames: readouts joined by counters, cut into frames of equally many, or gated by
the signal that all readouts measure at the center of k-space (self-gating).

Raises  ValueError (readouts of unknown length, a trajectory without data to gate, an unknown readout interval,
        data without a signal in the band, gating and a number of readouts together), Cancelled
Source  Larson et al., Magn Reson Med 51:93 (2004); Pang et al., Magn Reson Med 71:67 (2014))",
      options_of<FrameOptions>());
}

}  // namespace whorl::python
