#include "io/matlab_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;

const Names data_names{"d", "kdata", "rawdata", "data"};
const Names trajectory_names{"k", "ktraj", "traj", "trajectory"};
const Names weight_names{"w", "dcf", "weights"};

std::string describe(const MatlabVariable& variable) {
  return fmt::format("{} ({}{})", variable.name, fmt::join(variable.extents, " x "),
                     variable.is_complex ? ", complex" : "");
}

/// The variable of the stated name, or the only one of a usual name. No name: none was found.
MatlabVariable find_variable(const std::vector<MatlabVariable>& variables, const std::string& stated,
                             const Names& usual, const char* role, const std::string& file) {
  std::vector<MatlabVariable> found;
  for (const MatlabVariable& variable : variables) {
    const bool wanted =
        stated.empty() ? std::find(usual.begin(), usual.end(), variable.name) != usual.end() : variable.name == stated;
    if (wanted && variable.is_numeric) found.push_back(variable);
  }
  if (found.size() == 1) return found.front();
  if (found.empty() && stated.empty()) return {};
  Names all;
  for (const MatlabVariable& variable : found.empty() ? variables : found) all.push_back(describe(variable));
  throw ValueError(found.empty() ? fmt::format("{}: no numeric variable {} for the {}; it has {}", file, stated, role,
                                               fmt::join(all, ", "))
                                 : fmt::format("{}: several variables may be the {}: {}; name one with --{}-variable",
                                               file, role, fmt::join(all, ", "), role));
}

MatlabVariable require_variable(const std::vector<MatlabVariable>& variables, const std::string& stated,
                                const Names& usual, const char* role, const std::string& file) {
  MatlabVariable variable = find_variable(variables, stated, usual, role, file);
  if (!variable.name.empty()) return variable;
  Names all;
  for (const MatlabVariable& candidate : variables) all.push_back(describe(candidate));
  throw ValueError(
      fmt::format("{}: no variable by a usual name ({}) for the {}; name it with --{}-variable, the file "
                  "has {}",
                  file, fmt::join(usual, ", "), role, role, fmt::join(all, ", ")));
}

void check_names(const Names& axes, const Names& allowed, const char* role) {
  for (const std::string& axis : axes) {
    if (std::find(allowed.begin(), allowed.end(), axis) == allowed.end()) {
      throw ValueError(
          fmt::format("convert: {} axis \"{}\" is not known; use {}", role, axis, fmt::join(allowed, ", ")));
    }
  }
}

/// Names for axes, in order, of the extents that are not 1; the others get "unit" names that nobody asks for.
Names name_axes(const std::vector<Index>& extents, const Names& names) {
  Names axes;
  std::size_t next = 0;
  for (const Index extent : extents) {
    axes.push_back(extent == 1 || next >= names.size() ? fmt::format("unit {}", axes.size()) : names[next++]);
  }
  return axes;
}

std::vector<Index> without_units(const std::vector<Index>& extents) {
  std::vector<Index> rest;
  std::copy_if(extents.begin(), extents.end(), std::back_inserter(rest), [](Index extent) { return extent != 1; });
  return rest;
}

Names guess_trajectory_axes(const MatlabVariable& trajectory, const std::string& file) {
  std::vector<Index> rest = without_units(trajectory.extents);
  Names names{"readout", "shot"};
  if (!trajectory.is_complex) {
    const auto is_dim = [](Index extent) { return extent == 2 || extent == 3; };
    const bool first = !rest.empty() && is_dim(rest.front());
    const bool last = rest.size() > 1 && is_dim(rest.back());
    if (first == last) {
      throw ValueError(
          fmt::format("{}: of the real trajectory {}, {} of first and last axis may be x, y(, z); name the "
                      "axes with --trajectory-axes, such as dim,readout,shot",
                      file, describe(trajectory), first ? "both" : "none"));
    }
    names = first ? Names{"dim", "readout", "shot"} : Names{"readout", "shot", "dim"};
    if (last && rest.size() == 2) names = {"readout", "dim"};
  }
  if (rest.size() > names.size()) {
    throw ValueError(
        fmt::format("{}: the trajectory {} has more axes than readout and shot; name them with "
                    "--trajectory-axes",
                    file, describe(trajectory)));
  }
  return name_axes(trajectory.extents, names);
}

Names guess_data_axes(const MatlabLayout& layout, const std::string& file) {
  std::vector<Index> expected;
  for (std::size_t i = 0; i < layout.trajectory_axes.size(); ++i) {
    const std::string& axis = layout.trajectory_axes[i];
    const Index extent = i < layout.trajectory.extents.size() ? layout.trajectory.extents[i] : 1;
    if ((axis == "readout" || axis == "shot") && extent != 1) expected.push_back(extent);
  }
  if (without_units(layout.data.extents) != expected) {
    throw ValueError(
        fmt::format("{}: data {} and trajectory {} do not have the same readouts and shots alone; say what "
                    "the axes are with --data-axes, such as coil,readout,shot or contrast,readout,shot",
                    file, describe(layout.data), describe(layout.trajectory)));
  }
  return name_axes(layout.data.extents, {"readout", "shot"});
}

Names allowed_axes(Names first) {
  first.insert(first.end(), frame_axes.begin(), frame_axes.end());
  return first;
}

}  // namespace

MatlabLayout find_matlab_layout(const std::vector<MatlabVariable>& variables, const ConvertOptions& options,
                                const std::string& file) {
  check_names(options.data_axes, allowed_axes({"readout", "shot", "coil"}), "data");
  check_names(options.trajectory_axes, allowed_axes({"dim", "readout", "shot"}), "trajectory");
  MatlabLayout layout;
  layout.data = require_variable(variables, options.data_variable, data_names, "data", file);
  layout.trajectory = require_variable(variables, options.trajectory_variable, trajectory_names, "trajectory", file);
  if (options.weights_variable != "none") {
    layout.weights = find_variable(variables, options.weights_variable, weight_names, "weights", file);
  }
  layout.trajectory_axes =
      options.trajectory_axes.empty() ? guess_trajectory_axes(layout.trajectory, file) : options.trajectory_axes;
  layout.data_axes = options.data_axes.empty() ? guess_data_axes(layout, file) : options.data_axes;
  // MATLAB drops no leading unit axis, so the weights follow the trajectory's order without its dim axis.
  Names sample_axes;
  for (const std::string& axis : layout.trajectory_axes) {
    if (axis != "dim" && !axis.starts_with("unit")) sample_axes.push_back(axis);
  }
  layout.weight_axes = options.trajectory_axes.empty() ? name_axes(layout.weights.extents, sample_axes) : sample_axes;
  return layout;
}

}  // namespace whorl::io
