// Coil maps, noise, coil compression and combination.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/calib/option_tables.hpp"

namespace whorl::python {

namespace {

// compute(ctx, arrays...) of complex numbers in the wider of their precisions, which are converted with the GIL; its array in
// the framework of the first.
template <class Compute, class... Inputs>
nb::object computed(nb::handle context, const Compute& compute, Input first, Inputs... others) {
  const Context ctx = context_of(context, first.device());
  return with_precision((first.is_double() || ... || others.is_double()), [&](auto real) {
    using Complex = std::complex<decltype(real)>;
    const auto arrays = std::make_tuple(first.as<Complex>(), others.template as<Complex>()...);
    auto result = run(
        ctx, [&](const Context& c) { return std::apply([&](auto... array) { return compute(c, array...); }, arrays); });
    return result_of(ctx, std::move(result), first.framework());
  });
}

// What the caller's array is as complex numbers; converted with the GIL.
template <class Real>
using ComplexRef = ArrayRef<const std::complex<Real>>;

template <class Estimate>
nb::object maps_of(Input& input, nb::handle context, const Estimate& estimate) {
  const Context ctx = context_of(context, input.device());
  return with_precision(input.is_double(), [&](auto real) -> nb::object {
    using Real = decltype(real);
    const ComplexRef<Real> data = input.as<std::complex<Real>>();
    CoilMaps<Real> found = run(ctx, [&](const Context& c) { return estimate(c, data); });
    nb::object maps = result_of(ctx, std::move(found.maps), input.framework());
    if (found.eigenvalues.size() == 0) return maps;
    return nb::make_tuple(maps, result_of(ctx, std::move(found.eigenvalues), input.framework()));
  });
}

void bind_maps(Module& m) {
  def<"espirit(calibration: object, image_shape: Shape, *, options, context) -> tuple[Any, Any]">(
      m,
      [](nb::handle calibration, nb::handle image_shape, nb::handle context, const EspiritOptions& options) {
        const Shape shape = shape_from(image_shape, "image_shape");
        Input input(calibration, "calibration");
        return maps_of(input, context,
                       [&](const Context& ctx, auto data) { return espirit(ctx, data, shape, options); });
      },
      R"(Coil maps by ESPIRiT, and the largest eigenvalue of each voxel, which is about 1 in the object.

Shapes  calibration [coil, (kz,) ky, kx], Cartesian, k = 0 at floor(extent / 2); maps [coil, (z,) y, x]
Raises  ShapeError, ValueError
Source  Uecker et al., Magn Reson Med 71:990 (2014))",
      options_of<EspiritOptions>());
  def<"walsh(images: object, *, options, context) -> Any">(
      m,
      [](nb::handle images, nb::handle context, const WalshOptions& options) {
        Input input(images, "images");
        return maps_of(input, context, [&](const Context& ctx, auto data) { return walsh(ctx, data, options); });
      },
      R"(Coil maps by Walsh's adaptive method, from the images of the coils with white noise.

Shapes  images and maps [coil, (z,) y, x]
Raises  ShapeError, ValueError (a block that is not odd)
Source  Walsh et al., Magn Reson Med 43:682 (2000))",
      options_of<WalshOptions>());
}

void bind_combination(Module& m) {
  def<"root_sum_of_squares(images: object, *, context) -> Any">(
      m,
      [](nb::handle images, nb::handle context) {
        return computed(
            context, [](const Context& ctx, auto x) { return root_sum_of_squares(ctx, x); }, Input(images, "images"));
      },
      R"(sqrt(sum_c |x_c|^2).

Shapes  images [coil, ...], result [...]
Raises  ShapeError (no coil axis, or no coil)
Source  Roemer et al., Magn Reson Med 16:192 (1990))");
  def<"matched_combination(images: object, maps: object, *, context) -> Any">(
      m,
      [](nb::handle images, nb::handle maps, nb::handle context) {
        return computed(
            context, [](const Context& ctx, auto x, auto s) { return matched_combination(ctx, x, s); },
            Input(images, "images"), Input(maps, "maps"));
      },
      R"(sum_c conj(s_c) x_c / sum_c |s_c|^2, 0 where the maps are 0.

Shapes  images and maps [coil, ...], result [...]
Raises  ShapeError
Source  Roemer et al., Magn Reson Med 16:192 (1990), for independent noise of equal coils)");
  def<"unit_maps(maps: object, *, context) -> Any">(
      m,
      [](nb::handle maps, nb::handle context) {
        return computed(
            context, [](const Context& ctx, auto s) { return unit_maps(ctx, s); }, Input(maps, "maps"));
      },
      R"(Maps with sum_c |s_c|^2 = 1 where they are not 0.

Shapes  maps and result [coil, ...]
Raises  ShapeError (no coil axis, or no coil))");
}

void bind_noise(Module& m) {
  def<"noise_covariance(noise: object, points: object = None, *, context) -> Array">(
      m,
      [](nb::handle noise, nb::handle points_object, nb::handle context) {
        Input input(noise, "noise");
        const Context ctx = context_of(context, input.device());
        std::optional<Points> points;
        if (!points_object.is_none()) points.emplace(points_object);
        return with_precision(input.is_double(), [&](auto real) {
          const auto data = input.as<std::complex<decltype(real)>>();
          return to_python(run(ctx, [&](const Context& c) {
            return points ? noise_covariance_from_edge(c, data, points->ref()).matrix
                          : noise_covariance(c, data).matrix;
          }));
        });
      },
      R"(Covariance C = E[n n^H] of the noise between coils, from a noise scan [coil, sample]; with `points` [sample, dim]
from the edge of k-space of data, or the identity where that is not white noise.

Shapes  complex128 [coil, coil]
Raises  ShapeError, ValueError)");
  def<"prewhitening_matrix(covariance: object) -> Array">(
      m,
      [](nb::handle covariance) {
        Input input(covariance, "covariance");
        const auto matrix = input.as<std::complex<double>>();
        return to_python(
            run(context_of(nb::none()), [&](const Context& ctx) { return prewhitening_matrix(ctx, matrix); }));
      },
      R"(The lower triangular W = L^-1 of C = L L^H: W n has the identity as covariance. Apply it by apply_channel_matrix.

Shapes  complex128 [coil, coil]
Raises  ShapeError, ValueError)");
  def<"apply_channel_matrix(matrix: object, data: object, *, context) -> Any">(
      m,
      [](nb::handle matrix_object, nb::handle data, nb::handle context) {
        Input matrix(matrix_object, "matrix");
        const auto rows = matrix.as<std::complex<double>>();
        return computed(
            context, [&](const Context& ctx, auto x) { return apply_channel_matrix(ctx, rows, x); },
            Input(data, "data"));
      },
      R"(Virtual coils from coils: result[i, ...] = sum_c matrix[i, c] data[c, ...].

Shapes  matrix [virtual coil, coil], data [coil, ...], result [virtual coil, ...]
Raises  ShapeError, TypeError)");
  def<"coil_compression(data: object, *, options, context) -> tuple[Array, list[float]]">(
      m,
      [](nb::handle data_object, nb::handle context, const CoilCompressionOptions& options) {
        Input input(data_object, "data");
        const Context ctx = context_of(context, input.device());
        return with_precision(input.is_double(), [&](auto real) {
          using Real = decltype(real);
          const std::vector<ComplexRef<Real>> data{input.as<std::complex<Real>>()};
          CoilCompression found = run(ctx, [&](const Context& c) { return coil_compression<Real>(c, data, options); });
          return nb::make_tuple(to_python(std::move(found.matrix)), found.energies);
        });
      },
      R"(The matrix [virtual coil, coil] that keeps most of the signal of data [coil, sample] with white noise,
and the part of the energy in each virtual coil. Apply it by apply_channel_matrix.

Raises  ShapeError, ValueError (options out of range, data of zeros, a sample that is not finite)
Source  Buehrer et al., Magn Reson Med 57:1131 (2007); Huang et al., Magn Reson Imaging 26:133 (2008))",
      options_of<CoilCompressionOptions>());
}

}  // namespace

void bind_calib(Module& m) {
  bind_maps(m);
  bind_combination(m);
  bind_noise(m);
}

}  // namespace whorl::python
