#include "io/convert/array_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;

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

Index extent_of(const ArrayInfo& array, const Names& axes, const char* axis) {
  const auto place = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  return place < std::min(axes.size(), array.extents.size()) ? array.extents[place] : 1;
}

/// Whether readouts and shots are as many in both.
bool agree(const ArrayInfo& trajectory, const ArrayInfo& data, const AxisNames& names) {
  const auto same = [&](const char* axis) {
    return extent_of(trajectory, names.trajectory, axis) == extent_of(data, names.data, axis);
  };
  return same("readout") && same("shot");
}

/// whorl's own order: data [frame, coil, sample] with a trajectory [sample, dim], or [frame, coil, shot, readout] with
/// [shot, readout, dim]; empty if it does not fit.
Names own_data_axes(const ArrayInfo& trajectory, const ArrayInfo& data) {
  Names axes{"readout", "shot"};
  axes.resize(trajectory.extents.size() - 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i >= data.extents.size() || data.extents[i] != trajectory.extents[i + 1]) return {};
  }
  for (const char* more : {"coil", "repetition"}) {
    if (axes.size() < data.extents.size()) axes.emplace_back(more);
  }
  return axes.size() == data.extents.size() ? axes : Names{};
}

/// Axes of the trajectory that the data share: names and extents other than 1.
struct SharedAxes {
  Names names;
  std::vector<Index> extents;
};

SharedAxes shared_axes(const ArrayInfo& trajectory, const Names& axes) {
  SharedAxes shared;
  for (std::size_t i = 0; i < std::min(axes.size(), trajectory.extents.size()); ++i) {
    if (axes[i] == "dim" || axes[i].starts_with("unit") || trajectory.extents[i] == 1) continue;
    shared.names.push_back(axes[i]);
    shared.extents.push_back(trajectory.extents[i]);
  }
  return shared;
}

/// Every way of finding the shared axes among the extents of the data, of which at most one may be left: the coils.
void assign(const SharedAxes& shared, const ArrayInfo& data, bool in_order, Names axes, std::size_t next,
            std::vector<Names>& found) {
  if (next == shared.names.size()) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i].empty()) continue;
      const bool coil = data.extents[i] != 1;
      axes[i] = coil ? "coil" : fmt::format("unit {}", i);
      // In MATLAB a first axis may count anything, such as contrasts.
      const bool first = coil && i == 0 && data.order != AxisOrder::last_fastest;
      if (first || std::count(axes.begin(), axes.end(), "coil") > 1) return;
    }
    found.push_back(std::move(axes));
    return;
  }
  std::size_t from = 0;
  for (std::size_t i = 0; in_order && i < axes.size(); ++i) {
    if (!axes[i].empty()) from = i + 1;
  }
  for (std::size_t i = from; i < axes.size(); ++i) {
    if (!axes[i].empty() || data.extents[i] != shared.extents[next]) continue;
    Names chosen = axes;
    chosen[i] = shared.names[next];
    assign(shared, data, in_order, std::move(chosen), next + 1, found);
  }
}

/// The axes of the data beside those of the trajectory; empty if there is no choice, or more than one.
Names data_axes_beside(const ArrayInfo& trajectory, const Names& trajectory_axes, const ArrayInfo& data) {
  const bool dim_first = !trajectory_axes.empty() && trajectory_axes.front() == "dim";
  if (data.order == AxisOrder::last_fastest && dim_first && trajectory.extents.size() <= 3) {
    Names own = own_data_axes(trajectory, data);
    if (!own.empty()) return own;
  }
  const SharedAxes shared = shared_axes(trajectory, trajectory_axes);
  const auto readings = [&](bool in_order) {
    std::vector<Names> found;
    assign(shared, data, in_order, Names(data.extents.size()), 0, found);
    return found;
  };
  const std::vector<Names> in_order = readings(true);
  if (in_order.size() > 1) return {};
  const std::vector<Names> all = readings(false);
  if (in_order.empty()) return all.size() == 1 ? all.front() : Names{};
  // The order of the trajectory tells readouts from shots. It does not tell coils that are fastest, which is unusual,
  // from an axis of as many shots.
  const auto coils_first = [](const Names& axes) { return !axes.empty() && axes.front() == "coil"; };
  const bool sure = !coils_first(in_order.front()) || std::all_of(all.begin(), all.end(), coils_first);
  return sure ? in_order.front() : Names{};
}

/// All ways in which the shape of a trajectory can be read, the likely ones first.
std::vector<std::vector<Names>> trajectory_choices(const ArrayInfo& trajectory) {
  const std::vector<Index> rest = without_units(trajectory.extents);
  if (trajectory.is_complex) {
    if (rest.size() > 2) return {};
    return {{name_axes(trajectory.extents, {"readout", "shot"})}};
  }
  const auto is_dim = [](Index extent) { return extent == 2 || extent == 3; };
  if (rest.empty() || rest.size() > 3) return {};
  std::vector<Names> likely;
  std::vector<Names> possible;
  if (is_dim(rest.front())) likely.push_back(name_axes(trajectory.extents, {"dim", "readout", "shot"}));
  if (rest.size() == 2 && is_dim(rest.back())) likely.push_back(name_axes(trajectory.extents, {"readout", "dim"}));
  if (rest.size() == 3 && is_dim(rest.back()))
    likely.push_back(name_axes(trajectory.extents, {"readout", "shot", "dim"}));
  if (rest.size() == 3 && is_dim(rest[1]))
    possible.push_back(name_axes(trajectory.extents, {"readout", "dim", "shot"}));
  return {likely, possible};
}

std::optional<AxisNames> find_axes_by_extents(const ArrayInfo& trajectory, const ArrayInfo& data) {
  for (const std::vector<Names>& choices : trajectory_choices(trajectory)) {
    std::vector<AxisNames> fitting;
    for (const Names& axes : choices) {
      Names beside = data_axes_beside(trajectory, axes, data);
      if (!beside.empty()) fitting.push_back({axes, std::move(beside)});
    }
    if (fitting.size() == 1) return fitting.front();
    if (!fitting.empty()) return {};
  }
  return {};
}

/// The only reading of a trajectory's shape. Throws ValueError.
Names guess_trajectory_axes(const ArrayInfo& trajectory, const std::string& file) {
  if (trajectory.order == AxisOrder::bart) return bart_axes(trajectory, "dim", file);
  const std::vector<std::vector<Names>> choices = trajectory_choices(trajectory);
  if (choices.empty()) {
    throw ValueError(
        fmt::format("{}: the trajectory {} has more axes than readout and shot; name them by "
                    "the option trajectory-axes, such as dim,readout,shot,partition",
                    file, describe(trajectory)));
  }
  if (choices.front().size() == 1) return choices.front().front();
  throw ValueError(
      fmt::format("{}: of the real trajectory {}, {} of first and last axis may be x, y(, z); name the "
                  "axes by the option trajectory-axes, such as dim,readout,shot",
                  file, describe(trajectory), choices.front().empty() ? "none" : "both"));
}

Names guess_data_axes(const ArrayRoles& roles, const Names& trajectory_axes, const std::string& file) {
  if (roles.data.order == AxisOrder::bart) return bart_axes(roles.data, "unit 0", file);
  Names axes = data_axes_beside(roles.trajectory, trajectory_axes, roles.data);
  if (!axes.empty()) return axes;
  throw ValueError(
      fmt::format("{}: data {} and trajectory {} do not have the same readouts and shots alone; say what "
                  "the axes are by data-axes, such as coil,readout,shot or contrast,readout,shot",
                  file, describe(roles.data), describe(roles.trajectory)));
}

/// The reading of a trajectory's shape that fits stated axes of the data, or else the only one.
Names trajectory_axes_beside(const ArrayRoles& roles, const Names& data_axes, const std::string& file) {
  if (roles.trajectory.order != AxisOrder::bart) {
    std::vector<Names> fitting;
    for (const std::vector<Names>& choices : trajectory_choices(roles.trajectory)) {
      std::copy_if(choices.begin(), choices.end(), std::back_inserter(fitting), [&](const Names& axes) {
        return agree(roles.trajectory, roles.data, {axes, data_axes});
      });
    }
    if (fitting.size() == 1) return fitting.front();
  }
  return guess_trajectory_axes(roles.trajectory, file);
}

/// The reading with one axis of the data, as long as there are echoes, for the contrasts; none if there is no choice, or
/// more than one.
std::optional<AxisNames> find_axes_beside_contrasts(const ArrayRoles& roles, Index echoes) {
  std::optional<AxisNames> found;
  for (std::size_t i = 0; echoes > 1 && i < roles.data.extents.size(); ++i) {
    if (roles.data.extents[i] != echoes) continue;
    ArrayInfo one = roles.data;
    one.extents.erase(one.extents.begin() + static_cast<std::ptrdiff_t>(i));
    std::optional<AxisNames> names = find_axes_by_extents(roles.trajectory, one);
    if (!names) continue;
    if (found) return std::nullopt;
    names->data.insert(names->data.begin() + static_cast<std::ptrdiff_t>(i), "contrast");
    found = std::move(names);
  }
  return found;
}

AxisNames guess_axes(const ArrayRoles& roles, Index echoes, const std::string& file) {
  if (roles.data.order != AxisOrder::bart) {
    if (const auto found = find_axes_beside_contrasts(roles, echoes)) return *found;
  }
  if (const auto found = find_axes(roles.trajectory, roles.data)) return *found;
  AxisNames names{guess_trajectory_axes(roles.trajectory, file), {}};
  names.data = guess_data_axes(roles, names.trajectory, file);
  return names;
}

}  // namespace

std::vector<std::string> bart_axes(const ArrayInfo& array, const char* first, const std::string& file) {
  const Names meaning{first, "readout", "shot",       "coil", "", "contrast", "",    "",
                      "",    "phase",   "repetition", "",     "", "slice",    "set", ""};
  Names axes;
  for (std::size_t i = 0; i < array.extents.size(); ++i) {
    const bool known = i < meaning.size() && !meaning[i].empty();
    if (!known && array.extents[i] != 1) {
      throw ValueError(
          fmt::format("{}: {} has an extent along BART's dimension {}, which has no place in a scan; name the axes by "
                      "the options data-axes and trajectory-axes",
                      file, describe(array), i));
    }
    axes.push_back(known ? meaning[i] : fmt::format("unit {}", i));
  }
  return axes;
}

std::vector<std::string> fastest_first(std::vector<std::string> stated, AxisOrder order) {
  if (order == AxisOrder::last_fastest) std::reverse(stated.begin(), stated.end());
  return stated;
}

void check_axis_names(const std::vector<std::string>& axes, const std::vector<std::string>& more, const char* role) {
  Names allowed = more;
  allowed.insert(allowed.end(), frame_axes.begin(), frame_axes.end());
  for (const std::string& axis : axes) {
    if (std::find(allowed.begin(), allowed.end(), axis) == allowed.end()) {
      throw ValueError(
          fmt::format("convert: {} axis \"{}\" is not known; use {}", role, axis, fmt::join(allowed, ", ")));
    }
  }
}

bool may_be_trajectory(const ArrayInfo& array) {
  if (array.is_complex) return false;
  if (array.order == AxisOrder::bart) return array.extents[0] == 2 || array.extents[0] == 3;
  const std::vector<std::vector<Names>> choices = trajectory_choices(array);
  return !choices.empty() && !choices.front().empty();
}

void split_readouts(ArrayRoles& roles) {
  std::vector<Index>& positions = roles.trajectory.extents;
  const std::vector<Index>& data = roles.data.extents;
  if (roles.trajectory.name.empty() || without_units(positions).size() != (roles.trajectory.is_complex ? 1 : 2)) return;
  const auto longest = std::max_element(positions.begin(), positions.end());
  if (std::find(data.begin(), data.end(), *longest) != data.end()) return;
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i + 1 < data.size(); ++i) {
    if (data[i] > 1 && data[i + 1] > 1 && data[i] * data[i + 1] == *longest) pairs.push_back(i);
  }
  if (pairs.size() != 1) return;
  *longest = data[pairs.front() + 1];
  positions.insert(longest, data[pairs.front()]);
}

std::optional<AxisNames> find_axes(const ArrayInfo& trajectory, const ArrayInfo& data) {
  const bool barts = trajectory.order == AxisOrder::bart && data.order == AxisOrder::bart;
  if (barts) {
    try {
      AxisNames names{bart_axes(trajectory, "dim", {}), bart_axes(data, "unit 0", {})};
      const bool places = extent_of(trajectory, names.trajectory, "coil") == 1 &&
                          extent_of(trajectory, names.trajectory, "dim") > 1 &&
                          extent_of(data, names.data, "unit 0") == 1;
      if (places && agree(trajectory, data, names)) return names;
    } catch (const ValueError&) {
      // Its dimensions are used in another order: the extents may still tell.
      return find_axes_by_extents(trajectory, data);
    }
  }
  return find_axes_by_extents(trajectory, data);
}

ScanLayout find_scan_layout(const ArrayRoles& roles, const ConvertOptions& options, Index echoes,
                            const std::string& file) {
  check_axis_names(options.data_axes, {"readout", "shot", "partition", "coil"}, "data");
  check_axis_names(options.trajectory_axes, {"dim", "readout", "shot", "partition"}, "trajectory");
  ScanLayout layout{roles,
                    fastest_first(options.data_axes, roles.data.order),
                    fastest_first(options.trajectory_axes, roles.trajectory.order),
                    {},
                    {}};
  if (roles.data.name.empty()) {
    if (layout.trajectory_axes.empty()) layout.trajectory_axes = guess_trajectory_axes(roles.trajectory, file);
  } else if (layout.data_axes.empty() && layout.trajectory_axes.empty()) {
    const Index pixels = options.matrix[0] * options.matrix[1] * options.matrix[2];
    std::optional<AxisNames> of_elements = find_element_axes(roles, pixels, file, layout.doubt);
    AxisNames names = of_elements ? *std::move(of_elements) : guess_axes(roles, echoes, file);
    layout.data_axes = std::move(names.data);
    layout.trajectory_axes = std::move(names.trajectory);
  } else if (layout.trajectory_axes.empty()) {
    layout.trajectory_axes = trajectory_axes_beside(roles, layout.data_axes, file);
  } else if (layout.data_axes.empty()) {
    layout.data_axes = guess_data_axes(roles, layout.trajectory_axes, file);
  }
  // MATLAB drops no leading unit axis, so the weights follow the trajectory's order without its dim axis.
  Names sample_axes;
  for (const std::string& axis : layout.trajectory_axes) {
    if (axis != "dim" && !axis.starts_with("unit")) sample_axes.push_back(axis);
  }
  const ArrayInfo& weights = roles.weights;
  if (weights.order == AxisOrder::bart && !weights.name.empty() && options.trajectory_axes.empty()) {
    layout.weight_axes = bart_axes(weights, "unit 0", file);
    return layout;
  }
  // BART's weights have an extent of 1 in the place of dim.
  if (weights.order == AxisOrder::bart && !weights.extents.empty() && weights.extents.front() == 1) {
    sample_axes.insert(sample_axes.begin(), "unit 0");
  }
  layout.weight_axes = options.trajectory_axes.empty() ? name_axes(weights.extents, sample_axes) : sample_axes;
  return layout;
}

}  // namespace whorl::io
