// Density weights and their quality.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/density/density_quality.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/option_tables.hpp"

namespace whorl::python {

namespace {

DensityMethod method_from(const std::string& name) {
  std::string known;
  for (const auto& [word, method] : density_method_words()) {
    if (word == name) return method;
    known += (known.empty() ? "" : ", ") + word;
  }
  throw ValueError("density: method is '" + name + "', expected one of " + known);
}

std::string methods_type() {
  std::string text;
  for (const auto& [word, method] : density_method_words()) text += (text.empty() ? "'" : ", '") + word + "'";
  return "typing.Literal[" + text + "]";
}

// Options of one method say nothing to another, as for whorl density.
void check_method(const nb::kwargs& keywords, bool has_weights, const std::string& method) {
  const auto only_with = [&](const char* name, const char* with) {
    const bool is_given = std::string(name) == "from_file" ? has_weights : keywords.contains(name);
    if (!is_given || method == with || method == "auto") return;
    throw ValueError(std::string("density_weights: ") + name + " has an effect only with method '" + with +
                     "' or 'auto'; leave it out");
  };
  only_with("pipe_menon_iterations", "pipe-menon");
  only_with("pipe_menon_tolerance", "pipe-menon");
  only_with("cell", "cells");
  only_with("boundary", "voronoi");
  only_with("from_file", "file");
}

}  // namespace

void bind_density(nb::module_& m) {
  static const std::vector<OptionsOf> options{options_of<DensityOptions>()};
  m.def(
      "density_weights",
      [](nb::handle trajectory, nb::handle image_shape, const std::string& method, nb::handle from_file,
         nb::handle dtype, nb::handle context, const nb::kwargs& keywords) {
        const auto chosen = options_from<DensityOptions>(keywords, "density_weights", options[0]);
        check_method(keywords, !from_file.is_none(), method);
        const auto held = trajectory_from(trajectory);
        const Shape shape = shape_from(image_shape, "image_shape");
        const DensityMethod by = method_from(method);
        const Context ctx = context_of(context);
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          using Real = decltype(real);
          Array<Real> given;
          if (!from_file.is_none()) {
            Input input(from_file, "from_file");
            given = host_copy<Real>(input);
          }
          Array<Real> weights = run(ctx, [&](const Context& c) {
            return density_weights<Real>(c, *held, shape, from_file.is_none() ? nullptr : &given, by, chosen).weights;
          });
          return result_of(ctx, std::move(weights), Framework::numpy);
        });
      },
      nb::arg("trajectory"), nb::arg("image_shape"), nb::arg("method") = "auto", nb::kw_only(),
      nb::arg("from_file").none() = nb::none(), nb::arg("dtype") = "float32", nb::arg("context").none() = nb::none(),
      nb::arg("options"),
      nb::sig(signature(
          "density_weights",
          "trajectory: Trajectory | object, image_shape: collections.abc.Sequence[int], method: " + methods_type() +
              " = 'auto'",
          options, "from_file: object = None, dtype: object = 'float32', context: Context | str | None = None",
          "numpy.ndarray")),
      with_options("Density weights of a trajectory by a method; auto takes the best for the kind of trajectory.\n\n"
                   "Shapes  trajectory [sample, dim]; image_shape (y, x) or (z, y, x); from_file and result [sample]\n"
                   "Units   normalized: the sum is the number of samples\nRaises  ShapeError, ValueError",
                   options));

  m.def(
      "density_quality",
      [](nb::handle points_object, nb::handle weights_object, nb::handle image_shape, nb::handle context) {
        const Points points(points_object);
        Input weights(weights_object, "weights");
        const Shape shape = shape_from(image_shape, "image_shape");
        const auto values = weights.rounded_to<double>();
        const DensityQuality quality = run(context_of(context, points.device()), [&](const Context& ctx) {
          return density_quality<double>(ctx, points.ref(), values, shape);
        });
        nb::dict result;
        result["width"] = quality.response.width;
        result["side_lobe"] = quality.response.side_lobe;
        result["side_lobe_db"] = quality.side_lobe_db();
        result["side_lobe_energy"] = quality.response.side_lobe_energy;
        result["variation"] = quality.flatness.variation;
        result["least"] = quality.flatness.least;
        result["most"] = quality.flatness.most;
        return result;
      },
      nb::arg("points"), nb::arg("weights"), nb::arg("image_shape"), nb::kw_only(),
      nb::arg("context").none() = nb::none(),
      nb::sig("def density_quality(points: object, weights: object, image_shape: collections.abc.Sequence[int], *, "
              "context: "
              "Context | str | None = None) -> dict[str, float]"),
      "Impulse response and flatness of density weights: width (pixels), side_lobe (over the peak), side_lobe_db,\n"
      "side_lobe_energy; variation, least and most of the gridded weights over their mean.\n\n"
      "Shapes  points [sample, dim], weights [sample], image_shape (y, x) or (z, y, x)\n"
      "Raises  ShapeError, ValueError (the trajectory; samples on a line, in 3D in a plane)");

  m.def(
      "normalize_weights",
      [](nb::handle weights_object) {
        Input weights(weights_object, "weights");
        const Context ctx = context_of(nb::none(), weights.device());
        return with_precision(weights.is_double(), [&](auto real) {
          using Real = decltype(real);
          Array<Real> values = clone<Real>(ctx, weights.rounded_to<Real>());
          normalize_weights(ctx, values);
          return result_of(ctx, std::move(values), weights.framework());
        });
      },
      nb::arg("weights"), nb::sig("def normalize_weights(weights: object) -> typing.Any"),
      "Density weights scaled so that their sum is the number of samples.\n\n"
      "Shapes  any\n"
      "Raises  ValueError (a weight that is negative or not finite, all weights zero)");
}

}  // namespace whorl::python
