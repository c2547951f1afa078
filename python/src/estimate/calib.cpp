// Coil maps, noise, coil compression and combination.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <type_traits>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/calib/option_tables.hpp"

namespace whorl::python {

namespace {

// compute(Real{}, ctx) in the precision of the input, and its array in the framework of the input.
template <class Compute>
nb::object of_input(const Input& input, nb::handle context, const Compute& compute) {
  const Context ctx = context_of(context, input.device());
  return with_precision(input.is_double(), [&](auto real) {
    auto array = run(ctx, [&](const Context& c) { return compute(real, c); });
    return result_of(ctx, std::move(array), input.framework());
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

void bind_maps(nb::module_& m) {
  static const std::vector<OptionsOf> espirit_options{options_of<EspiritOptions>()};
  m.def(
      "espirit",
      [](nb::handle calibration, nb::handle image_shape, nb::handle context, const nb::kwargs& keywords) {
        const auto options = options_from<EspiritOptions>(keywords, "espirit", espirit_options[0]);
        const Shape shape = shape_from(image_shape, "image_shape");
        Input input(calibration, "calibration");
        return maps_of(input, context,
                       [&](const Context& ctx, auto data) { return espirit(ctx, data, shape, options); });
      },
      nb::arg("calibration"), nb::arg("image_shape"), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::arg("options"),
      nb::sig(signature("espirit", "calibration: object, image_shape: collections.abc.Sequence[int]", espirit_options,
                        context_keyword, "tuple[typing.Any, typing.Any]")),
      with_options(
          "Coil maps by ESPIRiT, and the largest eigenvalue of each voxel, which is about 1 in the object.\n\n"
          "Shapes  calibration [coil, (kz,) ky, kx], Cartesian, k = 0 at floor(extent / 2); maps [coil, (z,) y, x]\n"
          "Raises  ShapeError, ValueError\nSource  Uecker et al., Magn Reson Med 71:990 (2014)",
          espirit_options));
  static const std::vector<OptionsOf> walsh_options{options_of<WalshOptions>()};
  m.def(
      "walsh",
      [](nb::handle images, nb::handle context, const nb::kwargs& keywords) {
        const auto options = options_from<WalshOptions>(keywords, "walsh", walsh_options[0]);
        Input input(images, "images");
        return maps_of(input, context, [&](const Context& ctx, auto data) { return walsh(ctx, data, options); });
      },
      nb::arg("images"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("walsh", "images: object", walsh_options, context_keyword, "typing.Any")),
      with_options(
          "Coil maps by Walsh's adaptive method, from the images of the coils with white noise.\n\n"
          "Shapes  images and maps [coil, (z,) y, x]\nRaises  ShapeError, ValueError (a block that is not odd)\n"
          "Source  Walsh et al., Magn Reson Med 43:682 (2000)",
          walsh_options));
}

void bind_combination(nb::module_& m) {
  m.def(
      "root_sum_of_squares",
      [](nb::handle images, nb::handle context) {
        Input input(images, "images");
        const bool is_double = input.is_double();
        const auto low = is_double ? ComplexRef<float>() : input.as<std::complex<float>>();
        const auto high = is_double ? input.as<std::complex<double>>() : ComplexRef<double>();
        return of_input(input, context, [&](auto real, const Context& ctx) {
          if constexpr (std::is_same_v<decltype(real), double>) return root_sum_of_squares(ctx, high);
          if constexpr (std::is_same_v<decltype(real), float>) return root_sum_of_squares(ctx, low);
        });
      },
      nb::arg("images"), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::sig("def root_sum_of_squares(images: object, *, context: Context | str | None = None) -> typing.Any"),
      "sqrt(sum_c |x_c|^2).\n\n"
      "Shapes  images [coil, ...], result [...]\n"
      "Raises  ShapeError (no coil axis, or no coil)\n"
      "Source  Roemer et al., Magn Reson Med 16:192 (1990)");
  m.def(
      "matched_combination",
      [](nb::handle images, nb::handle maps, nb::handle context) {
        Input input(images, "images");
        Input coils(maps, "maps");
        const Context ctx = context_of(context, input.device());
        return with_precision(input.is_double() || coils.is_double(), [&](auto real) {
          using Complex = std::complex<decltype(real)>;
          const auto x = input.as<Complex>();
          const auto s = coils.as<Complex>();
          return result_of(ctx, run(ctx, [&](const Context& c) { return matched_combination(c, x, s); }),
                           input.framework());
        });
      },
      nb::arg("images"), nb::arg("maps"), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::sig("def matched_combination(images: object, maps: object, *, context: Context | str | None = None) -> "
              "typing.Any"),
      "sum_c conj(s_c) x_c / sum_c |s_c|^2, 0 where the maps are 0.\n\n"
      "Shapes  images and maps [coil, ...], result [...]\n"
      "Raises  ShapeError\n"
      "Source  Roemer et al., Magn Reson Med 16:192 (1990), for independent noise of equal coils");
  m.def(
      "unit_maps",
      [](nb::handle maps, nb::handle context) {
        Input input(maps, "maps");
        const Context ctx = context_of(context, input.device());
        return with_precision(input.is_double(), [&](auto real) {
          const auto s = input.as<std::complex<decltype(real)>>();
          return result_of(ctx, run(ctx, [&](const Context& c) { return unit_maps(c, s); }), input.framework());
        });
      },
      nb::arg("maps"), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::sig("def unit_maps(maps: object, *, context: Context | str | None = None) -> typing.Any"),
      "Maps with sum_c |s_c|^2 = 1 where they are not 0.\n\n"
      "Shapes  maps and result [coil, ...]\n"
      "Raises  ShapeError (no coil axis, or no coil)");
}

void bind_noise(nb::module_& m) {
  m.def(
      "noise_covariance",
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
      nb::arg("noise"), nb::arg("points").none() = nb::none(), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::sig("def noise_covariance(noise: object, points: object = None, *, context: Context | str | None = None) -> "
              "numpy.ndarray"),
      "Covariance C = E[n n^H] of the noise between coils, from a noise scan [coil, sample]; with `points` [sample, "
      "dim]\n"
      "from the edge of k-space of data, or the identity where that is not white noise.\n\n"
      "Shapes  complex128 [coil, coil]\nRaises  ShapeError, ValueError");
  m.def(
      "prewhitening_matrix",
      [](nb::handle covariance) {
        Input input(covariance, "covariance");
        const auto matrix = input.as<std::complex<double>>();
        return to_python(
            run(context_of(nb::none()), [&](const Context& ctx) { return prewhitening_matrix(ctx, matrix); }));
      },
      nb::arg("covariance"), nb::sig("def prewhitening_matrix(covariance: object) -> numpy.ndarray"),
      "The lower triangular W = L^-1 of C = L L^H: W n has the identity as covariance. Apply it by "
      "apply_channel_matrix.\n\n"
      "Shapes  complex128 [coil, coil]\nRaises  ShapeError, ValueError");
  m.def(
      "apply_channel_matrix",
      [](nb::handle matrix_object, nb::handle data_object, nb::handle context) {
        Input matrix(matrix_object, "matrix");
        Input input(data_object, "data");
        const Context ctx = context_of(context, input.device());
        const auto rows = matrix.as<std::complex<double>>();
        return with_precision(input.is_double(), [&](auto real) {
          const auto data = input.as<std::complex<decltype(real)>>();
          return result_of(ctx, run(ctx, [&](const Context& c) { return apply_channel_matrix(c, rows, data); }),
                           input.framework());
        });
      },
      nb::arg("matrix"), nb::arg("data"), nb::kw_only(), nb::arg("context").none() = nb::none(),
      nb::sig("def apply_channel_matrix(matrix: object, data: object, *, context: Context | str | None = None) -> "
              "typing.Any"),
      "Virtual coils from coils: result[i, ...] = sum_c matrix[i, c] data[c, ...].\n\n"
      "Shapes  matrix [virtual coil, coil], data [coil, ...], result [virtual coil, ...]\n"
      "Raises  ShapeError, TypeError");
  static const std::vector<OptionsOf> compression{options_of<CoilCompressionOptions>()};
  m.def(
      "coil_compression",
      [](nb::handle data_object, nb::handle context, const nb::kwargs& keywords) {
        const auto options = options_from<CoilCompressionOptions>(keywords, "coil_compression", compression[0]);
        Input input(data_object, "data");
        const Context ctx = context_of(context, input.device());
        return with_precision(input.is_double(), [&](auto real) {
          using Real = decltype(real);
          const std::vector<ComplexRef<Real>> data{input.as<std::complex<Real>>()};
          CoilCompression found = run(ctx, [&](const Context& c) { return coil_compression<Real>(c, data, options); });
          return nb::make_tuple(to_python(std::move(found.matrix)), found.energies);
        });
      },
      nb::arg("data"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("coil_compression", "data: object", compression, context_keyword,
                        "tuple[numpy.ndarray, list[float]]")),
      with_options(
          "The matrix [virtual coil, coil] that keeps most of the signal of data [coil, sample] with white noise,\n"
          "and the part of the energy in each virtual coil. Apply it by apply_channel_matrix.\n\n"
          "Raises  ShapeError, ValueError (options out of range, data of zeros, a sample that is not finite)\n"
          "Source  Buehrer et al., Magn Reson Med 57:1131 (2007); Huang et al., Magn Reson Imaging 26:133 (2008)",
          compression));
}

}  // namespace

void bind_calib(nb::module_& m) {
  bind_maps(m);
  bind_combination(m);
  bind_noise(m);
}

}  // namespace whorl::python
