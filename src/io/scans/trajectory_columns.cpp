#include "whorl/io/trajectory_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr std::array<TrajectoryColumns, 5> all{TrajectoryColumns::automatic, TrajectoryColumns::xy,
                                               TrajectoryColumns::xyz, TrajectoryColumns::xyw, TrajectoryColumns::xyzw};

}  // namespace

std::string_view to_string(TrajectoryColumns columns) {
  switch (columns) {
    case TrajectoryColumns::xy:
      return "xy";
    case TrajectoryColumns::xyz:
      return "xyz";
    case TrajectoryColumns::xyw:
      return "xyw";
    case TrajectoryColumns::xyzw:
      return "xyzw";
    case TrajectoryColumns::automatic:
      break;
  }
  return "auto";
}

std::vector<std::string> trajectory_columns_names() {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const TrajectoryColumns columns : all) names.emplace_back(to_string(columns));
  return names;
}

TrajectoryColumns trajectory_columns_from_string(std::string_view name) {
  for (const TrajectoryColumns columns : all) {
    if (to_string(columns) == name) return columns;
  }
  throw ValueError(fmt::format("trajectory columns: \"{}\" is not known; use one of {}", name,
                               fmt::join(trajectory_columns_names(), ", ")));
}

bool has_kz(TrajectoryColumns columns) {
  return columns == TrajectoryColumns::xyz || columns == TrajectoryColumns::xyzw;
}

int weight_column(TrajectoryColumns columns) {
  if (columns == TrajectoryColumns::xyw) return 2;
  return columns == TrajectoryColumns::xyzw ? 3 : -1;
}

int column_count(TrajectoryColumns columns) {
  return columns == TrajectoryColumns::automatic ? 0 : static_cast<int>(to_string(columns).size());
}

}  // namespace whorl
