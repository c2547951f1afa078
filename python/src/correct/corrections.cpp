// Scans whose object moved, or whose gradients played something else; and what examines them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "correct/changed_scan.hpp"
#include "described.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/correct/estimate_motion.hpp"
#include "whorl/correct/gradient_response.hpp"
#include "whorl/correct/object_motion.hpp"
#include "whorl/correct/play_gradients.hpp"
#include "whorl/doctor/examine.hpp"
#include "whorl/io/gradient_response_file.hpp"

namespace whorl::python {

namespace {

// The signature of `played` has it, too.
static_assert(ReadoutPlay{}.pixel_mm == std::array{1.0, 1.0, 1.0});

using Vector = std::array<double, 3>;

std::vector<ObjectPose> poses_from(nb::handle object, int dim) {
  std::vector<ObjectPose> poses;
  if (nb::try_cast(object, poses)) return poses;
  Input rows(object, "poses");
  return object_poses(host_copy<double>(rows), dim);
}

void bind_motion(Module& m) {
  Class<ObjectPose>(m, "ObjectPose",
                    "Where the object lies: its point u, seen from the center of the field of view, is at R u + "
                    "shift. R turns about x\n"
                    "first, then y, then z; positive angles turn y toward z, z toward x, and x toward y. Axes are "
                    "those of the image: x\n"
                    "along the rows (read), y along the columns (phase), z along the slices.\n\n"
                    "Units   mm and degrees",
                    made_by_init())
      .def(
          "__init__",
          [](ObjectPose* self, const Vector& shift_mm, const Vector& rotation_degrees) {
            new (self) ObjectPose{shift_mm, rotation_degrees};
          },
          nb::arg("shift_mm") = Vector{}, nb::arg("rotation_degrees") = Vector{})
      .def_rw("shift_mm", &ObjectPose::shift_mm, "Along x, y and z.")
      .def_rw("rotation_degrees", &ObjectPose::rotation_degrees, "About x, y and z.");
  Class<MotionEstimate>(
      m, "MotionEstimate",
      "What estimate_motion finds: where the object lay in each group of readouts. undo_motion takes the poses.")
      .def_ro("poses", &MotionEstimate::poses, "One for each group of readouts; their mean is 0.")
      .def_ro("standard_error_mm", &MotionEstimate::standard_error_mm,
              "The largest of the shifts', by noise: of poses and images that are fitted together.")
      .def_ro("standard_error_degrees", &MotionEstimate::standard_error_degrees,
              "The largest of the angles', likewise.")
      .def_ro("resolution_mm", &MotionEstimate::resolution_mm, "Of the images that were compared.");
  def<"estimate_motion(scan: Scan, readouts: int, *, context) -> MotionEstimate">(
      m,
      [](const Scan& scan, Index readouts, nb::handle context) {
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return estimate_motion(ctx, scan, readouts); });
      },
      R"(The poses of the object during each group of `readouts` consecutive readouts, from the data: images of low
resolution predict the samples of each group near the center of k-space. For undo_motion. Runs on the host.

Raises  ValueError (frames of several slices, readouts of unknown length, an unknown field of view, groups with
        too few samples near the center, poses that do not settle), Cancelled
Source  Cheng et al., Magn Reson Med 68:1785 (2012); Odille et al., Magn Reson Med 60:146 (2008))");
  def<"undo_motion(scan: Scan, poses: object, *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle poses_object, nb::handle context) {
        const std::vector<ObjectPose> poses = poses_from(poses_object, scan.dim());
        return changed_scan(scan, context, [&](const Context& ctx, Scan& copy) { undo_motion(ctx, copy, poses); });
      },
      R"(A copy of a scan as of an object at rest: data d at k become exp(2 pi i k.shift) d at R^T k. Each pose is that of
equally many consecutive readouts. Samples that leave |k| <= 1/2 are dropped, and density weights of frames that
moved; its notes say so.

Shapes  poses: a list of ObjectPose, or numbers [pose, 3] (x, y, angle) in 2D, [pose, 6] in 3D (x, y, z, and the
        angles about x, y, z)
Units   mm and degrees
Raises  ShapeError, ValueError (a number of poses that does not divide that of readouts, readouts of unknown
        length, an unknown field of view), Cancelled
Source  Batchelor et al., Magn Reson Med 54:1273 (2005))");
}

// The matrix of directions: rows are unit vectors along x, y and z of the image.
std::array<Vector, 3> image_directions(nb::handle object) {
  if (object.is_none()) return ReadoutPlay{}.directions;
  return nb::cast<std::array<Vector, 3>>(object);
}

void bind_gradient_response(Module& m) {
  Class<GradientResponse> response(
      m, "GradientResponse",
      "The response of the gradient system over the frequency (GIRF): gradients G(f) that are asked for become H(f) "
      "G(f),\n"
      "and a field b(f).G(f) that is the same everywhere. Axes are those of the patient: x to the left, y to the back, "
      "z\n"
      "to the head. It is interpolated linearly between frequencies, and 0 beyond the last one.\n\n"
      "Shapes  frequencies_hz [frequency], rising; gradient complex128 [frequency, 3 (played), 3 (asked for)]; field\n"
      "        [frequency, 3 (asked for)] or None\n"
      "Units   Hz; gradient without unit, H(0) = 1 as a rule; field in T per T/m\n"
      "Raises  ShapeError, ValueError\n"
      "Source  Vannesjo et al., Magn Reson Med 69:583 (2013)",
      made_by_init());
  response
      .def(method<"__init__(self, frequencies_hz: object, gradient: object, field: object = None) -> None">(
          [](GradientResponse* self, nb::handle frequencies, nb::handle gradient, nb::handle field) {
            GradientResponse made{numbers_from(frequencies, "frequencies_hz"), {}, {}};
            Input matrices(gradient, "gradient");
            made.gradient = host_copy<std::complex<double>>(matrices);
            if (!field.is_none()) {
              Input rows(field, "field");
              made.field = host_copy<std::complex<double>>(rows);
            }
            check_gradient_response(made);
            new (self) GradientResponse(std::move(made));
          }))
      .def_ro("frequencies_hz", &GradientResponse::frequencies_hz, "[frequency], rising, in Hz.");
  def_array<&GradientResponse::gradient>(response, "gradient", "complex128 [frequency, 3 (played), 3 (asked for)]");
  def_array<&GradientResponse::field>(response, "field", "complex128 [frequency, 3 (asked for)], or None");
  m.def(
      "read_gradient_response",
      [](const std::filesystem::path& path) {
        return run(context_of(nb::none()), [&](const Context& ctx) { return read_gradient_response(ctx, path); });
      },
      nb::arg("path"),
      "A gradient response from a file of named arrays (.npz, .h5, .mat): frequency_hz [frequency], response "
      "[frequency,\n"
      "3] or [frequency, 3, 3] (played, asked for), and optionally field [frequency, 3].\n\n"
      "Raises  IoError, ShapeError, ValueError");

  Class<PlayedTrajectory> played_trajectory(
      m, "PlayedTrajectory",
      "What `played` finds: the positions that the gradient system played, and what the field adds to the phase.");
  played_trajectory
      .def_prop_ro(
          "trajectory",
          [](const PlayedTrajectory& self) {
            Array<double> points = to_host<double>(Context(), self.trajectory.points);
            return std::make_shared<Trajectory>(Trajectory{std::move(points), self.trajectory.readout_length});
          },
          "The positions that were played.")
      .def_ro("largest_shift", &PlayedTrajectory::largest_shift, "Of a sample, in cycles per pixel along an axis.")
      .def_ro("energy_beyond", &PlayedTrajectory::energy_beyond,
              "Part of the gradients' energy at frequencies beyond the response.");
  def_array<&PlayedTrajectory::turns>(
      played_trajectory, "turns",
      "float64 [sample]: the field turns the signal by exp(-2 pi i turns); None: no field.");
  def<"played(nominal: Trajectory, response: GradientResponse, *, options, dwell_us: float, pixel_mm: "
      "Vector = (1.0, 1.0, 1.0), directions: Sequence[Sequence[float]] | None = None, context) -> "
      "PlayedTrajectory">(
      m,
      [](nb::handle nominal_object, const GradientResponse& gradient_response, double dwell_us, const Vector& pixel_mm,
         nb::handle directions, nb::handle context, const GradientLead& lead) {
        const auto nominal = trajectory_from(nominal_object);
        const ReadoutPlay play{dwell_us, pixel_mm, image_directions(directions)};
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return played(ctx, *nominal, gradient_response, play, lead); });
      },
      R"(The trajectory that the gradients play: the steps between samples, multiplied by the response at their
frequencies and summed again. Positions beyond |k| = 1/2 become 1/2.

dwell_us    sample time in microseconds
pixel_mm    pixel along x, y and z of the image, in mm
directions  three unit vectors along x, y and z of the image, as of a Geometry; None: those of the patient

Raises  ShapeError, ValueError (readouts of unknown or unequal length, directions that are not orthonormal,
        more than 1 % of the gradients' energy beyond the response), Cancelled
Source  Vannesjo et al., Magn Reson Med 69:583 (2013); Addy et al., Magn Reson Med 68:120 (2012))",
      options_of<GradientLead>());
  def<"play_gradients(scan: Scan, response: GradientResponse, *, options, dwell_us: float | None = "
      "None, context) -> Scan">(
      m,
      [](const Scan& scan, const GradientResponse& gradient_response, std::optional<double> dwell_us,
         nb::handle context, const GradientLead& lead) {
        return changed_scan(scan, context, [&](const Context& ctx, Scan& copy) {
          play_gradients(ctx, copy, gradient_response, dwell_us, lead);
        });
      },
      R"(A copy of a scan with the trajectories that gradients of this response play along the directions of
each frame, and without the phase of the response's field. Its notes say by how much samples moved.

Raises  as `played`; ValueError (an unknown dwell time, a field response without a field of view))",
      options_of<GradientLead>());
}

void bind_doctor(Module& m) {
  Class<Finding>(m, "Finding", "Something that is wrong with a scan, or worth knowing: one of Diagnosis.findings.")
      .def_ro("check", &Finding::check, "The check that found it.")
      .def_ro("is_fault", &Finding::is_fault, "False: a note, with which images are still right.")
      .def_ro("what", &Finding::what, "A sentence with the number.")
      .def_ro("value", &Finding::value, "How large it is, in `unit`.")
      .def_ro("unit", &Finding::unit, "Of `value`: 'samples', 'pixels', 'Hz', ...")
      .def_ro("confidence", &Finding::confidence, "0 to 1 (docs/howto/doctor.md).")
      .def_prop_ro(
          "remedy", [](const Finding& self) { return with_keywords(self.remedy); },
          "What mends it, or why nothing does.")
      .def_ro("mend", &Finding::mend_text, "What was done in `mended`; empty: nothing is safe.")
      .def("__repr__", [](const Finding& self) {
        return std::string("<whorl.Finding ") + (self.is_fault ? "fault: " : "note: ") + self.check + ": " + self.what +
               ">";
      });
  Class<Diagnosis>(
      m, "Diagnosis",
      "What examine finds: what is wrong with a scan, what mends it, and what the data could not tell.\n\n"
      "`mended` is a copy of the scan after all mends that are safe; where there was none it is the scan as it was.")
      .def_ro("findings", &Diagnosis::findings, "In the order of the checks; empty: nothing was found.")
      .def_ro("undecided", &Diagnosis::undecided, "Sentences: what the data could not tell.")
      .def_ro("mended", &Diagnosis::mended, "The scan after the mends of all findings, in their order.")
      .def_ro("is_changed", &Diagnosis::is_changed, "Whether there was a mend.")
      .def_prop_ro("has_fault", &Diagnosis::has_fault, "Whether a finding is a fault.");
  def<"examine(scan: Scan, *, context) -> Diagnosis">(
      m,
      [](const Scan& scan, nb::handle context) {
        return run(context_of(context).host(), [&](const Context& ctx) { return examine(ctx, scan); });
      },
      R"(What is wrong with a scan, by what its data say: units, delays, spikes, coils, noise, k-space that lies elsewhere
(docs/howto/doctor.md). Each check looks at the scan as the mends of earlier findings left it; the scan itself stays as
it is.

Raises  ValueError (a scan without frames or data), Cancelled)");
}

}  // namespace

void bind_corrections(Module& m) {
  bind_motion(m);
  bind_gradient_response(m);
  bind_doctor(m);
}

}  // namespace whorl::python
