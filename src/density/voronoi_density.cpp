#include "whorl/density/voronoi_density.hpp"

#include "density/places.hpp"
#include "density/voronoi_cells.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

template <int Dim>
std::vector<double> cell_volumes(const Context& ctx, ArrayRef<const double> points, VoronoiBoundary boundary) {
  std::vector<detail::Point<Dim>> places(static_cast<std::size_t>(points.extent(0)));
  for (std::size_t i = 0; i < places.size(); ++i) std::copy_n(points.data() + Dim * i, Dim, places[i].begin());
  const detail::PointTree<Dim> all(std::move(places));
  const detail::Places groups = detail::group_by_place<Dim>(all, voronoi_merge_distance);

  std::vector<detail::Point<Dim>> different;
  for (const Index leader : groups.leader) {
    different.push_back(all.points()[static_cast<std::size_t>(all.place_of(leader))]);
  }
  const detail::PointTree<Dim> tree(std::move(different));
  const std::vector<double> volumes = detail::voronoi_volumes<Dim>(ctx, tree, boundary);

  std::vector<double> share(groups.leader.size());  // first the number of members, then what each of them gets
  for (const Index group : groups.group) share[static_cast<std::size_t>(group)] += 1;
  for (Index i = 0; i < tree.size(); ++i) {
    double& of_group = share[static_cast<std::size_t>(tree.source(i))];
    of_group = volumes[static_cast<std::size_t>(i)] / of_group;
  }
  std::vector<double> result(groups.group.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = share[static_cast<std::size_t>(groups.group[i])];
  return result;
}

}  // namespace

template <Precision Real>
Array<Real> voronoi_density(const Context& ctx, ArrayRef<const double> points, const VoronoiOptions& options) {
  check_trajectory(points);
  if (points.extent(0) == 0) throw ValueError("Voronoi density: no samples");
  const std::vector<double> volumes = points.extent(1) == 2 ? cell_volumes<2>(ctx, points, options.boundary)
                                                            : cell_volumes<3>(ctx, points, options.boundary);
  Array<Real> weights(ctx, {points.extent(0)});
  for (std::size_t i = 0; i < volumes.size(); ++i) weights.span()[i] = static_cast<Real>(volumes[i]);
  normalize_weights<Real>(weights);
  return weights;
}

template Array<float> voronoi_density(const Context&, ArrayRef<const double>, const VoronoiOptions&);
template Array<double> voronoi_density(const Context&, ArrayRef<const double>, const VoronoiOptions&);

}  // namespace whorl
