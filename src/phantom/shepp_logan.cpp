#include "whorl/phantom/shepp_logan.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

// A row of the printed tables: y points up, angle in degrees counterclockwise.
struct Row {
  std::array<double, 3> semi_axes;
  std::array<double, 3> center;
  double degrees;
  double standard;
  double modified;
};

constexpr std::array<Row, 10> head_2d{{
    {{0.69, 0.92, 1}, {0, 0, 0}, 0, 2, 1},
    {{0.6624, 0.874, 1}, {0, -0.0184, 0}, 0, -0.98, -0.8},
    {{0.11, 0.31, 1}, {0.22, 0, 0}, -18, -0.02, -0.2},
    {{0.16, 0.41, 1}, {-0.22, 0, 0}, 18, -0.02, -0.2},
    {{0.21, 0.25, 1}, {0, 0.35, 0}, 0, 0.01, 0.1},
    {{0.046, 0.046, 1}, {0, 0.1, 0}, 0, 0.01, 0.1},
    {{0.046, 0.046, 1}, {0, -0.1, 0}, 0, 0.01, 0.1},
    {{0.046, 0.023, 1}, {-0.08, -0.605, 0}, 0, 0.01, 0.1},
    {{0.023, 0.023, 1}, {0, -0.606, 0}, 0, 0.01, 0.1},
    {{0.023, 0.046, 1}, {0.06, -0.605, 0}, 0, 0.01, 0.1},
}};

constexpr std::array<Row, 10> head_3d{{
    {{0.69, 0.92, 0.9}, {0, 0, 0}, 0, 2, 1},
    {{0.6624, 0.874, 0.88}, {0, 0, 0}, 0, -0.98, -0.8},
    {{0.41, 0.16, 0.21}, {-0.22, 0, -0.25}, 108, -0.02, -0.2},
    {{0.31, 0.11, 0.22}, {0.22, 0, -0.25}, 72, -0.02, -0.2},
    {{0.21, 0.25, 0.5}, {0, 0.35, -0.25}, 0, 0.02, 0.2},
    {{0.046, 0.046, 0.046}, {0, 0.1, -0.25}, 0, 0.02, 0.2},
    {{0.046, 0.023, 0.02}, {-0.08, -0.65, -0.25}, 0, 0.01, 0.1},
    {{0.046, 0.023, 0.02}, {0.06, -0.65, -0.25}, 90, 0.01, 0.1},
    {{0.056, 0.04, 0.1}, {0.06, -0.105, 0.625}, 90, 0.02, 0.2},
    {{0.056, 0.056, 0.1}, {0, 0.1, 0.625}, 0, -0.02, -0.2},
}};

}  // namespace

std::vector<Ellipsoid> shepp_logan(int dim, PhantomContrast contrast) {
  if (dim != 2 && dim != 3) throw ValueError(fmt::format("Shepp-Logan phantom: expected dim 2 or 3, got {}", dim));
  std::vector<Ellipsoid> ellipsoids;
  for (const Row& row : dim == 2 ? head_2d : head_3d) {
    Ellipsoid& ellipsoid = ellipsoids.emplace_back();
    ellipsoid.center = {row.center[0], -row.center[1], row.center[2]};
    ellipsoid.semi_axes = row.semi_axes;
    ellipsoid.angle = -row.degrees * std::numbers::pi / 180;
    ellipsoid.intensity = contrast == PhantomContrast::standard ? row.standard : row.modified;
  }
  return ellipsoids;
}

}  // namespace whorl
