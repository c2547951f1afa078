// The geometric phantom: marks whose places are known.
#include <cstddef>

#include "phantom/checks.hpp"
#include "whorl/phantom/test_objects.hpp"

namespace whorl {
namespace {

// Lengths in halves of the field of view.
constexpr double plate = 0.9;
constexpr double wedge_near = 0.7;  // the straight side of a wedge, from the middle
constexpr double wedge_height = 0.1;
constexpr double wedge_length = 0.6;  // to either side
constexpr Tissue water{0.5, 5, 0};
constexpr Tissue mark{0.5, 15, 0};  // on top of the water

void add_lattice(Phantom& phantom) {
  const bool volume = phantom.dim == 3;
  const int reach = volume ? 2 : 4;
  const double pitch = volume ? 0.3 : 0.15;
  const double size = volume ? 0.06 : 0.035;
  for (int z = volume ? -reach : 0; z <= (volume ? reach : 0); ++z) {
    for (int y = -reach; y <= reach; ++y) {
      for (int x = -reach; x <= reach; ++x) {
        const double half = x == 0 && y == 0 && z == 0 ? 2 * size : size;
        const SolidKind kind = (x + y + z) % 2 == 0 ? SolidKind::ellipsoid : SolidKind::box;
        phantom.regions.push_back({Solid{kind, {pitch * x, pitch * y, pitch * z}, {half, half, half}, 0}, mark});
      }
    }
  }
}

void add_polygon(Phantom& phantom, std::vector<std::array<double, 2>> corners) {
  phantom.regions.push_back({Contour{ContourKind::polygon, std::move(corners), 0, wedge_length}, mark});
}

// A wedge along the side of largest x, turned by quarters of a turn to the other sides.
void add_wedges(Phantom& phantom) {
  std::vector<std::array<double, 2>> corners{
      {wedge_near, -wedge_length}, {wedge_near + wedge_height, wedge_length}, {wedge_near, wedge_length}};
  for (int quarter = 0; quarter < 4; ++quarter) {
    add_polygon(phantom, corners);
    for (auto& corner : corners) corner = {-corner[1], corner[0]};
  }
}

}  // namespace

Phantom geometric_phantom(int dim) {
  detail::check_dim(dim, "geometric");
  Phantom phantom{"geometric", dim, {}, {}};
  phantom.field.harmonics = {0, 12, -8, 6, 5, -4, 15, 6, 10};
  phantom.regions.push_back({Solid{SolidKind::box, {0, 0, 0}, {plate, plate, plate}, 0}, water});
  add_lattice(phantom);
  add_wedges(phantom);
  add_polygon(phantom, {{-0.85, -0.85}, {-0.7, -0.85}, {-0.85, -0.7}});
  return phantom;
}

}  // namespace whorl
