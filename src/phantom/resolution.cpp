// The resolution phantom: groups of bars and rods.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "phantom/checks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/test_objects.hpp"

namespace whorl {
namespace {

constexpr int bars = 4;
constexpr double group_widths = 2 * bars - 1;  // a group's extent in line widths
constexpr double space = 0.06;                 // between groups, in halves of the field of view
constexpr double disk_radius = 0.92;
constexpr double depth = 0.8;  // half the length of the disk along z
constexpr Tissue background{0.25, 10, 0};
constexpr Tissue foreground{0.75, 10, 0};  // on top of the background

using Triple = std::array<double, 3>;

// Where the groups of one line width lie.
class BarRow {
 public:
  BarRow(const Triple& field_of_view, double line_width) {
    for (std::size_t axis = 0; axis < 3; ++axis) width_[axis] = 2 * line_width / field_of_view[axis];
  }

  double extent(std::size_t axis) const { return group_widths * width_[axis]; }

  void add_bars(Phantom& phantom, const Triple& center, std::size_t along) const {
    for (int bar = 0; bar < bars; ++bar) {
      Triple place = center;
      Triple half{extent(0) / 2, extent(1) / 2, extent(2) / 2};
      place[along] += (2 * bar - (bars - 1)) * width_[along];
      half[along] = width_[along] / 2;
      phantom.regions.push_back({Solid{SolidKind::box, place, half, 0}, foreground});
    }
  }

  void add_rods(Phantom& phantom, const Triple& center) const {
    for (int rod = 0; rod < bars * bars; ++rod) {
      const int column = rod % bars;
      const int line = rod / bars;
      const Triple place{center[0] + (2 * column - (bars - 1)) * width_[0],
                         center[1] + (2 * line - (bars - 1)) * width_[1], center[2]};
      const Triple half{width_[0] / 2, width_[1] / 2, extent(2) / 2};
      phantom.regions.push_back({Solid{SolidKind::cylinder, place, half, 0}, foreground});
    }
  }

 private:
  Triple width_{};
};

void check_sizes(const Triple& field_of_view, std::span<const double> line_widths) {
  const auto good = [](double value) { return std::isfinite(value) && value > 0; };
  if (line_widths.empty() || line_widths.size() > 64 || !std::all_of(line_widths.begin(), line_widths.end(), good) ||
      !std::all_of(field_of_view.begin(), field_of_view.end(), good)) {
    throw ValueError("resolution phantom: expected 1 to 64 line widths, all and the field of view above 0");
  }
}

}  // namespace

Phantom resolution_phantom(int dim, const std::array<double, 3>& field_of_view, std::span<const double> line_widths) {
  detail::check_dim(dim, "resolution");
  check_sizes(field_of_view, line_widths);
  Phantom phantom{"resolution", dim, {}, {}};
  phantom.field.harmonics = {0, 6, -4, 3, 2, -2, 8, 3, 5};
  phantom.regions.push_back({Solid{SolidKind::cylinder, {0, 0, 0}, {disk_radius, disk_radius, depth}, 0}, background});

  std::vector<BarRow> rows;
  for (const double width : line_widths) rows.emplace_back(field_of_view, width);
  const double height = std::accumulate(rows.begin(), rows.end(), space * static_cast<double>(rows.size() - 1),
                                        [](double sum, const BarRow& row) { return sum + row.extent(1); });
  const int groups = dim == 3 ? 4 : 3;
  double top = -height / 2;
  for (const BarRow& row : rows) {
    const double half_row = (groups * row.extent(0) + (groups - 1) * space) / 2;
    const double farthest = std::max(std::abs(top), std::abs(top + row.extent(1)));
    if (std::hypot(half_row, farthest) > disk_radius || (dim == 3 && row.extent(2) / 2 > depth)) {
      throw ValueError(
          fmt::format("resolution phantom: the groups of {} line widths of up to {:g} do not fit into a "
                      "field of view of {:g} x {:g} x {:g}; give smaller or fewer line widths",
                      line_widths.size(), *std::max_element(line_widths.begin(), line_widths.end()), field_of_view[0],
                      field_of_view[1], field_of_view[2]));
    }
    Triple center{-half_row + row.extent(0) / 2, top + row.extent(1) / 2, 0};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dim); ++axis) {
      row.add_bars(phantom, center, axis);
      center[0] += row.extent(0) + space;
    }
    row.add_rods(phantom, center);
    top += row.extent(1) + space;
  }
  return phantom;
}

}  // namespace whorl
