#include "whorl/density/density_weights.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/density/spiral_density.hpp"

namespace whorl {

namespace {

// What was found on the host, where the context's device reads it.
template <class Real>
Array<Real> brought(const Context& ctx, Array<Real> weights) {
  if (weights.device() == ctx.device()) return weights;
  return clone(ctx, weights.ref());
}

}  // namespace

DensityMethod automatic_density(const Context& ctx, const Trajectory& trajectory) {
  const auto fits = [](const auto& method) {
    try {
      method();
      return true;
    } catch (const ValueError&) {  // not a trajectory of that kind
      return false;
    }
  };
  const Shape image(std::vector<Index>(static_cast<std::size_t>(trajectory.dim()), 1));
  if (fits([&] { radial_density<float>(ctx.host(), trajectory, image); })) return DensityMethod::radial;
  if (fits([&] { spiral_density<float>(ctx.host(), trajectory); })) return DensityMethod::spiral;
  return DensityMethod::pipe_menon;
}

template <class Real>
DensityWeights<Real> density_weights(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                                     const Array<Real>* from_file, DensityMethod method,
                                     const DensityOptions& options) {
  if (method == DensityMethod::automatic) {
    method = from_file != nullptr ? DensityMethod::file : automatic_density(ctx, trajectory);
  }
  const Context host = ctx.host();
  DensityWeights<Real> result;
  switch (method) {
    case DensityMethod::file:
      if (from_file == nullptr) {
        throw ValueError("no density weights came with the trajectory; use another method, such as pipe-menon");
      }
      result = {clone(ctx, from_file->ref()), "from the file"};
      normalize_weights<Real>(ctx, result.weights);
      return result;
    case DensityMethod::radial:
      return {brought(ctx, radial_density<Real>(host, trajectory, image_shape)), "analytic, for radial spokes"};
    case DensityMethod::spiral:
      return {brought(ctx, spiral_density<Real>(host, trajectory)), "analytic, for spiral arms"};
    case DensityMethod::voronoi:
      return {brought(ctx, voronoi_density<Real>(host, trajectory.points, options.voronoi)), "Voronoi cells"};
    case DensityMethod::cell_count:
      return {brought(ctx, cell_count_density<Real>(host, trajectory.points, image_shape, options.cell_count)),
              fmt::format("samples counted in cells of {:g} cycles per field of view", options.cell_count.cell)};
    case DensityMethod::none:
      result = {Array<Real>(ctx, {trajectory.samples()}), "none (all equal)"};
      fill<Real>(ctx, result.weights, 1);
      return result;
    default: {
      auto found = pipe_menon_density<Real>(ctx, trajectory.points, image_shape, options.pipe_menon);
      return {std::move(found.weights),
              fmt::format(
                  "Pipe-Menon, {} iterations, deviation {:.2g}{}", found.iterations, found.deviation,
                  found.converged ? "" : fmt::format(" (tolerance {:g} not reached)", options.pipe_menon.tolerance))};
    }
  }
}

template DensityWeights<float> density_weights(const Context&, const Trajectory&, const Shape&, const Array<float>*,
                                               DensityMethod, const DensityOptions&);
template DensityWeights<double> density_weights(const Context&, const Trajectory&, const Shape&, const Array<double>*,
                                                DensityMethod, const DensityOptions&);

}  // namespace whorl
