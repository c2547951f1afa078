// TrajectoryColumns: the columns of a trajectory file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Meaning of the columns of a trajectory. Text names: auto, xy, xyz, xyw, xyzw (w: density weight). Further columns of
/// a file are ignored.
enum class TrajectoryColumns { automatic, xy, xyz, xyw, xyzw };

std::string_view to_string(TrajectoryColumns columns);

/// All text names.
std::vector<std::string> trajectory_columns_names();

/// The columns with this text name. Throws ValueError, listing the names.
TrajectoryColumns trajectory_columns_from_string(std::string_view name);

/// True if there is a kz column (the third).
bool has_kz(TrajectoryColumns columns);

/// Index of the density weight, or -1.
int weight_column(TrajectoryColumns columns);

/// Number of named columns; 0 for auto.
int column_count(TrajectoryColumns columns);

}  // namespace whorl
