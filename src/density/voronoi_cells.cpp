#include "density/voronoi_cells.hpp"

#include <exception>

#include "density/convex_cell.hpp"
#include "density/convex_hull.hpp"

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
        hull_(convex_hull("Voronoi density", {tree.points().front().data(), Dim * tree.points().size()}, Dim), Dim,
              tree.low(), tree.high()) {}

  double volume(Index sample, Workspace<Dim>& work) const {
    cut_by_neighbors_and_hull(sample, work);
    if (boundary_ == VoronoiBoundary::extrapolated && work.cell.has_outer_side()) cut_by_mirrored(sample, work);
    return work.cell.volume();
  }

 private:
  // Samples looked at before the hull: without it the cells at the edge reach far out, and all samples would be asked.
  static constexpr Index before_hull = 32;

  // The box around all samples, larger by `margin` times its extent on each side.
  void start(const Point<Dim>& p, double margin, ConvexCell<Dim>& cell) const {
    Point<Dim> low{};
    Point<Dim> high{};
    for (std::size_t axis = 0; axis < Dim; ++axis) {
      const double beyond = margin * (tree_.high()[axis] - tree_.low()[axis]);
      low[axis] = tree_.low()[axis] - beyond - p[axis];
      high[axis] = tree_.high()[axis] + beyond - p[axis];
    }
    cell.reset(low, high);
  }

  // Calls cut(q - p, |q - p|^2 / 2) for the samples q that may cut the cell of p: those within twice its reach.
  template <class Cut>
  void for_neighbors(Index sample, Workspace<Dim>& work, const Cut& cut) const {
    const Point<Dim>& p = tree_.points()[static_cast<std::size_t>(sample)];
    const auto limit = [&] { return 4 * work.cell.reach_square(); };
    tree_.nearest_first(p, work.queue, limit, [&](Index other) {
      if (other == sample) return;
      const Point<Dim> way = difference<Dim>(tree_.points()[static_cast<std::size_t>(other)], p);
      const double square = dot_product<Dim>(way, way);
      if (square < limit()) cut(way, square / 2);
    });
  }

  void cut_by_hull(const Point<Dim>& p, ConvexCell<Dim>& cell) const {
    if (hull_.at_least(p) > std::sqrt(cell.reach_square())) return;
    for (const HullPlane& plane : hull_.planes()) {
      Point<Dim> normal{};
      std::copy_n(plane.normal.begin(), Dim, normal.begin());
      const double distance = std::max(plane.offset - dot_product<Dim>(normal, p), 0.0);
      if (distance * distance < cell.reach_square()) cell.cut(normal, distance, true);
    }
  }

  void cut_by_neighbors_and_hull(Index sample, Workspace<Dim>& work) const {
    const Point<Dim>& p = tree_.points()[static_cast<std::size_t>(sample)];
    start(p, 0.1, work.cell);
    Index seen = 0;
    for_neighbors(sample, work, [&](const Point<Dim>& way, double offset) {
      work.cell.cut(way, offset, false);
      if (++seen == before_hull) cut_by_hull(p, work.cell);
    });
    if (seen < before_hull) cut_by_hull(p, work.cell);
  }

  void cut_by_mirrored(Index sample, Workspace<Dim>& work) const {
    start(tree_.points()[static_cast<std::size_t>(sample)], 1, work.cell);
    for_neighbors(sample, work, [&](const Point<Dim>& way, double offset) {
      work.cell.cut(way, offset, false);
      work.cell.cut(difference<Dim>({}, way), offset, false);
    });
  }

  const PointTree<Dim>& tree_;
  VoronoiBoundary boundary_;
  HullDistance hull_;
};

}  // namespace

template <int Dim>
std::vector<double> voronoi_volumes(const Context& ctx, const PointTree<Dim>& tree, VoronoiBoundary boundary) {
  const CellMaker<Dim> maker(tree, boundary);
  std::vector<double> volumes(tree.points().size());
  ProgressStage stage(ctx, "Voronoi cells", tree.size());
  constexpr Index piece = 256;
  const Index block = 64 * piece * ctx.threads();
  for (Index first = 0; first < tree.size(); first += block) {
    const Index last = std::min(tree.size(), first + block);
    std::exception_ptr failure;
#pragma omp parallel num_threads(ctx.threads())
    {
      Workspace<Dim> work;
#pragma omp for schedule(dynamic, 1)
      for (Index begin = first; begin < last; begin += piece) {
        try {
          for (Index i = begin; i < std::min(last, begin + piece); ++i) {
            volumes[static_cast<std::size_t>(i)] = maker.volume(i, work);
          }
        } catch (...) {  // out of memory
#pragma omp critical(whorl_voronoi_failure)
          failure = std::current_exception();
        }
      }
    }
    if (failure) std::rethrow_exception(failure);
    stage.advance(last - first);
  }
  return volumes;
}

template std::vector<double> voronoi_volumes(const Context&, const PointTree<2>&, VoronoiBoundary);
template std::vector<double> voronoi_volumes(const Context&, const PointTree<3>&, VoronoiBoundary);

}  // namespace whorl::detail
