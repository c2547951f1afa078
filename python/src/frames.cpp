// Frames that are made from the readouts of a scan: joined, cut, or gated by the motion of the object.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/scan/frame_options.hpp"

namespace whorl::python {

void bind_frames(nb::module_& m) {
  nb::class_<GatingSignal>(m, "GatingSignal", "The signal of one frame's readouts, by which they are gated.")
      .def_ro("values", &GatingSignal::values, "[readout]: mean 0, mean square 1.")
      .def_ro("phases", &GatingSignal::phases, "[readout]: of the analytic signal, in radians, -pi to pi.")
      .def_ro("frequency_hz", &GatingSignal::frequency_hz, "Where the spectrum of the values is largest.")
      .def_ro("part", &GatingSignal::part, "Of the energy in the band, over all coils, that the signal has.");
  nb::class_<GatedScan>(m, "GatedScan", "What make_frames makes.")
      .def_ro("scan", &GatedScan::scan, "With the new frames; those of gating have the bin as phase.")
      .def_ro("signals", &GatedScan::signals, "Of gating, for each slice.")
      .def_ro("bins", &GatedScan::bins, "Of gating: [slice][readout].");
  static const std::vector<OptionsOf> options{options_of<FrameOptions>()};
  m.def(
      "make_frames",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        const auto chosen = options_from<FrameOptions>(keywords, "make_frames", options[0]);
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return make_frames(ctx, clone(ctx, scan), chosen); });
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("make_frames", "scan: Scan", options, context_keyword, "GatedScan")),
      with_options("A copy of a scan with other frames: readouts joined by counters, cut into frames of equally many, "
                   "or gated by\n"
                   "the signal that all readouts measure at the center of k-space (self-gating).\n\n"
                   "Raises  ValueError (readouts of unknown length, a trajectory without data to gate, an unknown "
                   "readout interval,\n"
                   "        data without a signal in the band, gating and a number of readouts together), Cancelled\n"
                   "Source  Larson et al., Magn Reson Med 51:93 (2004); Pang et al., Magn Reson Med 71:67 (2014)",
                   options));
}

}  // namespace whorl::python
