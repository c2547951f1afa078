// The operators of MRI: transforms along trajectories, coils, differences, signals that evolve.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "nufft.hpp"
#include "operators.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/evolution_factors.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/op/nufft_derivative.hpp"
#include "whorl/op/option_tables.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/op/weighted_differences.hpp"

namespace whorl::python {

namespace {

template <class Real>
PyNufft with_transform(std::shared_ptr<const Nufft<Real>> nufft, const Context& ctx) {
  return {{Operator<Real>(nufft), ctx}, nufft};
}

PyNufft make_nufft(nb::handle points_object, nb::handle image_shape, Index coils, nb::handle dtype, nb::handle context,
                   const NufftOptions& options) {
  const Points points(points_object);
  const Shape shape = shape_from(image_shape, "image_shape");
  const Context ctx = context_of(context, points.device());
  return with_precision(is_double_dtype(dtype), [&](auto real) {
    using Real = decltype(real);
    return with_transform<Real>(run(ctx,
                                    [&](const Context& c) {
                                      return std::make_shared<const Nufft<Real>>(c, points.ref(), shape, coils,
                                                                                 options);
                                    }),
                                ctx);
  });
}

void bind_transforms(Module& m) {
  Class<PyNufft, PyOperator>(
      m, "Nufft",
      "Non-uniform FFT: Cartesian image -> samples along a trajectory.\n\n"
      "    forward  y[c,j] = s * sum_r x[c,r] exp(-2 pi i k_j . r)\n"
      "    adjoint  x[c,r] = s * sum_j y[c,j] exp(+2 pi i k_j . r)\n\n"
      "with r_d in {-floor(N_d/2), ..., ceil(N_d/2)-1} and s = 1/sqrt(prod N_d).\n\n"
      "Shapes  points [sample, dim], columns x, y(, z), or a Trajectory; image_shape (y, x) or (z, y, x), or (x,) for\n"
      "        points [sample, 1]; domain [coil, (z,) y, x], range [coil, sample]\n"
      "Units   k in cycles per pixel, |k| <= 0.5; r in pixels\n"
      "Raises  ShapeError, ValueError (|k| > 0.5, non-finite k, unattainable tolerance), Unsupported "
      "(normal=\"toeplitz\"\n"
      "        in 1D)",
      made_by_init())
      .def(method<"__init__(self, points: object, image_shape: Shape, coils: int = 1, *, options, dtype: object = "
                  "'complex64', context) -> None">(
          [](PyNufft* self, nb::handle points, nb::handle image_shape, Index coils, nb::handle dtype,
             nb::handle context, const NufftOptions& options) {
            new (self) PyNufft(make_nufft(points, image_shape, coils, dtype, context, options));
          },
          "Plans the transform.", options_of<NufftOptions>()))
      .def(
          "with_coils",
          [](const PyNufft& self, Index coils) {
            return std::visit(
                [&](const auto& nufft) {
                  using Transform = std::remove_cvref_t<decltype(*nufft)>;
                  return with_transform(std::make_shared<const Transform>(*nufft, coils), self.ctx);
                },
                self.nufft);
          },
          nb::arg("coils"),
          "The same transform for another number of coils; the plan is shared.\n\nRaises  ShapeError (no coil)")
      .def(method<"derivative(self) -> LinearOperator">(
          [](const PyNufft& self) {
            return std::visit(
                [&](const auto& nufft) {
                  using Real = real_of<decltype(*nufft)>;
                  return PyOperator{
                      Operator<Real>(run(self.ctx, [&](const Context& c) { return NufftDerivative<Real>(c, *nufft); })),
                      self.ctx};
                },
                self.nufft);
          },
          R"(The derivatives of the samples with respect to the positions k, an operator:
y[a,c,j] = s * sum_r (-2 pi i r_a) x[c,r] exp(-2 pi i k_j . r), a = x, y(, z).

whorl.operators.trajectory_gradient takes it.

Shapes  domain that of the transform, range [dim, coil, sample].)"))
      .def(property<"grid(self) -> tuple[int, ...]">(
          [](const PyNufft& self) {
            return std::visit([](const auto& nufft) { return to_tuple(nufft->grid()); }, self.nufft);
          },
          "Extents of the oversampled grid."))
      .def_prop_ro(
          "window_width",
          [](const PyNufft& self) {
            return std::visit([](const auto& nufft) { return nufft->window().width(); }, self.nufft);
          },
          "Width of the gridding window in grid cells.");

  def_made<"SenseNufft(self, nufft: Nufft, maps: object)">(
      m,
      +[](const PyNufft& nufft, nb::handle maps_object) {
        Input maps(maps_object, "maps");
        return std::visit(
            [&](const auto& transform) {
              using Real = real_of<decltype(*transform)>;
              auto shared = reshaped(maps.shared<std::complex<Real>>(), transform->domain(), "maps");
              return PyOperator{Operator<Real>(SenseNufft<Real>(*transform, std::move(shared))), nufft.ctx};
            },
            nufft.nufft);
      },
      R"(The transform of one image as each coil receives it: Sense, then Nufft, without storing the coils' images.

Shapes  maps [coil, (z,) y, x], not copied; domain [(z,) y, x], range [coil, sample]
Raises  ShapeError, DeviceError)");

  def_made<
      "Dft(self, points: object, image_shape: Shape, coils: int = 1, *, dtype: object = 'complex64', "
      "tolerance: float = 0.0, context)">(
      m,
      +[](nb::handle points_object, nb::handle image_shape, Index coils, nb::handle dtype, double tolerance,
          nb::handle context) {
        const Points points(points_object);
        const Shape shape = shape_from(image_shape, "image_shape");
        return made_operator(is_double_dtype(dtype), context_of(context, points.device()),
                             [&](auto real, const Context& ctx) {
                               return Dft<decltype(real)>(ctx, points.ref(), shape, coils, {.tolerance = tolerance});
                             });
      },
      R"(The exact transform that Nufft approximates, term by term: samples * pixels * coils terms.

Shapes and units as Nufft. `tolerance` from 1e-3 on lets a GPU use half precision; a CPU ignores it.

Raises  ShapeError, ValueError (|k| > 0.5, a k that is not finite, a tolerance below 0), DeviceError)");

  def_made<
      "Gridding(self, points: object, grid: Shape, width: int, oversampling: float, *, window: "
      "typing.Literal['kaiser-bessel', 'gaussian'] = 'kaiser-bessel', batch: int = 1, dtype: object = "
      "'complex64', context)">(
      m,
      +[](nb::handle points_object, nb::handle grid, int width, double oversampling, const std::string& window,
          Index batch, nb::handle dtype, nb::handle context) {
        NufftOptions named;
        option_table<NufftOptions>().set(named, "window", window);
        const Points points(points_object);
        const Shape shape = shape_from(grid, "grid");
        return made_operator(is_double_dtype(dtype), context_of(context, points.device()),
                             [&](auto real, const Context& ctx) {
                               return Gridding<decltype(real)>(ctx, points.ref(), shape,
                                                               Window(named.window, width, oversampling), batch);
                             });
      },
      R"(Interpolation from a periodic grid of k-space to samples with a window of `width` cells; the adjoint spreads.

    forward  y[b,j] = sum_i x[b,i] window(i - n k_j)

Index i of an axis of n points is at k = i/n modulo 1. `oversampling` gives the window its shape, 1.25 to 2.

Shapes  points [sample, dim], dim 1 to 3; domain [batch, grid...], range [batch, sample]
Units   k in cycles per grid point, |k| <= 0.5
Raises  ShapeError, ValueError (|k| > 0.5, a k that is not finite, a width or oversampling out of range))");
}

void bind_image_operators(Module& m) {
  def_made<"Sense(self, maps: object)">(
      m,
      +[](nb::handle maps_object) {
        Input maps(maps_object, "maps");
        const Context ctx = context_of(nb::none(), maps.device());
        return with_precision(maps.is_double(), [&](auto real) {
          using Real = decltype(real);
          auto shared = maps.shared<std::complex<Real>>();
          if (shared.rank() == 5 && shared.extent(0) == 1) shared.reshape(shared.shape().tail());  // of one slice
          return PyOperator{Operator<Real>(Sense<Real>(std::move(shared))), ctx};
        });
      },
      R"(Multiplies an image by the coil sensitivities: y[c,r] = s[c,r] x[r].

Shapes  maps and range [coil, (z,) y, x], not copied; domain [(z,) y, x]
Raises  ShapeError (maps of another number of axes), TypeError)");

  def_made<
      "WeightedDifferences(self, image_shape: Shape, weights: object = None, *, dtype: object = "
      "'complex64', context)">(
      m,
      +[](nb::handle image_shape, nb::handle weights_object, nb::handle dtype, nb::handle context) {
        const Shape shape = shape_from(image_shape, "image_shape");
        std::optional<Input> weights;
        if (!weights_object.is_none()) weights.emplace(weights_object, "weights");
        const Context ctx = context_of(context, weights ? weights->device() : Device{});
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          using Real = decltype(real);
          Array<Real> values = weights ? weights->shared<Real>() : Array<Real>();
          return PyOperator{
              Operator<Real>(
                  run(ctx, [&](const Context& c) { return WeightedDifferences<Real>(c, shape, std::move(values)); })),
              ctx};
        });
      },
      R"(Weighted differences between each pixel and the next along each axis, of norm at most 1:
y[a,r] = w[a,r] (x[r+e_a] - x[r]) / (2 sqrt(dim)).

Shapes  domain (y, x) or (z, y, x); range and weights [axis, ...]; without weights: 1 everywhere
Raises  ShapeError, ValueError (a weight outside 0 to 1))");
}

void bind_evolution(Module& m) {
  def_made<
      "SignalEvolution(self, transform: LinearOperator, times: object, *, r2_star: object = None, "
      "field_hz: object = None, tolerance: float = 0.0001)">(
      m,
      +[](const PyOperator& transform, nb::handle times_object, nb::handle r2_star_object, nb::handle field_object,
          double tolerance) {
        Input times(times_object, "times");
        std::optional<Input> r2_star;
        std::optional<Input> field;
        if (!r2_star_object.is_none()) r2_star.emplace(r2_star_object, "r2_star");
        if (!field_object.is_none()) field.emplace(field_object, "field_hz");
        const auto at = times.as<double>();
        const auto decay = r2_star ? r2_star->rounded_to<float>() : ArrayRef<const float>();
        const auto hertz = field ? field->rounded_to<float>() : ArrayRef<const float>();
        return with_operator(transform, [&](const auto& op) {
          using Real = real_of<decltype(op)>;
          return PyOperator{
              Operator<Real>(run(transform.ctx,
                                 [&](const Context& ctx) {
                                   return SignalEvolution<Real>(
                                       op, evolution_factors<Real>(ctx, exponential_signal(ctx.host(), decay, hertz),
                                                                   at, tolerance));
                                 })),
              transform.ctx};
        });
      },
      R"(A transform of a signal that decays and is off resonance during the readout: each voxel's signal is multiplied by
exp(-(R2* + 2 pi i f) t), as the fewest products whose sum has a relative error of at most the tolerance.

Shapes  times [sample]; r2_star and field_hz [(z,) y, x]; domain and range those of the transform
Units   times in seconds after the excitation (whorl.trajectory.sample_times), R2* in 1/s, f in Hz
Raises  ShapeError, ValueError
Source  Fessler et al., IEEE Trans Signal Process 53:3393 (2005))");
}

}  // namespace

void bind_nufft(Module& m) {
  bind_transforms(m);
  bind_image_operators(m);
  bind_evolution(m);
}

}  // namespace whorl::python
