// Pulseq sequences.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl::python {

namespace {

using Path = std::filesystem::path;

template <Array<double> PulseqReadouts::*member>
nb::object array_of(nb::handle self) {
  return view_of((nb::cast<const PulseqReadouts&>(self).*member).ref(), self, true);
}

}  // namespace

void bind_pulseq(Module& m) {
  Class<PulseqReadout>(m, "PulseqReadout",
                       "The samples of one ADC event: those from `first` on in the arrays of PulseqReadouts.")
      .def_ro("first", &PulseqReadout::first, "Index of its first sample.")
      .def_ro("samples", &PulseqReadout::samples, "How many they are.")
      .def_ro("dwell_us", &PulseqReadout::dwell_us, "Sample time in microseconds.")
      .def_ro("frame", &PulseqReadout::frame, "Labels SLC, ECO, PHS, REP, SET.");
  Class<PulseqReadouts>(m, "PulseqReadouts", "Where a Pulseq sequence samples k-space, and when.")
      .def(property<"positions_per_m(self) -> Array">(&array_of<&PulseqReadouts::positions_per_m>,
                                                      "float64 [sample, 3], in 1/m along the gradient axes x, y, z."))
      .def(property<"seconds(self) -> Array">(&array_of<&PulseqReadouts::seconds>,
                                              "float64 [sample], from the start of the sequence."))
      .def(property<"seconds_after_excitation(self) -> Array">(
          &array_of<&PulseqReadouts::seconds_after_excitation>,
          "float64 [sample], from the center of the last excitation."))
      .def_ro("readouts", &PulseqReadouts::readouts, "One for each ADC event, in the order of time.")
      .def_ro("field_of_view_mm", &PulseqReadouts::field_of_view_mm, "x, y, z; 0: not stated.")
      .def_prop_ro(
          "notes", [](const PulseqReadouts& self) { return with_keywords(self.notes); },
          "Sentences: how the file was interpreted.");
  def<"read_pulseq_readouts(path: Path, *, context) -> PulseqReadouts">(
      m,
      [](const Path& path, nb::handle context) {
        return run(context_of(context), [&](const Context& ctx) { return read_pulseq_readouts(ctx.host(), path); });
      },
      R"(Positions and times of all samples of a Pulseq sequence (.seq, version 1.2 to 1.5).

Excitations set k to 0, refocusing pulses reverse it. Noise scans, navigators and readouts before the first pulse
are left out.

Raises  IoError, Unsupported, Cancelled)");
  def<"read_pulseq(path: Path, image_shape: Shape | None = None, *, field_of_view_mm: Vector = (0.0, "
      "0.0, 0.0), context) -> Scan">(
      m,
      [](const Path& path, nb::handle image_shape, const std::array<double, 3>& field_of_view_mm, nb::handle context) {
        PulseqImage image;
        image.field_of_view_mm = field_of_view_mm;
        if (!image_shape.is_none()) image.matrix = matrix_from(image_shape);
        return run(context_of(context), [&](const Context& ctx) { return read_pulseq(ctx.host(), path, image); });
      },
      R"(The trajectory of a Pulseq sequence, as a scan without data: frames by the labels SLC, ECO, PHS, REP, SET.

image_shape: (y, x) or (z, y, x); without it the smallest even matrix that holds all samples. A field of view of 0 is
that of the sequence.

Units   cycles per pixel
Raises  IoError, Unsupported, ValueError, Cancelled)");
}

}  // namespace whorl::python
