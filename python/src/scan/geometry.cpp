// Where images lie in the patient, and the counters of frames.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "copies.hpp"
#include "described.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::python {

void bind_geometry(Module& m) {
  Class<Geometry>(m, "Geometry",
                  "The position of an image volume in the patient: LPS millimeters, of the center of the volume; the\n"
                  "directions are unit vectors along x (read), y (phase) and z (slice).",
                  made_by_init())
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
  Class<FrameIndex>(m, "FrameIndex", "The counters of a frame, as in ISMRMRD.", made_by_init())
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
  Class<ImageFrame>(m, "ImageFrame", "The index and the geometry of an image.", made_by_init())
      .def(nb::init<>())
      .def_rw("index", &ImageFrame::index, "Its counters.")
      .def_rw("geometry", &ImageFrame::geometry, "Where it lies in the patient.");
}

}  // namespace whorl::python
