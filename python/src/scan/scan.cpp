// Scans: what is measured, and its preparation.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "scan/make_scan.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/scan/prepare.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::python {

namespace {

using Complex = std::complex<float>;

void bind_frame(Module& m) {
  Class<ScanFrame>(m, "ScanFrame", "The samples that make one image (2D) or one volume (3D).")
      .def_ro("index", &ScanFrame::index, "Its counters.")
      .def_ro("geometry", &ScanFrame::geometry, "Where its image lies in the patient.")
      .def_prop_ro(
          "trajectory", [](const ScanFrame& self) { return std::const_pointer_cast<Trajectory>(self.trajectory); },
          "Positions of its samples, which frames may share.")
      .def(property<"data(self) -> Array">(
          [](nb::handle self) { return view_of(nb::cast<const ScanFrame&>(self).data.ref(), self); },
          "complex64 [coil, sample], a view of the scan's memory."))
      .def(property<"weights(self) -> Array | None">(
          [](nb::handle self) -> nb::object {
            const auto& weights = nb::cast<const ScanFrame&>(self).weights;
            return weights ? view_of(weights->ref(), self, true) : nb::none();
          },
          "Density weights that came with the file."))
      .def("__repr__", [](const ScanFrame& self) {
        return "<whorl.ScanFrame of data " + to_string(self.data.shape()) + ", slice " +
               std::to_string(self.index.slice) + ", contrast " + std::to_string(self.index.contrast) + ", phase " +
               std::to_string(self.index.phase) + ", repetition " + std::to_string(self.index.repetition) + ">";
      });
}

void bind_scan_class(Module& m) {
  Class<Scan>(
      m, "Scan",
      "A measurement: frames of samples with their trajectory, and what belongs to them. Without data it is a\n"
      "trajectory with the shape of its image. whorl.read_scan reads one from a file.\n\n"
      "trajectory  array [sample, dim] in cycles per pixel, [spoke, readout, dim], or Trajectory, for all frames, or "
      "a\n"
      "            list with one for each\n"
      "image_shape (y, x) or (z, y, x)\n"
      "data        complex64 [coil, sample] or [frame, coil, sample], also with samples [spoke, readout]; not copied\n"
      "weights     density weights [sample], or a list with one array for each frame\n"
      "noise       complex64 [coil, sample] of a noise scan\n"
      "coil_maps   complex64 [coil, (z,) y, x]\n"
      "dwell_us    sample time, and that of the noise scan, in microseconds; 0: unknown\n\n"
      "Raises      ShapeError, ValueError",
      made_by_init())
      .def(method<"__init__(self, trajectory: object, image_shape: Shape, data: object = None, *, weights: object "
                  "= None, noise: object = None, coil_maps: object = None, readout_length: int = 0, geometry: "
                  "Geometry | None = None, dwell_us: float = 0.0, noise_dwell_us: float = 0.0, trajectory_kind: "
                  "str = 'other') -> None">([](Scan* self, nb::handle trajectory, nb::handle image_shape,
                                               nb::handle data, nb::handle weights, nb::handle noise,
                                               nb::handle coil_maps, Index readout_length, const Geometry* geometry,
                                               double dwell_us, double noise_dwell_us, const std::string& kind) {
        new (self) Scan(scan_from(trajectory, image_shape, data, weights, noise, coil_maps, readout_length, geometry,
                                  dwell_us, noise_dwell_us, kind));
      }))
      .def_ro("source", &Scan::source, "Path of the file.")
      .def_ro("system", &Scan::system, "Vendor and model of the scanner; empty: unknown.")
      .def_ro("coils", &Scan::coils, "Number of receive coils.")
      .def_prop_ro(
          "notes", [](const Scan& self) { return with_keywords(self.notes); },
          "Sentences: how the file was interpreted.")
      .def_ro("trajectory_kind", &Scan::trajectory_kind, "'radial', 'spiral' or 'other', from the file.")
      .def_ro("trajectory_unit", &Scan::trajectory_unit, "A sentence: the unit in the file, and how it was found.")
      .def_ro("dwell_us", &Scan::dwell_us, "Sample time of the data in microseconds; 0: unknown.")
      .def_ro("noise_dwell_us", &Scan::noise_dwell_us, "Sample time of the noise scan in microseconds; 0: unknown.")
      .def_prop_rw(
          "readout_interval_ms", [](const Scan& self) { return self.readout_interval_ms; },
          [](Scan& self, double interval) {
            if (!(interval >= 0) || !std::isfinite(interval)) {
              throw ValueError("readout_interval_ms is " + std::to_string(interval) + ", expected 0 (unknown) or more");
            }
            self.readout_interval_ms = interval;
          },
          "From one readout of a slice to the next, in ms; 0: unknown.")
      .def_ro("echo_times_ms", &Scan::echo_times_ms, "Of the contrasts, in their order; empty: unknown.")
      .def_prop_ro("dim", &Scan::dim, "Of image and trajectory: 2 or 3.")
      .def(property<"image_shape(self) -> tuple[int, ...]">(
          [](const Scan& self) { return to_tuple(self.image_shape()); }, "(y, x) or (z, y, x)."))
      .def(property<"frames(self) -> list[ScanFrame]">(
          [](nb::handle self) {
            nb::list frames;
            for (ScanFrame& frame : nb::cast<Scan&>(self).frames) {
              frames.append(nb::cast(frame, nb::rv_policy::reference_internal, self));
            }
            return frames;
          },
          "The frames, in the order of the file."))
      .def(property<"noise(self) -> Array | None">(
          [](nb::handle self) -> nb::object {
            const Array<Complex>& noise = nb::cast<const Scan&>(self).noise;
            return noise.size() > 0 ? view_of(noise.ref(), self) : nb::none();
          },
          "complex64 [coil, sample] of the noise scan, a view of its memory; None without one."))
      .def_prop_rw(
          "coil_maps",
          [](nb::handle self) -> nb::object {
            const Array<Complex>& maps = nb::cast<const Scan&>(self).coil_maps;
            return maps.size() > 0 ? view_of(maps.ref(), self) : nb::none();
          },
          [](Scan& self, nb::handle maps) { set_maps(self, maps); },
          nb::for_getter(nb::sig("def coil_maps(self) -> numpy.ndarray | None")),
          nb::for_setter(nb::sig("def coil_maps(self, maps: object) -> None")), nb::arg("maps").none(),
          "complex64 [coil, z, y, x]; set to [coil, (z,) y, x], not copied, or None. For maps='file'.")
      .def_prop_rw(
          "sample_weights",
          [](nb::handle self) -> nb::object {
            const Array<double>& weights = nb::cast<const Scan&>(self).sample_weights;
            return weights.size() > 0 ? view_of(weights.ref(), self) : nb::none();
          },
          [](Scan& self, nb::handle weights) { set_sample_weights(self, weights); },
          nb::for_getter(nb::sig("def sample_weights(self) -> numpy.ndarray | None")),
          nb::for_setter(nb::sig("def sample_weights(self, weights: object) -> None")), nb::arg("weights").none(),
          "float64 [readout] or [sample] of all frames in their order: how much they count in least squares, the "
          "inverse "
          "variance of their noise; None: all alike.")
      .def(method<"replace(self, *, trajectory: object = None, data: object = None, weights: object = None, noise: "
                  "object = None, coil_maps: object = None, sample_weights: object = None, geometry: Geometry | "
                  "None = None, readout_length: int | None = None) -> Scan">(
          [](const Scan& self, nb::handle trajectory, nb::handle data, nb::handle weights, nb::handle noise,
             nb::handle coil_maps, nb::handle sample_weights, nb::handle geometry, nb::handle readout_length) {
            return replaced(self,
                            {trajectory, data, weights, noise, coil_maps, sample_weights, geometry, readout_length});
          },
          R"(A copy with other parts; all that is not given stays: geometry, noise, counters, times.

Shapes  as the class; as many frames as there are
Raises  ShapeError, ValueError)"))
      // Trajectories and weights do not change, so that copies share them.
      .def("__copy__",
           [](const Scan& self) {
             return run(context_of(nb::none()), [&](const Context& ctx) { return clone(ctx, self); });
           })
      .def(
          "__deepcopy__",
          [](const Scan& self, nb::handle) {
            return run(context_of(nb::none()), [&](const Context& ctx) { return clone(ctx, self); });
          },
          nb::arg("memo"))
      .def("__repr__", [](const Scan& self) {
        return "<whorl.Scan of " + std::to_string(self.frames.size()) + " frames, " + std::to_string(self.coils) +
               " coils, image " + to_string(self.image_shape()) + ">";
      });
}

void bind_preparation(Module& m) {
  def<"prewhiten(scan: Scan, *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle context) {
        return run(context_of(context), [&](const Context& ctx) {
          Scan copy = clone(ctx, scan);
          prewhiten(ctx, copy, copy.notes);
          return copy;
        });
      },
      R"(A copy of a scan whose noise is independent between coils, E|n|^2 = 1, by the noise scan or, without one, by the
edge of k-space in the first frame. Its notes say which. Data whose edge is not white noise stay as they are.

Raises ValueError)");
  def<"compress_coils(scan: Scan, *, options, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle context, const CoilCompressionOptions& options) {
        return run(context_of(context), [&](const Context& ctx) {
          Scan copy = clone(ctx, scan);
          compress_coils(ctx, copy, options, copy.notes);
          return copy;
        });
      },
      R"(A copy of a scan with fewer, virtual coils. Prewhiten first. Its notes state the energy that is kept.

Raises  ValueError (options out of range, a scan without data, data of zeros), Cancelled)",
      options_of<CoilCompressionOptions>());
}

}  // namespace

void bind_scan(Module& m) {
  bind_frame(m);
  bind_scan_class(m);
  bind_preparation(m);
}

}  // namespace whorl::python
