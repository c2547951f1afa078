// Scans: what is measured, and its preparation.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/scan/prepare.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::python {

namespace {

using Complex = std::complex<float>;

// The part at an index of the first axis; it keeps the memory alive.
template <class T>
Array<T> part_of(const std::shared_ptr<Array<T>>& whole, Index index) {
  const ArrayRef<const T> part = std::as_const(*whole).slice(index);
  return Array<T>::adopt(std::shared_ptr<T>(whole, const_cast<T*>(part.data())), part.shape());
}

bool is_list(nb::handle object) { return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object); }

void set_data(Scan& scan, nb::handle object) {
  if (object.is_none()) return;
  auto data = std::make_shared<Array<Complex>>(host_array<Complex>(Input(object, "data")));
  if (data->rank() == 2) data->reshape(data->shape().with_front(1));
  if (data->rank() != 3) {
    throw ShapeError("data has shape " + to_string(data->shape()) +
                     ", expected [coil, sample] or [frame, coil, sample]");
  }
  scan.coils = data->extent(1);
  scan.frames.resize(static_cast<std::size_t>(data->extent(0)));
  for (std::size_t i = 0; i < scan.frames.size(); ++i) scan.frames[i].data = part_of(data, static_cast<Index>(i));
}

void set_trajectories(Scan& scan, nb::handle object, Index readout_length) {
  std::vector<std::shared_ptr<const Trajectory>> given;
  if (is_list(object)) {
    for (const nb::handle one : object) given.push_back(trajectory_from(one, readout_length));
  } else {
    given.push_back(trajectory_from(object, readout_length));
  }
  if (scan.frames.empty()) scan.frames.resize(given.size());
  if (given.size() != 1 && given.size() != scan.frames.size()) {
    throw ShapeError("there are " + std::to_string(given.size()) + " trajectories for " +
                     std::to_string(scan.frames.size()) + " frames; pass one, or one for each");
  }
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    ScanFrame& frame = scan.frames[i];
    frame.trajectory = given[given.size() == 1 ? 0 : i];
    frame.index.repetition = static_cast<int>(i);
    const Index samples = frame.trajectory->samples();
    if (scan.coils == 0) frame.data = Array<Complex>(Context(), {0, samples});
    if (frame.data.extent(1) != samples) {
      throw ShapeError("data has " + std::to_string(frame.data.extent(1)) + " samples, the trajectory " +
                       std::to_string(samples));
    }
  }
}

void set_weights(Scan& scan, nb::handle object) {
  if (object.is_none()) return;
  std::vector<std::shared_ptr<const Array<float>>> given;
  const auto add = [&](nb::handle one) {
    Input input(one, "weights");
    given.push_back(std::make_shared<const Array<float>>(host_copy<float>(input)));
  };
  if (is_list(object)) {
    for (const nb::handle one : object) add(one);
  } else {
    add(object);
  }
  if (given.size() != 1 && given.size() != scan.frames.size()) {
    throw ShapeError("there are " + std::to_string(given.size()) + " arrays of weights for " +
                     std::to_string(scan.frames.size()) + " frames; pass one, or one for each");
  }
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    const auto& weights = given[given.size() == 1 ? 0 : i];
    if (weights->shape() != Shape{scan.frames[i].trajectory->samples()}) {
      throw ShapeError("weights has shape " + to_string(weights->shape()) + ", expected [" +
                       std::to_string(scan.frames[i].trajectory->samples()) + "], one for each sample");
    }
    scan.frames[i].weights = weights;
  }
}

void set_maps(Scan& scan, nb::handle object) {
  if (object.is_none()) {
    scan.coil_maps = {};
    return;
  }
  if (scan.coils == 0)
    throw ValueError("coil_maps are those of the data's coils, and the scan has no data; give data too");
  Array<Complex> maps = host_array<Complex>(Input(object, "coil_maps"));
  const Shape given = maps.shape();
  if (maps.rank() == 3) maps.reshape({maps.extent(0), 1, maps.extent(1), maps.extent(2)});
  const Shape expected{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  if (maps.shape() != expected) {
    throw ShapeError("coil_maps has shape " + to_string(given) + ", expected " +
                     to_string(scan.image_shape().with_front(scan.coils)) + " ([coil, (z,) y, x])");
  }
  scan.coil_maps = std::move(maps);
}

Scan scan_from(nb::handle trajectory, nb::handle matrix, nb::handle data, nb::handle weights, nb::handle noise,
               nb::handle coil_maps, Index readout_length, const Geometry* geometry, double dwell_us,
               double noise_dwell_us, const std::string& trajectory_kind) {
  Scan scan;
  scan.source = "arrays of Python";
  scan.matrix = matrix_from(matrix, "matrix");
  scan.trajectory_kind = trajectory_kind;
  scan.trajectory_unit = "cycles per pixel";
  scan.dwell_us = dwell_us;
  scan.noise_dwell_us = noise_dwell_us;
  set_data(scan, data);
  set_trajectories(scan, trajectory, readout_length);
  set_weights(scan, weights);
  set_maps(scan, coil_maps);
  if (!noise.is_none()) {
    scan.noise = host_array<Complex>(Input(noise, "noise"));
    if (scan.noise.rank() != 2 || (scan.coils > 0 && scan.noise.extent(0) != scan.coils)) {
      throw ShapeError("noise has shape " + to_string(scan.noise.shape()) + ", expected [coil, sample] of " +
                       std::to_string(scan.coils) + " coils");
    }
  }
  for (ScanFrame& frame : scan.frames) {
    if (geometry != nullptr) frame.geometry = *geometry;
    if (frame.trajectory->dim() != scan.dim()) {
      throw ShapeError("the trajectory has " + std::to_string(frame.trajectory->dim()) + " columns, the matrix " +
                       std::to_string(scan.dim()) + " extents");
    }
  }
  return scan;
}

void bind_geometry(nb::module_& m) {
  nb::class_<Geometry>(
      m, "Geometry",
      "The position of an image volume in the patient: LPS millimeters, of the center of the volume; the\n"
      "directions are unit vectors along x (read), y (phase) and z (slice).")
      .def(nb::init<>())
      .def_rw("field_of_view_mm", &Geometry::field_of_view_mm, "Of the volume, along x, y and z; 0: unknown.")
      .def_rw("position_mm", &Geometry::position_mm, "Center of the volume, LPS.")
      .def_rw("read_direction", &Geometry::read_direction, "Unit vector along x of the image.")
      .def_rw("phase_direction", &Geometry::phase_direction, "Unit vector along y of the image.")
      .def_rw("slice_direction", &Geometry::slice_direction, "Unit vector along z of the image.")
      .def("__repr__", [](const Geometry& self) {
        const auto text = [](const std::array<double, 3>& v) {
          return nb::cast<std::string>(nb::str(nb::make_tuple(v[0], v[1], v[2])));
        };
        return "<whorl.Geometry: field of view " + text(self.field_of_view_mm) + " mm at " + text(self.position_mm) +
               ">";
      });
  nb::class_<FrameIndex>(m, "FrameIndex", "The counters of a frame, as in ISMRMRD.")
      .def(nb::init<>())
      .def_rw("slice", &FrameIndex::slice, "Index of the slice, from 0.")
      .def_rw("contrast", &FrameIndex::contrast, "Index of the contrast (echo), from 0.")
      .def_rw("phase", &FrameIndex::phase, "Index of the cardiac or other phase, from 0.")
      .def_rw("repetition", &FrameIndex::repetition, "Index of the repetition, from 0.")
      .def_rw("set", &FrameIndex::set, "Index of the set, from 0.")
      .def("__repr__", [](const FrameIndex& self) {
        return "<whorl.FrameIndex: slice " + std::to_string(self.slice) + ", contrast " +
               std::to_string(self.contrast) + ", phase " + std::to_string(self.phase) + ", repetition " +
               std::to_string(self.repetition) + ", set " + std::to_string(self.set) + ">";
      });
  nb::class_<ImageFrame>(m, "ImageFrame", "The index and the geometry of an image.")
      .def(nb::init<>())
      .def_rw("index", &ImageFrame::index, "Its counters.")
      .def_rw("geometry", &ImageFrame::geometry, "Where it lies in the patient.");
}

void bind_frame(nb::module_& m) {
  nb::class_<ScanFrame>(m, "ScanFrame", "The samples that make one image (2D) or one volume (3D).")
      .def_ro("index", &ScanFrame::index, "Its counters.")
      .def_ro("geometry", &ScanFrame::geometry, "Where its image lies in the patient.")
      .def_prop_ro(
          "trajectory", [](const ScanFrame& self) { return std::const_pointer_cast<Trajectory>(self.trajectory); },
          "Positions of its samples, which frames may share.")
      .def_prop_ro(
          "data", [](nb::handle self) { return view_of(nb::cast<const ScanFrame&>(self).data.ref(), self); },
          nb::sig("def data(self) -> numpy.ndarray"), "complex64 [coil, sample], a view of the scan's memory.")
      .def_prop_ro(
          "weights",
          [](nb::handle self) -> nb::object {
            const auto& weights = nb::cast<const ScanFrame&>(self).weights;
            return weights ? view_of(weights->ref(), self, true) : nb::none();
          },
          nb::sig("def weights(self) -> numpy.ndarray | None"), "Density weights that came with the file.")
      .def("__repr__", [](const ScanFrame& self) {
        return "<whorl.ScanFrame of data " + to_string(self.data.shape()) + ", slice " +
               std::to_string(self.index.slice) + ", contrast " + std::to_string(self.index.contrast) + ", phase " +
               std::to_string(self.index.phase) + ", repetition " + std::to_string(self.index.repetition) + ">";
      });
}

void bind_scan_class(nb::module_& m) {
  nb::class_<Scan>(
      m, "Scan",
      "A measurement: frames of samples with their trajectory, and what belongs to them. Without data it is a\n"
      "trajectory with the matrix of its image. whorl.read_scan reads one from a file.\n\n"
      "trajectory  array [sample, dim] in cycles per pixel or Trajectory, for all frames, or a list with one for each\n"
      "matrix      (x, y) or (x, y, z) of the image\n"
      "data        complex64 [coil, sample] or [frame, coil, sample]; not copied\n"
      "weights     density weights [sample], or a list with one array for each frame\n"
      "noise       complex64 [coil, sample] of a noise scan\n"
      "coil_maps   complex64 [coil, (z,) y, x]\n"
      "dwell_us    sample time, and that of the noise scan, in microseconds; 0: unknown\n\n"
      "Raises      ShapeError, ValueError")
      .def(
          "__init__",
          [](Scan* self, nb::handle trajectory, nb::handle matrix, nb::handle data, nb::handle weights,
             nb::handle noise, nb::handle coil_maps, Index readout_length, const Geometry* geometry, double dwell_us,
             double noise_dwell_us, const std::string& kind) {
            new (self) Scan(scan_from(trajectory, matrix, data, weights, noise, coil_maps, readout_length, geometry,
                                      dwell_us, noise_dwell_us, kind));
          },
          nb::arg("trajectory"), nb::arg("matrix"), nb::arg("data").none() = nb::none(), nb::kw_only(),
          nb::arg("weights").none() = nb::none(), nb::arg("noise").none() = nb::none(),
          nb::arg("coil_maps").none() = nb::none(), nb::arg("readout_length") = 0,
          nb::arg("geometry").none() = nb::none(), nb::arg("dwell_us") = 0.0, nb::arg("noise_dwell_us") = 0.0,
          nb::arg("trajectory_kind") = "other",
          nb::sig(
              "def __init__(self, trajectory: object, matrix: collections.abc.Sequence[int], data: object = None, *, "
              "weights: object = None, noise: object = None, coil_maps: object = None, readout_length: int = 0, "
              "geometry: Geometry | None = None, dwell_us: float = 0.0, noise_dwell_us: float = 0.0, "
              "trajectory_kind: str = 'other') -> None"))
      .def_ro("source", &Scan::source, "Path of the file.")
      .def_ro("system", &Scan::system, "Vendor and model of the scanner; empty: unknown.")
      .def_ro("coils", &Scan::coils, "Number of receive coils.")
      .def_ro("notes", &Scan::notes, "Sentences: how the file was interpreted.")
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
      .def_prop_ro("dim", &Scan::dim, "Of image and trajectory: 2 or 3.")
      .def_prop_ro(
          "matrix", [](const Scan& self) { return nb::make_tuple(self.matrix[0], self.matrix[1], self.matrix[2]); },
          nb::sig("def matrix(self) -> tuple[int, int, int]"), "Extents of the image: x, y, z (z = 1: 2D).")
      .def_prop_ro(
          "image_shape", [](const Scan& self) { return to_tuple(self.image_shape()); },
          nb::sig("def image_shape(self) -> tuple[int, ...]"), "(y, x) or (z, y, x).")
      .def_prop_ro(
          "frames",
          [](nb::handle self) {
            nb::list frames;
            for (ScanFrame& frame : nb::cast<Scan&>(self).frames) {
              frames.append(nb::cast(frame, nb::rv_policy::reference_internal, self));
            }
            return frames;
          },
          nb::sig("def frames(self) -> list[ScanFrame]"), "The frames, in the order of the file.")
      .def_prop_ro(
          "noise",
          [](nb::handle self) -> nb::object {
            const Array<Complex>& noise = nb::cast<const Scan&>(self).noise;
            return noise.size() > 0 ? view_of(noise.ref(), self) : nb::none();
          },
          nb::sig("def noise(self) -> numpy.ndarray | None"),
          "complex64 [coil, sample] of the noise scan, a view of its memory; None without one.")
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
      .def(NotPickled("write it to a file (whorl.write_scan)"))
      .def("__repr__", [](const Scan& self) {
        return "<whorl.Scan of " + std::to_string(self.frames.size()) + " frames, " + std::to_string(self.coils) +
               " coils, image " + to_string(self.image_shape()) + ">";
      });
}

void bind_preparation(nb::module_& m) {
  m.def(
      "prewhiten",
      [](const Scan& scan, nb::handle context) {
        return run(context_of(context), [&](const Context& ctx) {
          Scan copy = clone(ctx, scan);
          prewhiten(ctx, copy, copy.notes);
          return copy;
        });
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::sig("def prewhiten(scan: Scan, *, context: Context | str | None = None) -> Scan"),
      "A copy of a scan whose noise is independent between coils, E|n|^2 = 1, by the noise scan or, without one, by "
      "the\n"
      "edge of k-space in the first frame. Its notes say which. Data whose edge is not white noise stay as they "
      "are.\n\n"
      "Raises ValueError");
  static const std::vector<OptionsOf> compression{options_of<CoilCompressionOptions>()};
  m.def(
      "compress_coils",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        const auto options = options_from<CoilCompressionOptions>(keywords, "compress_coils", compression[0]);
        return run(context_of(context), [&](const Context& ctx) {
          Scan copy = clone(ctx, scan);
          compress_coils(ctx, copy, options, copy.notes);
          return copy;
        });
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("compress_coils", "scan: Scan", compression, "context: Context | str | None = None", "Scan")),
      with_options(
          "A copy of a scan with fewer, virtual coils. Prewhiten first. Its notes state the energy that is kept.\n\n"
          "Raises  ValueError (options out of range, a scan without data, data of zeros), Cancelled",
          compression));
}

}  // namespace

void bind_scan(nb::module_& m) {
  bind_geometry(m);
  bind_frame(m);
  bind_scan_class(m);
  bind_preparation(m);
}

}  // namespace whorl::python
