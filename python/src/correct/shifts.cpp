// Scans whose k-space or field of view lies elsewhere, all of it or readout by readout.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "correct/changed_scan.hpp"
#include "described.hpp"
#include "points.hpp"
#include "results/pickles.hpp"
#include "run.hpp"
#include "whorl/correct/estimate_readout_shifts.hpp"
#include "whorl/correct/shift_k_space.hpp"
#include "whorl/doctor/k_space_center.hpp"
#include "whorl/scan/shift_field_of_view.hpp"

namespace whorl::python {

namespace {

using Vector = std::array<double, 3>;

// x, y(, z) from Python; without z it is 0.
Vector vector_from(nb::handle object, const char* name) {
  const std::vector<double> numbers = numbers_from(object, name);
  if (numbers.size() != 2 && numbers.size() != 3) {
    throw ShapeError(std::string(name) + " has " + std::to_string(numbers.size()) + " numbers, expected x, y(, z)");
  }
  Vector vector{};
  std::copy(numbers.begin(), numbers.end(), vector.begin());
  return vector;
}

void bind_shifts_of_scans(Module& m) {
  def<"k_space_center(scan: Scan, *, context) -> Vector">(
      m,
      [](const Scan& scan, nb::handle context) {
        return run(context_of(context).host(), [&](const Context& ctx) { return k_space_center(ctx, scan); });
      },
      R"(The center of the signal's energy in k-space, in cycles per field of view along x, y and z. Objects have phases of
their own, up to about a cycle; more is a shift for shift_k_space.

Raises  ValueError (a scan without data, samples near the center that are too few or contradict each other),
        Cancelled)");
  def<"shift_k_space(scan: Scan, shift: Sequence[float], *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle shift_object, nb::handle context) {
        const Vector shift = vector_from(shift_object, "shift");
        return changed_scan(scan, context, [&](const Context& ctx, Scan& copy) { shift_k_space(ctx, copy, shift); });
      },
      R"(A copy of a scan whose positions k are k - shift: the image loses a phase that grows across it, and keeps its
magnitude.

Units   cycles per field of view, along x, y(, z) of the image
Raises  ValueError (a number that is not finite, or along an axis that the image does not have))");
  def<"shift_field_of_view(scan: Scan, pixels: Sequence[float], *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle pixels_object, nb::handle context) {
        const Vector pixels = vector_from(pixels_object, "pixels");
        return changed_scan(scan, context, [&](const Context&, Scan& copy) { shift_field_of_view(copy, pixels); });
      },
      R"(A copy of a scan whose images have their center this many pixels away along x, y(, z), and its geometry with
them. Fractions of pixels are interpolated exactly. Coil maps of the scan are left out.

Raises  ValueError (a shift that is not finite, or along z in 2D))");
  def<"shift_to_header(scan: Scan, *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle context) {
        return changed_scan(scan, context, [](const Context&, Scan& copy) { shift_to_header(copy); });
      },
      R"(A copy of a scan that was taken about the isocenter, with the images of each frame at the position that its
geometry says. Data in which the scanner has made this shift would move twice.

Raises  ValueError (a field of view of unknown size))");
}

// Rows x, y(, z) as an array or a list.
std::vector<Vector> shifts_from(nb::handle object, int dim) {
  Input input(object, "shifts");
  const Array<double> rows = host_copy<double>(input);
  if (rows.rank() != 2 || (rows.extent(1) != dim && rows.extent(1) != 3)) {
    throw ShapeError("shifts " + to_string(rows.shape()) + ", expected [readout, " + (dim == 2 ? "2 or 3]" : "3]"));
  }
  std::vector<Vector> shifts(static_cast<std::size_t>(rows.extent(0)));
  const double* from = rows.data();
  for (Vector& shift : shifts) {
    std::copy_n(from, rows.extent(1), shift.begin());
    from += rows.extent(1);
  }
  return shifts;
}

// [readout, axis]; a plane has no z.
Array<double> rows_of(const std::vector<Vector>& shifts, Index dim) {
  Array<double> rows(Context(), {static_cast<Index>(shifts.size()), dim});
  double* to = rows.data();
  for (const Vector& shift : shifts) to = std::copy_n(shift.begin(), dim, to);
  return rows;
}

struct FoundReadoutShifts {
  ReadoutShifts found;
  Array<double> shifts;
};

}  // namespace

template <>
inline constexpr auto members_of<ReadoutShifts> = std::tuple(&ReadoutShifts::shifts, &ReadoutShifts::largest,
                                                             &ReadoutShifts::standard_error, &ReadoutShifts::before,
                                                             &ReadoutShifts::after, &ReadoutShifts::is_significant,
                                                             &ReadoutShifts::is_borne_out, &ReadoutShifts::samples);
template <>
inline constexpr auto members_of<FoundReadoutShifts> = std::tuple(&FoundReadoutShifts::found,
                                                                  &FoundReadoutShifts::shifts);

namespace {

void bind_readout_shifts(Module& m) {
  Class<FoundReadoutShifts> estimate(
      m, "ReadoutShifts",
      "What estimate_readout_shifts finds: a shift of each readout in k-space, and whether it is more than noise.\n\n"
      "shift_readouts takes the shifts.");
  estimate.def_prop_ro("largest", &inner<&FoundReadoutShifts::found, &ReadoutShifts::largest>, "Length of the largest.")
      .def_prop_ro("standard_error", &inner<&FoundReadoutShifts::found, &ReadoutShifts::standard_error>,
                   "The largest of the shifts' along an axis, in cycles per field of view.")
      .def_prop_ro("before", &inner<&FoundReadoutShifts::found, &ReadoutShifts::before>,
                   "|y - fit| / |y| of the samples, without shifts.")
      .def_prop_ro("after", &inner<&FoundReadoutShifts::found, &ReadoutShifts::after>, "And with them.")
      .def_prop_ro("is_significant", &inner<&FoundReadoutShifts::found, &ReadoutShifts::is_significant>,
                   "Whether they are more than noise would make them.")
      .def_prop_ro("is_borne_out", &inner<&FoundReadoutShifts::found, &ReadoutShifts::is_borne_out>,
                   "Whether readouts that are left out are predicted better with the shifts than without.")
      .def_prop_ro("samples", &inner<&FoundReadoutShifts::found, &ReadoutShifts::samples>,
                   "That were used, near the center of k-space.");
  def_pickle(estimate);
  def_array<&FoundReadoutShifts::shifts>(
      estimate, "shifts", "float64 [readout, axis x, y(, z)], in cycles per field of view; their mean is 0.");
  def<"estimate_readout_shifts(trajectory: Trajectory, data: object, image_shape: Shape, *, context) "
      "-> ReadoutShifts">(
      m,
      [](nb::handle trajectory_object, nb::handle data_object, nb::handle image_shape, nb::handle context) {
        const auto trajectory = trajectory_from(trajectory_object);
        const auto data = host_array<std::complex<float>>(Input(data_object, "data"));
        const Shape image = shape_from(image_shape, "image_shape");
        ReadoutShifts found = run(context_of(context).host(), [&](const Context& ctx) {
          return estimate_readout_shifts(ctx, *trajectory, data, image);
        });
        Array<double> rows = rows_of(found.shifts, trajectory->dim());
        return FoundReadoutShifts{std::move(found), std::move(rows)};
      },
      R"(Where the center of k-space lies in each readout (interleaf, spoke), by the data alone: an image and the shifts
are fitted together to the samples near the center. For shifted_readouts and shift_readouts. A shift that all
readouts share is a phase of the image, which k_space_center finds. Runs on the host.

Shapes    data [coil, sample]; image_shape (y, x) or (z, y, x)
Units     cycles per field of view
Accuracy  shifts of up to 0.3 cycles along each axis are found within 5 standard errors
Raises    ShapeError, ValueError (readouts of unknown length, fewer than two or more than 1000; data that are 0;
          too few samples near the center; no convergence; a standard error above 0.1 cycles), Cancelled
Source    Golub, Pereyra, SIAM J Numer Anal 10:413 (1973); Kaufman, BIT 15:49 (1975))");
  def<"shifted_readouts(trajectory: Trajectory, image_shape: Shape, shifts: object) -> Trajectory">(
      m,
      [](nb::handle trajectory_object, nb::handle image_shape, nb::handle shifts_object) {
        const auto trajectory = trajectory_from(trajectory_object);
        const Shape image = shape_from(image_shape, "image_shape");
        if (image.rank() != trajectory->dim()) {
          throw ShapeError("image_shape " + to_string(image) + " for a trajectory of " +
                           std::to_string(trajectory->dim()) + " axes, expected as many");
        }
        std::array<Index, 3> matrix{1, 1, 1};
        for (int axis = 0; axis < image.rank(); ++axis) matrix[static_cast<std::size_t>(axis)] = image[-1 - axis];
        const std::vector<Vector> shifts = shifts_from(shifts_object, trajectory->dim());
        return run(context_of(nb::none()),
                   [&](const Context& ctx) { return shifted_readouts(ctx, *trajectory, matrix, shifts); });
      },
      R"(The trajectory whose readouts, in the order of acquisition, are at k - shift. Positions beyond |k| = 1/2 become
1/2.

Shapes  image_shape (y, x) or (z, y, x); shifts [readout, axis x, y(, z)]
Units   cycles per field of view of an image of that shape
Raises  ShapeError, ValueError (readouts of unknown or unequal length, or not as many as shifts; a number that is
        not finite, or along an axis that the trajectory does not have))");
  def<"shift_readouts(scan: Scan, shifts: object, *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle shifts_object, nb::handle context) {
        const std::vector<Vector> shifts = shifts_from(shifts_object, scan.dim());
        return changed_scan(scan, context, [&](const Context& ctx, Scan& copy) { shift_readouts(ctx, copy, shifts); });
      },
      R"(A copy of a scan whose readouts are at k - shift: shifts of the readouts of a frame, which are then those of
all, or of the readouts of all trajectories, one after the other, in the order of the frames.

Shapes  shifts [readout, axis x, y(, z)]
Units   cycles per field of view
Raises  as shifted_readouts)");
}

}  // namespace

void bind_shifts(Module& m) {
  bind_shifts_of_scans(m);
  bind_readout_shifts(m);
}

}  // namespace whorl::python
