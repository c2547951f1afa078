#include "density/voronoi_cells.hpp"

#include <omp.h>

#include <atomic>

#include "core/parallel.hpp"
#include "density/convex_cell.hpp"
#include "density/convex_hull.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::detail {

namespace {

template <int Dim>
struct Workspace {
  ConvexCell<Dim> cell;
  typename PointTree<Dim>::Queue queue;
};

template <int Dim>
class CellMaker {
 public:
  CellMaker(const PointTree<Dim>& tree, VoronoiBoundary boundary)
      : tree_(tree),
        boundary_(boundary),
        hull_(convex_hull("Voronoi density", {tree.points().front().data(), Dim * tree.points().size()}, Dim)) {}

  double volume(Index sample, Workspace<Dim>& work) const {
    cut_by_neighbors_and_hull(sample, work);
    if (boundary_ == VoronoiBoundary::extrapolated && work.cell.has_outer_side()) cut_by_mirrored(sample, work);
    return work.cell.volume();
  }

 private:
  // Number of samples tried before the hull. Its many facets matter only if neighbors do not close the cell.
  static constexpr Index before_hull = 32;

  // A box around the sample that holds all others and is symmetric about it.
  void start(ConvexCell<Dim>& cell) const {
    Point<Dim> corner{};
    for (std::size_t axis = 0; axis < Dim; ++axis) corner[axis] = 1.1 * (tree_.high()[axis] - tree_.low()[axis]);
    cell.reset(difference<Dim>({}, corner), corner);
  }

  // Calls cut(q - p, |q - p|^2 / 2) for the samples q that may cut the cell of p. Such a q cuts off a vertex v of the cell if
  // it is closer to v than p, that is in the ball around v through p. All these balls lie within twice the cell's
  // radius. But for long, thin cells, as the inner ones of a kooshball, the balls hold few of the samples within that
  // distance.
  template <class Cut>
  void for_neighbors(Index sample, Workspace<Dim>& work, const Cut& cut) const {
    const Point<Dim>& p = tree_.points()[static_cast<std::size_t>(sample)];
    const auto limit = [&] { return 4 * work.cell.reach_square(); };
    const auto wanted = [&](const Point<Dim>& low, const Point<Dim>& high) {
      return within_a_ball(work.cell, difference<Dim>(low, p), difference<Dim>(high, p));
    };
    tree_.nearest_first(p, work.queue, limit, wanted, [&](Index other) {
      if (other == sample) return;
      const Point<Dim> way = difference<Dim>(tree_.points()[static_cast<std::size_t>(other)], p);
      const double square = dot_product<Dim>(way, way);
      if (square < limit()) cut(way, square / 2);
    });
  }

  // True if a ball around a vertex, through the origin, reaches into a box.
  static bool within_a_ball(const ConvexCell<Dim>& cell, const Point<Dim>& low, const Point<Dim>& high) {
    return cell.any_vertex([&](const Point<Dim>& vertex) {
      return box_distance_square<Dim>(low, high, vertex) < dot_product<Dim>(vertex, vertex);
    });
  }

  void cut_by_hull(const Point<Dim>& p, ConvexCell<Dim>& cell) const {
    const auto reach = [&] { return std::sqrt(cell.reach_square()); };
    hull_.nearer_than(in_space(p), reach, [&](const HullPlane& plane, double distance) {
      Point<Dim> normal{};
      std::copy_n(plane.normal.begin(), Dim, normal.begin());
      cell.cut(normal, std::max(distance, 0.0), true);
    });
  }

  static std::array<double, 3> in_space(const Point<Dim>& p) {
    std::array<double, 3> position{};
    std::copy(p.begin(), p.end(), position.begin());
    return position;
  }

  // The samples before and after in time come first: they close a cell along the readout. At the center of a kooshball
  // hundreds of samples on other spokes are closer.
  void cut_by_neighbors_in_time(Index sample, ConvexCell<Dim>& cell) const {
    const Index source = tree_.source(sample);
    for (const Index other : {source - 1, source + 1}) {
      if (other < 0 || other >= tree_.size()) continue;
      const Point<Dim> way = difference<Dim>(tree_.points()[static_cast<std::size_t>(tree_.place_of(other))],
                                             tree_.points()[static_cast<std::size_t>(sample)]);
      cell.cut(way, dot_product<Dim>(way, way) / 2, false);
    }
  }

  void cut_by_neighbors_and_hull(Index sample, Workspace<Dim>& work) const {
    const Point<Dim>& p = tree_.points()[static_cast<std::size_t>(sample)];
    start(work.cell);
    cut_by_neighbors_in_time(sample, work.cell);
    // Samples closer than the hull come before it. Without the hull the cells at the edge would reach far out, and all
    // samples would be tried for them.
    const double distance = std::max(hull_.distance(in_space(p)), 0.0);
    Index seen = 0;
    bool hull_done = false;
    for_neighbors(sample, work, [&](const Point<Dim>& way, double offset) {
      work.cell.cut(way, offset, false);
      if (hull_done || ++seen < before_hull || 2 * offset < distance * distance) return;
      cut_by_hull(p, work.cell);
      hull_done = true;
    });
    if (!hull_done && work.cell.reach_square() > distance * distance) cut_by_hull(p, work.cell);
  }

  void cut_by_mirrored(Index sample, Workspace<Dim>& work) const {
    start(work.cell);
    for_neighbors(sample, work, [&](const Point<Dim>& way, double offset) {
      work.cell.cut(way, offset, false);
      work.cell.cut(difference<Dim>({}, way), offset, false);
    });
  }

  const PointTree<Dim>& tree_;
  VoronoiBoundary boundary_;
  HullPlanes hull_;
};

}  // namespace

template <int Dim>
std::vector<double> voronoi_volumes(const Context& ctx, const PointTree<Dim>& tree, VoronoiBoundary boundary) {
  const CellMaker<Dim> maker(tree, boundary);
  std::vector<double> volumes(tree.points().size());
  ProgressStage stage(ctx, "Voronoi cells", tree.size());
  constexpr Index piece = 256;
  std::atomic<Index> done = 0;
  Index told = 0;
  parallel_threads(ctx, ctx.threads(), divide_up(tree.size(), piece), [&](const auto& turns) {
    Workspace<Dim> work;
    turns([&](Index number) {
      const Index begin = number * piece;
      const Index end = std::min(tree.size(), begin + piece);
      for (Index i = begin; i < end; ++i) volumes[static_cast<std::size_t>(i)] = maker.volume(i, work);
      done += end - begin;
      if (omp_get_thread_num() == 0) {  // the thread that called, to which the stage belongs
        const Index now = done;
        stage.advance(now - told);
        told = now;
      }
    });
  });
  stage.advance(tree.size() - told);
  return volumes;
}

template std::vector<double> voronoi_volumes(const Context&, const PointTree<2>&, VoronoiBoundary);
template std::vector<double> voronoi_volumes(const Context&, const PointTree<3>&, VoronoiBoundary);

}  // namespace whorl::detail
