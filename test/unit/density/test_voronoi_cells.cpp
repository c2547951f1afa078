// The volumes of Voronoi cells, against lattices and against a raster of nearest neighbors.
#include "density/voronoi_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl::detail {
namespace {

template <int Dim>
std::vector<Point<Dim>> random_places(int count, std::uint64_t seed, bool corners) {
  std::vector<Point<Dim>> places(static_cast<std::size_t>(count));
  std::uint64_t i = 0;
  for (auto& place : places) {
    for (double& k : place) k = random_uniform(seed, i++) - 0.5;
  }
  for (unsigned corner = 0; corners && corner < (1U << Dim); ++corner) {
    for (std::size_t axis = 0; axis < Dim; ++axis) places[corner][axis] = (corner >> axis & 1U) != 0 ? 0.5 : -0.5;
  }
  return places;
}

// In the order of the places.
template <int Dim>
std::vector<double> volumes_of(const std::vector<Point<Dim>>& places, VoronoiBoundary boundary, int threads = 2) {
  const Context ctx({.threads = threads});
  const PointTree<Dim> tree(places);
  const auto sorted = voronoi_volumes<Dim>(ctx, tree, boundary);
  std::vector<double> volumes(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) volumes[static_cast<std::size_t>(tree.source(Index(i)))] = sorted[i];
  return volumes;
}

// The number of the place nearest to x.
template <int Dim>
std::size_t nearest(const std::vector<Point<Dim>>& places, const Point<Dim>& x) {
  std::size_t best = 0;
  double least = 1e9;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto way = difference<Dim>(places[i], x);
    const double square = dot_product<Dim>(way, way);
    if (square < least) {
      least = square;
      best = i;
    }
  }
  return best;
}

// A raster over the cube [-extent, extent]^Dim, `side` pixels along each axis.
template <int Dim>
struct Raster {
  int side;
  double extent;

  double step() const { return 2 * extent / side; }
  std::size_t size() const { return static_cast<std::size_t>(std::lround(std::pow(side, Dim))); }
  Point<Dim> center(std::size_t pixel) const {
    Point<Dim> x{};
    for (double& coordinate : x) {
      coordinate = (static_cast<double>(pixel % static_cast<std::size_t>(side)) + 0.5) * step() - extent;
      pixel /= static_cast<std::size_t>(side);
    }
    return x;
  }
};

// Areas by counting the pixels of each owner (-1: nobody's), and by how much they may err. The boundary of a cell takes
// part of each pixel that it crosses; taken as evenly distributed, the part errs by 1/sqrt(12) of a pixel, and the sum
// over the crossed ones, those with a neighbor of another owner, by the root of their number times that. Six times so.
template <int Dim>
void compare_with_raster(const std::vector<double>& volumes, const Raster<Dim>& raster, const std::vector<int>& owner) {
  std::vector<double> count(volumes.size());
  std::vector<double> crossed(volumes.size());
  for (std::size_t pixel = 0; pixel < owner.size(); ++pixel) {
    if (owner[pixel] >= 0) count[std::size_t(owner[pixel])] += 1;
    std::size_t stride = 1;
    for (int axis = 0; axis < Dim; ++axis, stride *= std::size_t(raster.side)) {
      if (pixel / stride % std::size_t(raster.side) + 1 == std::size_t(raster.side)) continue;
      if (owner[pixel] == owner[pixel + stride]) continue;
      if (owner[pixel] >= 0) crossed[std::size_t(owner[pixel])] += 1;
      if (owner[pixel + stride] >= 0) crossed[std::size_t(owner[pixel + stride])] += 1;
    }
  }
  const double unit = std::pow(raster.step(), Dim);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    EXPECT_NEAR(volumes[i], unit * count[i], 6 * unit * std::sqrt(crossed[i] / 12 + 1)) << "cell " << i;
  }
}

template <int Dim>
void check_hull_against_raster(int count, int side) {
  const auto places = random_places<Dim>(count, 3, true);  // with the corners, so that the hull is the cube
  const auto volumes = volumes_of<Dim>(places, VoronoiBoundary::hull);
  const Raster<Dim> raster{side, 0.5};
  std::vector<int> owner(raster.size());
  for (std::size_t i = 0; i < owner.size(); ++i) owner[i] = int(nearest<Dim>(places, raster.center(i)));
  compare_with_raster<Dim>(volumes, raster, owner);
  // Each volume is good to 1e-9 of the whole at the worst.
  EXPECT_NEAR(std::accumulate(volumes.begin(), volumes.end(), 0.0), 1, 1e-9);
}

TEST(VoronoiCells, AreThoseOfARaster) {
  check_hull_against_raster<2>(40, 600);
  check_hull_against_raster<3>(50, 90);
}

// By the definition: x belongs to the nearest sample p, and where the cell of p reaches outside of the hull only if p
// is also the nearest one to 2p - x, the mirror image of x.
template <int Dim>
void check_extrapolated_against_raster(int count, int side) {
  const auto places = random_places<Dim>(count, 5, true);
  const auto volumes = volumes_of<Dim>(places, VoronoiBoundary::extrapolated);
  const Raster<Dim> raster{side, 1.5};
  std::vector<int> owner(raster.size());
  std::vector<bool> reaches_out(places.size());
  for (std::size_t i = 0; i < owner.size(); ++i) {
    const Point<Dim> x = raster.center(i);
    owner[i] = int(nearest<Dim>(places, x));
    for (const double coordinate : x) {
      if (std::abs(coordinate) > 0.5) reaches_out[std::size_t(owner[i])] = true;
    }
  }
  for (std::size_t i = 0; i < owner.size(); ++i) {
    const auto p = std::size_t(owner[i]);
    if (!reaches_out[p]) continue;
    const Point<Dim> x = raster.center(i);
    if (nearest<Dim>(places, difference<Dim>(places[p], difference<Dim>(x, places[p]))) != p) owner[i] = -1;
  }
  compare_with_raster<Dim>(volumes, raster, owner);
}

TEST(VoronoiCells, OuterOnesAreClosedByTheirMirrorImage) {
  check_extrapolated_against_raster<2>(30, 1200);
  check_extrapolated_against_raster<3>(40, 150);
}

// The cells of a lattice have its determinant for volume; so have those at the edge, extrapolated, but for the corners
// of a sheared lattice, which lack a neighbor that their mirror image can not make up for.
TEST(VoronoiCells, OfALatticeAreItsDeterminant) {
  std::vector<Point<2>> sheared;
  for (int i = 0; i < 19; ++i) {
    for (int j = 0; j < 16; ++j) sheared.push_back({0.025 * i + 0.01 * j - 0.3, 0.027 * j - 0.2});
  }
  const auto areas = volumes_of<2>(sheared, VoronoiBoundary::extrapolated);
  for (std::size_t n = 0; n < areas.size(); ++n) {
    if (n == 0 || n + 1 == areas.size()) continue;
    EXPECT_NEAR(areas[n], 0.025 * 0.027, 1e-9 * 0.025 * 0.027) << n;
  }

  for (const double shear : {0.0, 0.4}) {  // 0: eight cells meet in every vertex
    std::vector<Point<3>> lattice;
    for (int i = -5; i < 6; ++i) {
      for (int j = -3; j < 5; ++j) {
        for (int k = -4; k < 4; ++k) lattice.push_back({0.08 * (i + shear * j), 0.05 * j, 0.11 * (k - shear * i / 2)});
      }
    }
    const double expected = 0.08 * 0.05 * 0.11;
    const auto volumes = volumes_of<3>(lattice, VoronoiBoundary::extrapolated);
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      const auto& p = lattice[i];
      if (shear != 0 && (std::abs(p[0]) > 0.2 || std::abs(p[1]) > 0.09 || std::abs(p[2]) > 0.15)) continue;
      EXPECT_NEAR(volumes[i], expected, 1e-9 * expected);
    }
  }
}

TEST(VoronoiCells, AtTheHullALatticeEndsHalfWay) {
  std::vector<Point<3>> lattice;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 6; ++k) lattice.push_back({0.1 * i, 0.07 * j, 0.06 * k});
    }
  }
  const auto volumes = volumes_of<3>(lattice, VoronoiBoundary::hull);
  std::size_t n = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 6; ++k) {
        const int ends = int(i == 0 || i == 3) + int(j == 0 || j == 4) + int(k == 0 || k == 5);
        const double expected = 0.1 * 0.07 * 0.06 / std::pow(2, ends);
        EXPECT_NEAR(volumes[n++], expected, 1e-9 * expected);
      }
    }
  }
}

TEST(VoronoiCells, AnyNumberOfThreadsGivesTheSame) {
  const auto places = random_places<3>(900, 8, false);
  EXPECT_EQ(volumes_of<3>(places, VoronoiBoundary::extrapolated, 1),
            volumes_of<3>(places, VoronoiBoundary::extrapolated, 3));
}

TEST(VoronoiCells, StopOnRequest) {
  const Context ctx;
  const PointTree<2> tree(random_places<2>(50, 4, false));
  ctx.request_cancel();
  EXPECT_THROW(voronoi_volumes<2>(ctx, tree, VoronoiBoundary::hull), Cancelled);
}

}  // namespace
}  // namespace whorl::detail
