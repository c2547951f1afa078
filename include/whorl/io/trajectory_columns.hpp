// TrajectoryColumns: what the numbers of one sample of a trajectory file are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whorl {

/// Meaning of the columns of a trajectory. Text names: auto, xy, xyz, xyw, xyzw (w: density weight). A file may have
/// more columns than are named: the rest is left out.
enum class TrajectoryColumns { automatic, xy, xyz, xyw, xyzw };

std::string_view to_string(TrajectoryColumns columns);

/// All text names.
std::vector<std::string> trajectory_columns_names();

/// The columns of that text name. Throws ValueError listing the names.
TrajectoryColumns trajectory_columns_from_string(std::string_view name);

/// Whether there is a kz column (the third).
bool has_kz(TrajectoryColumns columns);

/// Position of the density weight, or -1.
int weight_column(TrajectoryColumns columns);

/// How many columns are named; 0 for auto.
int column_count(TrajectoryColumns columns);

}  // namespace whorl
