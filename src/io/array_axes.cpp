#include "io/array_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;

const Names data_names{"d", "kdata", "rawdata", "data", "ksp", "kspace"};
const Names trajectory_names{"k", "ktraj", "traj", "trajectory"};
const Names weight_names{"w", "dcf", "weights"};

std::string describe(const ArrayInfo& variable) {
  return fmt::format("{} ({}{})", variable.name, fmt::join(variable.extents, " x "),
                     variable.is_complex ? ", complex" : "");
}

/// The array of the stated name, or the only one of a usual name. No name: none was found.
ArrayInfo find_variable(const std::vector<ArrayInfo>& variables, const std::string& stated, const Names& usual,
                        const char* role, const std::string& file) {
  std::vector<ArrayInfo> found;
  for (const ArrayInfo& variable : variables) {
    const bool wanted =
        stated.empty() ? std::find(usual.begin(), usual.end(), variable.name) != usual.end() : variable.name == stated;
    if (wanted) found.push_back(variable);
  }
  if (found.size() == 1) return found.front();
  if (found.empty() && stated.empty()) return {};
  Names all;
  for (const ArrayInfo& variable : found.empty() ? variables : found) all.push_back(describe(variable));
  throw ValueError(found.empty()
                       ? fmt::format("{}: no array {} for the {}; it has {}", file, stated, role, fmt::join(all, ", "))
                       : fmt::format("{}: several arrays may be the {}: {}; name one by the option {}", file, role,
                                     fmt::join(all, ", "), role));
}

ArrayInfo require_variable(const std::vector<ArrayInfo>& variables, const std::string& stated, const Names& usual,
                           const char* role, const std::string& file) {
  ArrayInfo variable = find_variable(variables, stated, usual, role, file);
  if (!variable.name.empty()) return variable;
  Names all;
  for (const ArrayInfo& candidate : variables) all.push_back(describe(candidate));
  throw ValueError(fmt::format("{}: no array by a usual name ({}) for the {}; name it by the option {}, there are {}",
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

/// Names for the axes with extents other than 1, in order; the others get unused "unit" names.
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

/// Names for BART's dimensions, and "unit" names for those that a scan must not have.
Names bart_axes(const ArrayInfo& array, const char* first, const std::string& file) {
  const Names meaning{first, "readout", "shot",       "coil", "", "contrast", "",    "",
                      "",    "phase",   "repetition", "",     "", "slice",    "set", ""};
  Names axes;
  for (std::size_t i = 0; i < array.extents.size(); ++i) {
    const bool known = i < meaning.size() && !meaning[i].empty();
    if (!known && array.extents[i] != 1) {
      throw ValueError(fmt::format("{}: {} has an extent along BART's dimension {}, which has no place in a scan", file,
                                   describe(array), i));
    }
    axes.push_back(known ? meaning[i] : fmt::format("unit {}", i));
  }
  return axes;
}

/// whorl's own order: data [frame, coil, sample] with a trajectory [sample, dim], or [frame, coil, shot, readout] with
/// [shot, readout, dim]; empty if it does not fit.
Names own_data_axes(const ScanLayout& layout) {
  Names axes{"readout", "shot"};
  axes.resize(layout.trajectory.extents.size() - 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i >= layout.data.extents.size() || layout.data.extents[i] != layout.trajectory.extents[i + 1]) return {};
  }
  for (const char* more : {"coil", "repetition"}) {
    if (axes.size() < layout.data.extents.size()) axes.emplace_back(more);
  }
  return axes.size() == layout.data.extents.size() ? axes : Names{};
}

Names guess_trajectory_axes(const ArrayInfo& trajectory, const std::string& file) {
  if (trajectory.order == AxisOrder::bart) return bart_axes(trajectory, "dim", file);
  std::vector<Index> rest = without_units(trajectory.extents);
  Names names{"readout", "shot"};
  if (!trajectory.is_complex) {
    const auto is_dim = [](Index extent) { return extent == 2 || extent == 3; };
    const bool first = !rest.empty() && is_dim(rest.front());
    const bool last = rest.size() > 1 && is_dim(rest.back());
    if (first == last) {
      throw ValueError(
          fmt::format("{}: of the real trajectory {}, {} of first and last axis may be x, y(, z); name the "
                      "axes by the option trajectory-axes, such as dim,readout,shot",
                      file, describe(trajectory), first ? "both" : "none"));
    }
    names = first ? Names{"dim", "readout", "shot"} : Names{"readout", "shot", "dim"};
    if (last && rest.size() == 2) names = {"readout", "dim"};
  }
  if (rest.size() > names.size()) {
    throw ValueError(
        fmt::format("{}: the trajectory {} has more axes than readout and shot; name them by "
                    "the option trajectory-axes",
                    file, describe(trajectory)));
  }
  return name_axes(trajectory.extents, names);
}

Names guess_data_axes(const ScanLayout& layout, const std::string& file) {
  if (layout.data.order == AxisOrder::bart) return bart_axes(layout.data, "unit 0", file);
  const bool dim_first = !layout.trajectory_axes.empty() && layout.trajectory_axes.front() == "dim";
  if (layout.data.order == AxisOrder::last_fastest && dim_first && layout.trajectory.extents.size() <= 3) {
    const Names own = own_data_axes(layout);
    if (!own.empty()) return own;
  }
  std::vector<Index> expected;
  for (std::size_t i = 0; i < layout.trajectory_axes.size(); ++i) {
    const std::string& axis = layout.trajectory_axes[i];
    const Index extent = i < layout.trajectory.extents.size() ? layout.trajectory.extents[i] : 1;
    if ((axis == "readout" || axis == "shot") && extent != 1) expected.push_back(extent);
  }
  if (without_units(layout.data.extents) != expected) {
    throw ValueError(
        fmt::format("{}: data {} and trajectory {} do not have the same readouts and shots alone; say what "
                    "the axes are by data-axes, such as coil,readout,shot or contrast,readout,shot",
                    file, describe(layout.data), describe(layout.trajectory)));
  }
  return name_axes(layout.data.extents, {"readout", "shot"});
}

/// Stated names in the order of memory.
Names fastest_first(Names stated, AxisOrder order) {
  if (order == AxisOrder::last_fastest) std::reverse(stated.begin(), stated.end());
  return stated;
}

Names allowed_axes(Names first) {
  first.insert(first.end(), frame_axes.begin(), frame_axes.end());
  return first;
}

}  // namespace

ScanLayout find_scan_layout(const std::vector<ArrayInfo>& arrays, const ConvertOptions& options,
                            const std::string& file) {
  check_names(options.data_axes, allowed_axes({"readout", "shot", "coil"}), "data");
  check_names(options.trajectory_axes, allowed_axes({"dim", "readout", "shot"}), "trajectory");
  ScanLayout layout;
  layout.data = require_variable(arrays, options.data_variable, data_names, "data", file);
  layout.trajectory = require_variable(arrays, options.trajectory_variable, trajectory_names, "trajectory", file);
  if (options.weights_variable != "none") {
    layout.weights = find_variable(arrays, options.weights_variable, weight_names, "weights", file);
  }
  layout.trajectory_axes = options.trajectory_axes.empty()
                               ? guess_trajectory_axes(layout.trajectory, file)
                               : fastest_first(options.trajectory_axes, layout.trajectory.order);
  layout.data_axes =
      options.data_axes.empty() ? guess_data_axes(layout, file) : fastest_first(options.data_axes, layout.data.order);
  // MATLAB drops no leading unit axis, so the weights follow the trajectory's order without its dim axis.
  Names sample_axes;
  for (const std::string& axis : layout.trajectory_axes) {
    if (axis != "dim" && !axis.starts_with("unit")) sample_axes.push_back(axis);
  }
  if (layout.weights.order == AxisOrder::bart && !layout.weights.name.empty()) {
    layout.weight_axes = bart_axes(layout.weights, "unit 0", file);
    return layout;
  }
  layout.weight_axes = options.trajectory_axes.empty() ? name_axes(layout.weights.extents, sample_axes) : sample_axes;
  return layout;
}

}  // namespace whorl::io
