// Density weights and their quality.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
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

void bind_density(Module& m) {
  def<"density_weights(trajectory: Trajectory | object, image_shape: Shape, method: DensityMethod = "
      "'auto', *, options, from_file: object = None, dtype: object = 'float32', context) -> Array">(
      m,
      [](nb::handle trajectory, nb::handle image_shape, const std::string& method, nb::handle from_file,
         nb::handle dtype, nb::handle context, const DensityOptions& chosen, const nb::kwargs& keywords) {
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
      R"(Density weights of a trajectory by a method; auto takes the best for the kind of trajectory.

Shapes  trajectory [sample, dim]; image_shape (y, x) or (z, y, x); from_file and result [sample]
Units   normalized: the sum is the number of samples
Raises  ShapeError, ValueError)",
      options_of<DensityOptions>());

  def<"density_quality(points: object, weights: object, image_shape: Shape, *, context) -> dict[str, float]">(
      m,
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
      R"(Impulse response and flatness of density weights: width (pixels), side_lobe (over the peak), side_lobe_db,
side_lobe_energy; variation, least and most of the gridded weights over their mean.

Shapes  points [sample, dim], weights [sample], image_shape (y, x) or (z, y, x)
Raises  ShapeError, ValueError (the trajectory; samples on a line, in 3D in a plane))");

  def<"normalize_weights(weights: object) -> Any">(
      m,
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
      R"(Density weights scaled so that their sum is the number of samples.

Shapes  any
Raises  ValueError (a weight that is negative or not finite, all weights zero))");
}

}  // namespace whorl::python
