#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "io/convert/array_axes.hpp"
#include "io/convert/names.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;
using Arrays = std::vector<ArrayInfo>;

const Names data_names{"d", "kdata", "rawdata", "data", "ksp", "kspace", "k_space", "noncartesian"};
const Names trajectory_names{"k", "ktraj", "traj", "trajectory"};
const Names weight_names{"w", "dcf", "weights"};

bool is_one_of(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// By the whole name if there are any, else by the last part of it.
template <class Wanted>
Arrays matching(const Arrays& arrays, Wanted wanted) {
  Arrays found;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(found),
               [&](const ArrayInfo& array) { return wanted(array.name); });
  if (!found.empty()) return found;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(found),
               [&](const ArrayInfo& array) { return wanted(last_part(array.name)); });
  return found;
}

/// By the name itself, then in any case, then at the end or the start of a longer one: "brain_ksp", "kspace_full".
Arrays of_usual_name(const Arrays& arrays, const Names& usual) {
  Arrays found = matching(arrays, [&](const std::string& name) { return is_one_of(name, usual); });
  if (found.empty()) found = matching(arrays, [&](const std::string& name) { return is_one_of(lower(name), usual); });
  if (!found.empty()) return found;
  return matching(arrays, [&](const std::string& name) {
    return std::any_of(usual.begin(), usual.end(), [&](const std::string& known) {
      const std::string longer = lower(name);
      return known.size() > 2 && (longer.ends_with("_" + known) || longer.starts_with(known + "_"));
    });
  });
}

/// By the name itself, else in any case.
Arrays of_stated_name(const Arrays& arrays, const std::string& stated) {
  Arrays found = matching(arrays, [&](const std::string& name) { return name == stated; });
  if (!found.empty()) return found;
  return matching(arrays, [&](const std::string& name) { return lower(name) == lower(stated); });
}

Names describe_all(const Arrays& arrays) {
  Names all;
  for (const ArrayInfo& array : arrays) all.push_back(describe(array));
  return all;
}

/// The array of the stated name, or the only one of a usual name. No name: none was found.
ArrayInfo find_array(const Arrays& arrays, const std::string& stated, const Names& usual, const char* role,
                     const std::string& file) {
  const Arrays found = stated.empty() ? of_usual_name(arrays, usual) : of_stated_name(arrays, stated);
  if (found.size() == 1) return found.front();
  if (found.empty() && stated.empty()) return {};
  throw ValueError(found.empty() ? fmt::format("{}: no array {} for the {}; it has {}", file, stated, role,
                                               fmt::join(describe_all(arrays), ", "))
                                 : fmt::format("{}: several arrays may be the {}: {}; name one by the option {}", file,
                                               role, fmt::join(describe_all(found), ", "), role));
}

/// Fills in what has no name yet, if one pair of arrays alone has shapes that fit.
void complete_by_shape(const Arrays& arrays, ArrayRoles& roles) {
  std::vector<ArrayRoles> fitting;
  for (const ArrayInfo& trajectory : roles.trajectory.name.empty() ? arrays : Arrays{roles.trajectory}) {
    for (const ArrayInfo& data : roles.data.name.empty() ? arrays : Arrays{roles.data}) {
      const bool apart =
          data.name != trajectory.name && data.name != roles.weights.name && trajectory.name != roles.weights.name;
      if (!apart || !data.is_complex || !find_axes(trajectory, data)) continue;
      fitting.push_back({data, trajectory, roles.weights});
    }
  }
  if (fitting.size() == 1) roles = fitting.front();
}

/// Fills in the trajectory of a file where one array alone, beside complex data, has the axes that were stated for it.
void complete_by_axes(const Arrays& arrays, const Names& axes, ArrayRoles& roles) {
  if (axes.empty() || !roles.trajectory.name.empty()) return;
  const bool has_dim = std::find(axes.begin(), axes.end(), "dim") != axes.end();
  Arrays fitting;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(fitting), [&](const ArrayInfo& array) {
    return array.is_complex != has_dim && array.name != roles.data.name && array.name != roles.weights.name &&
           has_axes(array, axes);
  });
  if (fitting.size() == 1) roles.trajectory = fitting.front();
}

/// A file with one array that can be the data, beside a trajectory or stated to be a grid, or with positions alone.
void complete_by_count(const Arrays& arrays, const ConvertOptions& options, ArrayRoles& roles) {
  if (!roles.data.name.empty()) return;
  Arrays complex;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(complex), [&](const ArrayInfo& array) {
    return array.is_complex && array.name != roles.trajectory.name && array.name != roles.weights.name;
  });
  const bool grid = options.trajectory_kind == "cartesian" || states_grid_axes(options);
  if (options.data_variable != "none" && (grid || !roles.trajectory.name.empty()) && complex.size() == 1)
    roles.data = complex.front();
  if (roles.trajectory.name.empty() && arrays.size() == 1 && may_be_trajectory(arrays.front())) {
    roles.trajectory = arrays.front();
  }
}

Index size_of(const ArrayInfo& array) {
  return std::accumulate(array.extents.begin(), array.extents.end(), Index{1}, std::multiplies<>());
}

/// Beside a trajectory: complex arrays, and real ones that have a number for each sample.
Arrays possible_data(const Arrays& arrays, const ArrayRoles& roles) {
  const Index dim = 3;
  const Index samples = roles.trajectory.is_complex ? size_of(roles.trajectory) : size_of(roles.trajectory) / dim;
  Arrays possible;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(possible), [&](const ArrayInfo& array) {
    return array.name != roles.trajectory.name && array.name != roles.weights.name &&
           (array.is_complex || size_of(array) >= samples);
  });
  return possible;
}

[[noreturn]] void refuse_without_data(const Arrays& arrays, const ArrayRoles& roles, const std::string& file) {
  Arrays complex;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(complex),
               [](const ArrayInfo& array) { return array.is_complex; });
  if (complex.size() == 1 && roles.trajectory.name.empty()) {
    throw ValueError(fmt::format("{}: no array by a usual name for the data or the trajectory. {}", file,
                                 how_to_place(complex.front())));
  }
  if (!roles.trajectory.name.empty()) {
    throw ValueError(
        fmt::format("{}: no array by a usual name ({}) for the data beside the trajectory {}; name it by the option "
                    "data, where two real arrays joined by a comma are real and imaginary parts, or state data none; "
                    "there are {}",
                    file, fmt::join(data_names, ", "), describe(roles.trajectory),
                    fmt::join(describe_all(possible_data(arrays, roles)), ", ")));
  }
  throw ValueError(
      fmt::format("{}: no array by a usual name ({}) for the data; name it by the option data, there are {}", file,
                  fmt::join(data_names, ", "), fmt::join(describe_all(arrays), ", ")));
}

}  // namespace

std::string describe(const ArrayInfo& array) {
  return fmt::format("{} ({}{})", array.name, fmt::join(array.extents, " x "), array.is_complex ? ", complex" : "");
}

std::string how_to_place(const ArrayInfo& data) {
  return fmt::format(
      "If {} is k-space on a grid, state the kind cartesian; else give the positions of its samples: name their array "
      "by the option trajectory, or a file by trajectory-from (whorl traj makes those of spokes, spirals "
      "and others)",
      describe(data));
}

Index find_name(const Arrays& arrays, const std::string& name) {
  const Arrays found = of_stated_name(arrays, name);
  if (found.size() != 1) return -1;
  return std::find_if(arrays.begin(), arrays.end(),
                      [&](const ArrayInfo& array) { return array.name == found.front().name; }) -
         arrays.begin();
}

bool has_axes(const ArrayInfo& array, const Names& axes) {
  std::size_t rank = array.extents.size();
  while (rank > 1 && array.extents[rank - 1] == 1) --rank;
  return rank <= axes.size() && axes.size() <= array.extents.size();
}

bool states_grid_axes(const ConvertOptions& options) {
  return std::any_of(options.data_axes.begin(), options.data_axes.end(),
                     [](const std::string& name) { return name == "x" || name == "y" || name == "z"; });
}

bool are_k_space(const Arrays& arrays) {
  const bool positions = find_name(arrays, "kx") >= 0 && find_name(arrays, "ky") >= 0;
  const bool trajectory = positions || !of_usual_name(arrays, trajectory_names).empty();
  const Arrays data = of_usual_name(arrays, data_names);
  if (trajectory) return !data.empty();
  ArrayRoles by_shape;
  complete_by_shape(arrays, by_shape);
  if (!by_shape.data.name.empty() && !by_shape.trajectory.is_complex) return true;
  return data.size() == 1 && data.front().is_complex && lower(last_part(data.front().name)) != "d" &&
         lower(last_part(data.front().name)) != "data";
}

ArrayRoles find_roles(const Arrays& arrays, const ConvertOptions& options, const std::string& file) {
  ArrayRoles roles;
  const bool without_data = options.data_variable == "none";
  if (!without_data) roles.data = find_array(arrays, options.data_variable, data_names, "data", file);
  roles.trajectory = find_array(arrays, options.trajectory_variable, trajectory_names, "trajectory", file);
  if (options.weights_variable != "none") {
    roles.weights = find_array(arrays, options.weights_variable, weight_names, "weights", file);
  }
  if (!without_data && (roles.data.name.empty() || roles.trajectory.name.empty())) complete_by_shape(arrays, roles);
  complete_by_axes(arrays, options.trajectory_axes, roles);
  complete_by_count(arrays, options, roles);
  if (!roles.data.name.empty()) return roles;
  const bool is_alone = without_data || !options.trajectory_from.empty() || possible_data(arrays, roles).empty();
  if (!roles.trajectory.name.empty() && is_alone) return roles;
  refuse_without_data(arrays, roles, file);
}

}  // namespace whorl::io
