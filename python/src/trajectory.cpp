// Trajectories by formulas. Those under gradient limits are in designed.cpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "described.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/trajectory/fingerprint.hpp"
#include "whorl/trajectory/option_tables.hpp"
#include "whorl/trajectory/rosette.hpp"
#include "whorl/trajectory/sample_times.hpp"
#include "whorl/trajectory/spiral.hpp"
#include "whorl/trajectory/spokes.hpp"

namespace whorl::python {

Points::Points(nb::handle object, const char* name) {
  if (nb::isinstance<Trajectory>(object)) {
    trajectory_ = nb::borrow(object);
    ref_ = nb::cast<const Trajectory&>(object).points;
    return;
  }
  input_.emplace(object, name);
  ref_ = input_->as<double>();
}

std::shared_ptr<const Trajectory> trajectory_from(nb::handle object, Index readout_length) {
  if (nb::isinstance<Trajectory>(object)) return nb::cast<std::shared_ptr<Trajectory>>(object);
  Input input(object, "trajectory");
  auto trajectory = std::make_shared<Trajectory>();
  const Shape given = input.shape();
  if (given.rank() == 3 && readout_length == 0) readout_length = given[1];
  const bool on_host = input.device().kind == DeviceKind::cpu;
  trajectory->points = on_host ? input.shared<double>() : host_copy<double>(input);
  if (given.rank() == 3) trajectory->points.reshape({given[0] * given[1], given[2]});
  if (trajectory->points.rank() != 2) {
    throw ShapeError("trajectory has shape " + to_string(trajectory->points.shape()) +
                     ", expected [sample, dim] or [spoke, readout, dim]");
  }
  trajectory->readout_length = readout_length;
  check_trajectory(trajectory->points);
  return trajectory;
}

namespace {

using TrajectoryPointer = std::shared_ptr<Trajectory>;

// make(ctx) without the GIL.
template <class Make>
TrajectoryPointer made_trajectory(nb::handle context, const Make& make) {
  return run(context_of(context), [&](const Context& ctx) { return std::make_shared<Trajectory>(make(ctx)); });
}

SpokeOrder order_from(const std::string& name) {
  for (const auto& [word, value] : spoke_order_words()) {
    if (word == name) return value;
  }
  throw ValueError("order is '" + name + "', expected uniform, golden or fibonacci");
}

void bind_trajectory_class(Module& m) {
  Class<Trajectory>(m, "Trajectory",
                    "Positions of the samples of one frame, in the order of acquisition.\n\n"
                    "Shapes  points [sample, dim], dim 2 or 3, columns x, y(, z); an array of float64 is not copied\n"
                    "Units   cycles per pixel of the image, |k| <= 0.5 along each axis\n"
                    "readout_length  samples of one readout (spoke, arm), which are adjacent; 0: unknown\n"
                    "Raises  ShapeError, ValueError",
                    made_by_init())
      .def(method<"__init__(self, points: object, readout_length: int = 0) -> None">(
          [](Trajectory* self, nb::handle points, Index readout_length) {
            Input input(points, "points");
            const bool on_host = input.device().kind == DeviceKind::cpu;
            Array<double> values = on_host ? input.shared<double>() : host_copy<double>(input);
            if (values.rank() != 2) {
              throw ShapeError("points has shape " + to_string(values.shape()) + ", expected [sample, dim]");
            }
            check_trajectory(values);
            new (self) Trajectory{std::move(values), readout_length};
          }))
      .def(property<"points(self) -> Array">(
          [](nb::handle self) { return view_of(nb::cast<const Trajectory&>(self).points.ref(), self, true); },
          "float64 [sample, dim], a view that cannot be written."))
      .def_ro("readout_length", &Trajectory::readout_length, "Samples of one readout; 0: unknown.")
      .def_prop_ro("dim", &Trajectory::dim, "2 or 3.")
      .def_prop_ro("samples", &Trajectory::samples, "How many samples there are.")
      .def("__len__", &Trajectory::samples)
      .def(
          "fingerprint", [](const Trajectory& self) { return trajectory_fingerprint(self.points); },
          "SHA-256 of the positions, rounded to float.")
      .def(CopiesAreItself())
      .def("__reduce__",
           [](nb::handle_t<Trajectory> self) {
             return nb::make_tuple(self.type(), nb::make_tuple(self.attr("points"), self.attr("readout_length")));
           })
      .def("__repr__", [](const Trajectory& self) {
        return "<whorl.Trajectory of " + std::to_string(self.samples()) + " samples in " + std::to_string(self.dim()) +
               "D>";
      });
}

void bind_radial(Module& m) {
  def<"radial_trajectory(spokes: int, readout: int, order: SpokeOrder = 'golden', *, options, context) "
      "-> Trajectory">(
      m,
      [](Index count, Index readout, const std::string& order, nb::handle context, const SpokeOptions& options) {
        return made_trajectory(context, [&](const Context& ctx) {
          return radial_trajectory(ctx, count, readout, order_from(order), options);
        });
      },
      R"(Spokes through the center of k-space in 2D, or from it outwards.

Shapes  points [spokes * readout, 2]
Units   cycles per pixel
Raises  ValueError)",
      options_of<SpokeOptions>());
  def<"kooshball_trajectory(spokes: int, readout: int, *, options, context) -> Trajectory">(
      m,
      [](Index count, Index readout, nb::handle context, const KooshballOptions& options) {
        return made_trajectory(context,
                               [&](const Context& ctx) { return kooshball_trajectory(ctx, count, readout, options); });
      },
      R"(Spokes in all directions of 3D.

Shapes  points [spokes * readout, 3]
Units   cycles per pixel
Raises  ValueError (no spoke, a readout of fewer than 2 samples, a number of spokes that the interleaves do not
        divide))",
      options_of<KooshballOptions>());
  def<"propeller_trajectory(*, options, context) -> Trajectory">(
      m,
      [](nb::handle context, const PropellerOptions& options) {
        return made_trajectory(context, [&](const Context& ctx) { return propeller_trajectory(ctx, options); });
      },
      R"(Blades of parallel lines, turned about the center (PROPELLER).

Shapes  points [blades * lines * readout, 2]
Units   cycles per pixel
Raises  ValueError (options out of range, a blade wider than k-space))",
      options_of<PropellerOptions>());
}

void bind_curves(Module& m) {
  def<"spiral_trajectory(arms: int, samples: int, turns: float, power: float = 1.0, *, context) -> "
      "Trajectory">(
      m,
      [](Index arms, Index samples, double turns, double power, nb::handle context) {
        return made_trajectory(context,
                               [&](const Context& ctx) { return spiral_trajectory(ctx, arms, samples, turns, power); });
      },
      R"(Interleaved spirals from the center outwards, at constant angular velocity: |k| = t^power / 2.

Shapes  points [arms * samples, 2]
Units   cycles per pixel
Raises  ValueError)");
  def<"rosette_trajectory(shots: int, samples: int, swings: float, rotations: float, *, context) -> "
      "Trajectory">(
      m,
      [](Index shots, Index samples, double swings, double rotations, nb::handle context) {
        return made_trajectory(
            context, [&](const Context& ctx) { return rosette_trajectory(ctx, shots, samples, swings, rotations); });
      },
      R"(Rosettes: the radius swings through the center while the direction turns.

Shapes  points [shots * samples, 2]
Units   cycles per pixel
Raises  ValueError)");

  def<"cones_trajectory(samples: int, *, options, context) -> Trajectory">(
      m,
      [](Index samples, nb::handle context, const ConesOptions& options) {
        return made_trajectory(context, [&](const Context& ctx) { return cones_trajectory(ctx, options, samples); });
      },
      R"(Spirals on cones about the z axis, of `samples` samples each.

Shapes  points [cones * interleaves * samples, 3]
Units   cycles per pixel
Raises  ValueError (fewer than 2 samples, options out of range))",
      options_of<ConesOptions>());
  def<"stack_trajectory(plane: Trajectory, *, options, context) -> Trajectory">(
      m,
      [](nb::handle plane, nb::handle context, const StackOptions& options) {
        const auto held = trajectory_from(plane);
        return made_trajectory(context, [&](const Context& ctx) { return stack_trajectory(ctx, *held, options); });
      },
      R"(A 2D trajectory, repeated along kz: each readout in all partitions before the next.

Shapes  points [readouts * partitions * readout, 3]
Units   cycles per pixel
Raises  ShapeError (a plane that is not 2D), ValueError (options out of range, a plane of unknown readout length))",
      options_of<StackOptions>());

  def<"random_trajectory(samples: int, dim: int = 2, *, region: typing.Literal['box', 'ball'] = 'box', "
      "seed: int = 1, context) -> Trajectory">(
      m,
      [](Index samples, int dim, const std::string& region, std::uint64_t seed, nb::handle context) {
        if (region != "box" && region != "ball") throw ValueError("region is '" + region + "', expected box or ball");
        const RandomRegion where = region == "box" ? RandomRegion::box : RandomRegion::ball;
        return made_trajectory(context,
                               [&](const Context& ctx) { return random_trajectory(ctx, samples, dim, where, seed); });
      },
      R"(Independent uniform positions; a seed gives the same ones on every machine.

Shapes  points [samples, dim]
Units   cycles per pixel
Raises  ValueError (no sample, dim other than 2 or 3, another region))");
}

void bind_cartesian(Module& m) {
  def<"cartesian_mask(image_shape: Shape, *, options, context) -> Array">(
      m,
      [](nb::handle image_shape, nb::handle context, CartesianOptions options) {
        options.matrix = matrix_from(image_shape);
        return to_python(run(context_of(context), [&](const Context& ctx) { return cartesian_mask(ctx, options); }));
      },
      R"(The mask of the sampled lines of a Cartesian image_shape ((z,) y, x): 1 for sampled lines, else 0.

Shapes  uint8 [z, y]
Raises  ValueError (an extent below 1, options out of range or that do not fit image_shape), Cancelled)",
      options_of<CartesianOptions>());
  def<"cartesian_trajectory(image_shape: Shape, mask: object = None, *, options, context) -> Trajectory">(
      m,
      [](nb::handle image_shape, nb::handle mask_object, nb::handle context, CartesianOptions options,
         const nb::kwargs& keywords) {
        options.matrix = matrix_from(image_shape);
        std::optional<Input> mask;
        if (!mask_object.is_none()) {
          if (keywords.size() > 0) throw ValueError("cartesian_trajectory: options have no effect beside a mask");
          mask.emplace(mask_object, "mask");
        }
        const auto lines = mask ? mask->as<std::uint8_t>() : ArrayRef<const std::uint8_t>();
        return made_trajectory(context, [&](const Context& ctx) {
          if (mask) return cartesian_trajectory(ctx, options.matrix[0], lines);
          return cartesian_trajectory(ctx, options.matrix[0], cartesian_mask(ctx, options));
        });
      },
      R"(Lines along x for the phase encodings of a mask (uint8 or bool [z, y]), or of cartesian_mask.

Shapes  points [lines * x, 2], or 3 where z > 1
Units   cycles per pixel
Raises  ShapeError, ValueError (as cartesian_mask; no line, options beside a mask))",
      options_of<CartesianOptions>());
  def<"sample_times(trajectory: Trajectory, first_us: float, dwell_us: float) -> Array">(
      m,
      [](nb::handle trajectory, double first_us, double dwell_us) {
        const auto held = trajectory_from(trajectory);
        return to_python(run(context_of(nb::none()),
                             [&](const Context& ctx) { return sample_times(ctx, *held, first_us, dwell_us); }));
      },
      R"(Time of each sample after the excitation: sample i of every readout is at first_us + i dwell_us.

Shapes  float64 [sample]
Units   seconds
Raises  ValueError (an unknown readout length, times that are not finite, a dwell time that is not above 0))");
}

}  // namespace

void bind_trajectory(Module& m) {
  bind_trajectory_class(m);
  bind_radial(m);
  bind_curves(m);
  bind_cartesian(m);
}

}  // namespace whorl::python
