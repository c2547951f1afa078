#include "whorl/density/radial_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "density/direction_areas.hpp"
#include "density/image_extents.hpp"
#include "density/planes.hpp"
#include "density/sorted_spoke.hpp"
#include "density/spoke_center.hpp"
#include "trajectory/spokes.hpp"
#include "whorl/density/normalize.hpp"

namespace whorl {
namespace {

using detail::SortedSpoke;

// The areas of the directions of spokes by radius. Usually all spokes have the same length, and there is one set of
// areas. If some end earlier, as the short sides of asymmetric echoes, the others share their area beyond.
class SpokeAreas {
 public:
  SpokeAreas(int dim, const detail::Spokes& spokes, const std::vector<SortedSpoke>& sorted) {
    struct Side {
      std::size_t spoke;
      int side;
      double reach;
    };
    std::vector<Side> sides;
    double step = 0;
    for (std::size_t spoke = 0; spoke < sorted.size(); ++spoke) {
      step = std::max(step, sorted[spoke].largest_step());
      for (const int side : {0, 1}) {
        const double reach = sorted[spoke].reach(side);
        if (reach > 0) sides.push_back({spoke, side, reach});
      }
    }
    std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.reach < b.reach; });
    // Full spokes of even length are one step longer on one side: they count as equally long.
    const double alike = 1.5 * step;
    for (std::size_t first = 0; first < sides.size();) {
      std::vector<std::array<double, 3>> directions;
      for (std::size_t i = first; i < sides.size(); ++i) {
        std::array<double, 3> u = spokes.directions[sides[i].spoke];
        if (sides[i].side == 0) u = {-u[0], -u[1], -u[2]};
        directions.push_back(u);
      }
      Shell shell{0, std::vector<std::array<double, 2>>(sorted.size())};
      const std::vector<double> areas = detail::direction_areas(dim, directions);
      for (std::size_t i = first; i < sides.size(); ++i) {
        shell.areas[sides[i].spoke][static_cast<std::size_t>(sides[i].side)] = areas[i - first];
      }
      const double shortest = sides[first].reach;
      while (first < sides.size() && sides[first].reach <= shortest + alike) shell.reach = sides[first++].reach;
      shells_.push_back(std::move(shell));
    }
  }

  /// Area on one side of a spoke, at a radius.
  double area(std::size_t spoke, int side, double radius) const {
    std::size_t shell = 0;
    while (shell + 1 < shells_.size() && std::abs(radius) > shells_[shell].reach) ++shell;
    return shells_[shell].areas[spoke][static_cast<std::size_t>(side)];
  }

 private:
  struct Shell {
    double reach;                              // where it ends
    std::vector<std::array<double, 2>> areas;  // of each spoke, back and ahead; 0 where a side has ended before
  };
  std::vector<Shell> shells_;
};

// The extra weight of one group of a spoke, besides |rho|^(dim-1) times its step and area.
struct CenterShare {
  std::size_t group;
  double weight;
};

// The slope of a gradient that starts slowly is less at the center than the first step says. Steps that grow with
// time, r_i = r_0 + h i + g i (i - 1) / 2, had the slope h - g (1/2 + offset) when they were at the center.
double step_at_center(const SortedSpoke& spoke, double offset) {
  const double step = spoke.radius(1) - spoke.radius(0);
  if (spoke.groups() < 3) return step;
  const double growth = spoke.radius(2) - 2 * spoke.radius(1) + spoke.radius(0);
  return std::clamp(step - growth * (0.5 + offset), 0.0, step);
}

std::vector<CenterShare> center_shares(const SortedSpoke& spoke, int dim, double field_of_view, double back,
                                       double ahead) {
  if (spoke.reach(0) > 0 && spoke.reach(1) > 0) {
    std::size_t behind = 1;  // the first group behind the center
    while (spoke.radius(behind) <= 0) ++behind;
    const double before = -spoke.radius(behind - 1);
    const double step = before + spoke.radius(behind);
    const double offset = before / step;
    const double weight =
        detail::center_weight({dim, true, offset, step * field_of_view}) * std::pow(step, dim) * (back + ahead) / 2;
    return {{behind - 1, (1 - offset) * weight}, {behind, offset * weight}};
  }
  // The farthest sample lies ahead, so the first sample is the one next to the center.
  const double step = spoke.radius(1) - spoke.radius(0);
  const double offset = std::max(0.0, spoke.radius(0)) / step;
  if (offset >= 1) return {};  // the center is not sampled
  const double at_center = step_at_center(spoke, offset);
  const double weight = detail::center_weight({dim, false, offset, step * field_of_view}) * std::pow(at_center, dim);
  return {{0, weight * ahead}};
}

// Extent of the ellipsoidal field of view along a direction: in cycles, for k in cycles per pixel.
double extent_along(const std::array<double, 3>& direction, const std::array<Index, 3>& extents) {
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    square += std::pow(direction[axis] * static_cast<double>(extents[axis]), 2);
  }
  return std::sqrt(square);
}

using Extents = std::array<Index, 3>;

// The areas (2D) or volumes (3D) of the samples of spokes.
std::vector<double> cells_of_spokes(const Trajectory& trajectory, const Extents& extents) {
  const detail::Spokes spokes = detail::find_spokes("radial density", trajectory);
  const int dim = trajectory.dim();
  std::vector<SortedSpoke> sorted;
  for (std::size_t spoke = 0; spoke < spokes.directions.size(); ++spoke) sorted.emplace_back(spokes.radii_of(spoke));
  const SpokeAreas areas(dim, spokes, sorted);

  std::vector<double> cells(spokes.radii.size());
  std::vector<double> weights;  // of the groups of a spoke
  for (std::size_t spoke = 0; spoke < sorted.size(); ++spoke) {
    const SortedSpoke& along = sorted[spoke];
    weights.assign(along.groups(), 0);
    for (std::size_t group = 0; group < along.groups(); ++group) {
      const double radius = along.radius(group);
      weights[group] =
          std::pow(std::abs(radius), dim - 1) * along.step(group) * areas.area(spoke, radius < 0 ? 0 : 1, radius);
    }
    for (const CenterShare& share : center_shares(along, dim, extent_along(spokes.directions[spoke], extents),
                                                  areas.area(spoke, 0, 0), areas.area(spoke, 1, 0))) {
      weights[share.group] += share.weight;
    }
    for (std::size_t group = 0; group < along.groups(); ++group) {
      const auto members = along.samples(group);
      for (const std::size_t sample : members) {
        // A center weight of 0 may become negative by rounding.
        cells[spoke * static_cast<std::size_t>(spokes.length) + sample] =
            std::max(0.0, weights[group]) / static_cast<double>(members.size());
      }
    }
  }
  return cells;
}

std::vector<double> cells_of_stars(const Context& ctx, const Trajectory& trajectory,
                                   const std::vector<detail::Plane>& planes, const Extents& extents) {
  const auto length = static_cast<std::size_t>(trajectory.readout_length);
  std::vector<double> cells(static_cast<std::size_t>(trajectory.samples()));
  for (const detail::Plane& plane : planes) {
    const std::vector<double> areas = cells_of_spokes(detail::seen_along_z(ctx, trajectory, plane.readouts), extents);
    for (std::size_t i = 0; i < areas.size(); ++i) {
      cells[plane.readouts[i / length] * length + i % length] = plane.thickness * areas[i];
    }
  }
  return cells;
}

}  // namespace

template <Precision Real>
Array<Real> radial_density(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape) {
  check_trajectory(trajectory.points);
  const Extents extents = detail::image_extents("radial density", trajectory.points, image_shape);
  const std::vector<detail::Plane> planes = detail::planes_of_stars(trajectory);
  const std::vector<double> cells =
      planes.empty() ? cells_of_spokes(trajectory, extents) : cells_of_stars(ctx, trajectory, planes, extents);
  Array<Real> result(ctx, {trajectory.samples()});
  std::transform(cells.begin(), cells.end(), result.data(), [](double cell) { return static_cast<Real>(cell); });
  normalize_weights<Real>(result);
  return result;
}

template Array<float> radial_density(const Context&, const Trajectory&, const Shape&);
template Array<double> radial_density(const Context&, const Trajectory&, const Shape&);

}  // namespace whorl
