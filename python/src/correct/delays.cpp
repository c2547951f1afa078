// Delays of the gradients: estimated, undone, and put into trajectories.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "correct/changed_scan.hpp"
#include "described.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/correct/estimate_delays.hpp"
#include "whorl/correct/undo_delays.hpp"
#include "whorl/job/corrections.hpp"

namespace whorl::python {

void bind_delays(Module& m) {
  Class<GradientDelays>(m, "GradientDelays",
                        "Delays of the gradients, in samples of the readout. A spoke of direction n is shifted "
                        "along itself by D n, where D\n"
                        "is symmetric with the diagonal x, y, z: positive for data that are read late. Of "
                        "readouts that are no spokes x, y\n"
                        "and z are delays along the axes, and the others are 0.",
                        made_by_init())
      .def(
          "__init__",
          [](GradientDelays* self, double x, double y, double z, double xy, double xz, double yz) {
            new (self) GradientDelays{x, y, z, xy, xz, yz};
          },
          nb::arg("x") = 0.0, nb::arg("y") = 0.0, nb::arg("z") = 0.0, nb::arg("xy") = 0.0, nb::arg("xz") = 0.0,
          nb::arg("yz") = 0.0)
      .def_rw("x", &GradientDelays::x, "Of the gradient along x, in samples.")
      .def_rw("y", &GradientDelays::y, "Of the gradient along y, in samples.")
      .def_rw("z", &GradientDelays::z, "Of the gradient along z, in samples.")
      .def_rw("xy", &GradientDelays::xy, "Between x and y, in samples.")
      .def_rw("xz", &GradientDelays::xz, "Between x and z, in samples.")
      .def_rw("yz", &GradientDelays::yz, "Between y and z, in samples.");
  Class<DelayEstimate>(
      m, "DelayEstimate",
      "What estimate_delays finds: the delays and their error. whorl.trajectory.delayed moves a trajectory by them.")
      .def_ro("delays", &DelayEstimate::delays, "In samples of the readout.")
      .def_ro("standard_error", &DelayEstimate::standard_error,
              "The largest of the delays', in samples, with the scatter between parts of the data.")
      .def_ro("samples", &DelayEstimate::samples, "That were used, near the center of k-space.")
      .def_ro("before", &DelayEstimate::before,
              "|y - predicted| / |y| near the center without the delays: each readout by the others.")
      .def_ro("after", &DelayEstimate::after, "And with them.")
      .def_ro("is_significant", &DelayEstimate::is_significant,
              "Whether one is above 0.01 samples and twice the standard error. Others are as good as none.")
      .def_ro("doubt", &DelayEstimate::doubt, "Why they should not be applied; empty: they hold.");
  def<"estimate_delays(trajectory: Trajectory, data: object, image_shape: Shape, *, context) -> "
      "DelayEstimate">(
      m,
      [](nb::handle trajectory_object, nb::handle data_object, nb::handle image_shape, nb::handle context) {
        const auto trajectory = trajectory_from(trajectory_object);
        const auto data = host_array<std::complex<float>>(Input(data_object, "data"));
        const Shape image = shape_from(image_shape, "image_shape");
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return estimate_delays(ctx, *trajectory, data, image); });
      },
      R"(The gradient delays of a radial scan (or of spirals), with which the data near the center of k-space are samples of
one smooth function. Runs on the host.

Shapes    data [coil, sample]; image_shape (y, x) or (z, y, x)
Accuracy  below 0.01 samples at an SNR of 20 for spokes with twofold oversampling, from 9 spokes on
Raises    ShapeError, ValueError (readouts of unknown or unequal length, data that do not determine the delays)
Source    Rosenzweig, Holme, Uecker, Magn Reson Med 81:1898 (2019); Golub, Pereyra, SIAM J Numer Anal 10:413 (1973))");
  def<"undo_delays(scan: Scan, delays: GradientDelays | Sequence[float] | typing.Literal['auto'] = "
      "'auto', *, context) -> Scan">(
      m,
      [](const Scan& scan, nb::handle delays, nb::handle context) {
        if (nb::isinstance<nb::str>(delays) && nb::cast<std::string>(delays) != "auto") {
          throw ValueError("undo_delays: delays is '" + nb::cast<std::string>(delays) +
                           "', expected auto or GradientDelays");
        }
        const bool is_auto = nb::isinstance<nb::str>(delays);
        GradientDelays known;
        if (nb::isinstance<GradientDelays>(delays)) {
          known = nb::cast<GradientDelays>(delays);
        } else if (!is_auto) {
          known = delays_from(numbers_from(delays, "delays"), scan.dim());
        }
        return changed_scan(scan, context, [&](const Context& ctx, Scan& copy) {
          if (is_auto) return undo_estimated_delays(ctx, copy);
          undo_delays(ctx, copy, known);
        });
      },
      R"(A copy of a scan with the readouts of all frames at their places, and with all else that it has. auto: as
estimate_delays finds, for each direction of the frames; where that is in doubt they stay. Its notes say so. Numbers are x, y, xy
in 2D, x, y, z, xy, xz, yz in 3D; those with two letters may be left out.

Raises  ValueError (as delayed and estimate_delays; another text), Cancelled)");
  def<"delayed(nominal: Trajectory, delays: GradientDelays) -> Trajectory">(
      m,
      [](nb::handle nominal_object, const GradientDelays& delays) {
        const auto nominal = trajectory_from(nominal_object);
        return run(context_of(nb::none()), [&](const Context& ctx) { return delayed(ctx, *nominal, delays); });
      },
      R"(The trajectory with its readouts at their places: a sample of a spoke is moved by its step times D n; other
readouts are delayed along each axis. Positions beyond |k| = 1/2 become 1/2.

Raises  ValueError (readouts of unknown or unequal length; xy, xz or yz where readouts are no spokes))");
}

}  // namespace whorl::python
