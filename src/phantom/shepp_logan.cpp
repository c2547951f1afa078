#include "whorl/phantom/shepp_logan.hpp"

#include <array>
#include <cstddef>
#include <numbers>

#include "phantom/checks.hpp"
#include "phantom/head_field.hpp"

namespace whorl {
namespace {

// A row of the printed tables: y points up, angle in degrees counterclockwise.
struct EllipsoidRow {
  std::array<double, 3> semi_axes;
  std::array<double, 3> center;
  double degrees;
  double standard;
  double modified;
};

constexpr std::array<EllipsoidRow, 10> head_2d{{
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

constexpr std::array<EllipsoidRow, 10> head_3d{{
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

// Bone 100/s, brain 20/s, ventricles 2/s, the small ones 5/s more than what they lie in.
constexpr std::array<double, 10> added_r2_star{100, -80, -18, -18, 5, 5, 5, 5, 5, 5};

}  // namespace

Phantom shepp_logan(int dim, PhantomContrast contrast) {
  detail::check_dim(dim, "Shepp-Logan");
  const bool standard = contrast == PhantomContrast::standard;
  Phantom phantom{standard ? "Shepp-Logan" : "modified Shepp-Logan", dim, {}, detail::head_field(dim)};
  const auto& rows = dim == 2 ? head_2d : head_3d;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    const EllipsoidRow& row = rows[number];
    const std::array<double, 3> center{row.center[0], -row.center[1], row.center[2]};
    const double angle = -row.degrees * std::numbers::pi / 180;
    phantom.regions.push_back({Solid{SolidKind::ellipsoid, center, row.semi_axes, angle},
                               {standard ? row.standard : row.modified, added_r2_star[number]}});
  }
  return phantom;
}

}  // namespace whorl
