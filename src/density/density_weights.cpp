#include "whorl/density/density_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "density/density_memory.hpp"
#include "density/planes.hpp"
#include "density/sorted_spoke.hpp"
#include "trajectory/spokes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/density/spiral_density.hpp"

namespace whorl {

namespace {

// Copies weights from the host to the context's device.
template <class Real>
Array<Real> brought(const Context& ctx, Array<Real> weights) {
  if (weights.device() == ctx.device()) return weights;
  return clone(ctx, weights.ref());
}

// The directions in which spokes lie: two of a spoke through the center.
Index directions_of(const Trajectory& trajectory) {
  const detail::Spokes spokes = detail::find_spokes("density weights", trajectory);
  Index directions = 0;
  for (std::size_t spoke = 0; spoke < spokes.directions.size(); ++spoke) {
    const detail::SortedSpoke sorted(spokes.radii_of(spoke));
    for (const int side : {0, 1}) directions += sorted.reach(side) > 0 ? 1 : 0;
  }
  return directions;
}

// True if spokes, or the stars of a stack, have enough directions for a distance of 1/N between their ends.
bool spokes_sample_fully(const Context& host, const Trajectory& trajectory, const Shape& image_shape) {
  const auto k = trajectory.points.view<2>();
  double in_plane = 0;
  double in_space = 0;
  for (Index j = 0; j < k.extent(0); ++j) {
    const double square = k(j, 0) * k(j, 0) + k(j, 1) * k(j, 1);
    in_plane = std::max(in_plane, square);
    in_space = std::max(in_space, square + (trajectory.dim() == 3 ? k(j, 2) * k(j, 2) : 0));
  }
  const std::vector<detail::Plane> planes = detail::planes_of_stars(trajectory);
  const bool stack = !planes.empty();
  Index directions = 0;
  if (!stack) directions = directions_of(trajectory);
  for (const detail::Plane& plane : planes) {
    directions += directions_of(detail::seen_along_z(host, trajectory, plane.readouts));
  }
  const auto extent = static_cast<double>(*std::max_element(image_shape.begin(), image_shape.end()));
  constexpr double pi = std::numbers::pi;
  const double needed = trajectory.dim() == 2 || stack
                            ? 2 * pi * std::sqrt(in_plane) * extent * static_cast<double>(stack ? planes.size() : 1)
                            : 4 * pi * in_space * extent * extent;
  return static_cast<double>(directions) >= needed;
}

// Weights by a formula, unless the trajectory is not of the kind that it takes.
template <class Real, class Formula>
std::optional<Array<Real>> if_it_fits(const Formula& formula) {
  try {
    return formula();
  } catch (const ValueError&) {
    return std::nullopt;
  }
}

template <class Real>
struct AutomaticDensity {
  DensityMethod method = DensityMethod::pipe_menon;
  Array<Real> weights{};  // on the host; none for Pipe-Menon's, which are to be iterated
};

template <class Real>
AutomaticDensity<Real> choose_density(const Context& host, const Trajectory& trajectory, const Shape& image_shape) {
  if (auto radial = if_it_fits<Real>([&] { return radial_density<Real>(host, trajectory, image_shape); })) {
    if (spokes_sample_fully(host, trajectory, image_shape)) return {DensityMethod::radial, std::move(*radial)};
  } else if (auto spiral = if_it_fits<Real>([&] { return spiral_density<Real>(host, trajectory); })) {
    return {DensityMethod::spiral, std::move(*spiral)};
  }
  return {};
}

}  // namespace

DensityMethod automatic_density(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape) {
  return choose_density<float>(ctx.host(), trajectory, image_shape).method;
}

template <Precision Real>
DensityWeights<Real> density_weights(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                                     const Array<Real>* from_file, DensityMethod method,
                                     const DensityOptions& options) {
  return detail::density_weights_with<Real>(ctx, trajectory, image_shape, from_file, method, options,
                                            [&](const Shape& grid) { return Array<std::complex<Real>>(ctx, grid); });
}

template <class Real>
DensityWeights<Real> detail::density_weights_with(const Context& ctx, const Trajectory& trajectory,
                                                  const Shape& image_shape, const Array<Real>* from_file,
                                                  DensityMethod method, const DensityOptions& options,
                                                  const MakeGrid<Real>& make_grid) {
  const Context host = ctx.host();
  AutomaticDensity<Real> chosen;
  if (method == DensityMethod::automatic && from_file != nullptr) method = DensityMethod::file;
  if (method == DensityMethod::automatic) {
    chosen = choose_density<Real>(host, trajectory, image_shape);
    method = chosen.method;
  }
  const auto chosen_or = [&](const auto& make) {
    return brought(ctx, chosen.weights.size() > 0 ? std::move(chosen.weights) : make());
  };
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
      return {chosen_or([&] { return radial_density<Real>(host, trajectory, image_shape); }),
              "analytic, for radial spokes"};
    case DensityMethod::spiral:
      return {chosen_or([&] { return spiral_density<Real>(host, trajectory); }), "analytic, for spiral arms"};
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
      auto found = pipe_menon_with<Real>(ctx, trajectory.points, image_shape, options.pipe_menon, make_grid);
      return {std::move(found.weights),
              fmt::format(
                  "Pipe-Menon, {} iterations, deviation {:.2g}{}", found.iterations, found.deviation,
                  found.converged ? "" : fmt::format(" (tolerance {:g} not reached)", options.pipe_menon.tolerance))};
    }
  }
}

template DensityWeights<float> detail::density_weights_with(const Context&, const Trajectory&, const Shape&,
                                                            const Array<float>*, DensityMethod, const DensityOptions&,
                                                            const MakeGrid<float>&);
template DensityWeights<double> detail::density_weights_with(const Context&, const Trajectory&, const Shape&,
                                                             const Array<double>*, DensityMethod, const DensityOptions&,
                                                             const MakeGrid<double>&);
template DensityWeights<float> density_weights(const Context&, const Trajectory&, const Shape&, const Array<float>*,
                                               DensityMethod, const DensityOptions&);
template DensityWeights<double> density_weights(const Context&, const Trajectory&, const Shape&, const Array<double>*,
                                                DensityMethod, const DensityOptions&);

}  // namespace whorl
