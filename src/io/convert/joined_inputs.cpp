#include "io/convert/joined_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "io/convert/complex_parts.hpp"
#include "io/convert/joined_elements.hpp"
#include "io/convert/names.hpp"
#include "io/format.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

bool is_real(const AnyArray& array) {
  const auto* values = std::get_if<Array<std::complex<float>>>(&array);
  if (values == nullptr) return !is_complex(array);
  return std::all_of(values->span().begin(), values->span().end(),
                     [](std::complex<float> value) { return value.imag() == 0; });
}

AxisOrder order_of(const Format& format) {
  if (format.name == "cfl") return AxisOrder::bart;
  return format.first_axis_is_fastest ? AxisOrder::first_fastest : AxisOrder::last_fastest;
}

/// Joins one array per axis (kx, ky, kz) into a trajectory with the axis dim last, which is the slowest.
void join_components(const Context& ctx, const std::vector<std::string>& names, ArrayInputs& inputs) {
  std::vector<Array<double>> components;
  std::vector<std::string> used;
  ArrayInfo info;
  for (const std::string& name : names) {
    const Index found = find_name(inputs.infos, name);
    if (found < 0) throw ValueError(fmt::format("convert: no array {} for the trajectory", name));
    const auto at = static_cast<std::size_t>(found);
    if (!components.empty() && inputs.infos[at].extents != info.extents) {
      throw ShapeError(fmt::format("convert: {} has extents {}, {} has {}", name,
                                   fmt::join(inputs.infos[at].extents, " x "), names.front(),
                                   fmt::join(info.extents, " x ")));
    }
    info = inputs.infos[at];
    check_finite(inputs.arrays[at].values, name);
    components.push_back(converted<double>(ctx, inputs.arrays[at].values, name));
    used.push_back(info.name);
  }
  const auto count = static_cast<Index>(components.size());
  Array<double> joined(ctx, components.front().shape().with_front(count));
  for (Index i = 0; i < count; ++i) copy<double>(components[static_cast<std::size_t>(i)], joined.slice(i));
  info.name = fmt::format("{}", fmt::join(names, ","));
  info.extents.push_back(count);
  info.element_axes = 0;
  std::erase_if(inputs.arrays, [&](const NamedArray& array) { return std::ranges::count(used, array.name) > 0; });
  std::erase_if(inputs.infos, [&](const ArrayInfo& one) { return std::ranges::count(used, one.name) > 0; });
  inputs.infos.push_back(info);
  inputs.arrays.push_back({info.name, std::move(joined)});
}

/// kx, ky and, where there is one, kz, or names of that kind; none if one of the first two is missing.
std::vector<std::string> usual_components(const ArrayInputs& inputs) {
  for (const char* before : {"k", "k_", "traj_", "traj", "ktraj_", "ktraj", "trajectory_"}) {
    std::vector<std::string> names;
    for (const char* axis : {"x", "y", "z"}) {
      std::string name = std::string(before) + axis;
      if (find_name(inputs.infos, name) < 0) break;
      names.push_back(std::move(name));
    }
    if (names.size() >= 2) return names;
  }
  return {};
}

/// Gives an array whose name another file has too the number of that: kdata{2}. The first of them becomes kdata{1}.
void number_repeated(ArrayInfo& info, NamedArray& array, std::map<std::string, Index>& known, ArrayInputs& inputs) {
  const Index number = ++known[info.name];
  if (number == 1) return;
  for (std::size_t i = 0; number == 2 && i < inputs.infos.size(); ++i) {
    if (inputs.infos[i].name == info.name) inputs.infos[i].name = inputs.arrays[i].name = info.name + "{1}";
  }
  info.name = array.name = fmt::format("{}{{{}}}", info.name, number);
}

}  // namespace

ArrayInputs read_inputs(const Context& ctx, const std::vector<std::filesystem::path>& paths,
                        const ConvertOptions& options) {
  ArrayInputs inputs;
  std::map<std::string, Index> known;
  for (const std::filesystem::path& path : paths) {
    if (std::ranges::count(paths, path) > 1) throw ValueError(fmt::format("{}: it was given twice", path.string()));
    const Format* format = recognize(read_start(path));
    for (NamedArray& array : read_arrays(ctx, path)) {
      if (!array.fault.empty()) {
        inputs.faults.push_back(std::move(array.fault));
        continue;
      }
      const Shape& shape = shape_of(array.values);
      ArrayInfo info{array.name,
                     {std::make_reverse_iterator(shape.end()), std::make_reverse_iterator(shape.begin())},
                     is_complex(array.values),
                     order_of(*format)};
      // BART has complex numbers only.
      if (info.order == AxisOrder::bart && is_real(array.values)) info.is_complex = false;
      number_repeated(info, array, known, inputs);
      inputs.infos.push_back(std::move(info));
      inputs.arrays.push_back(std::move(array));
    }
  }
  std::vector<std::string> stated = split_names(options.data_variable);
  for (const std::string& names : {options.trajectory_variable, options.weights_variable}) {
    const std::vector<std::string> more = split_names(names);
    stated.insert(stated.end(), more.begin(), more.end());
  }
  join_elements(ctx, stated, inputs);
  join_parts(ctx, stated, inputs);
  return inputs;
}

ConvertOptions join_inputs(const Context& ctx, ConvertOptions options, ArrayInputs& inputs) {
  join_stated_parts(ctx, inputs, options, "convert");
  const std::vector<std::string> components =
      options.trajectory_variable.empty() ? usual_components(inputs) : split_names(options.trajectory_variable);
  if (components.size() > 1) {
    join_components(ctx, components, inputs);
    options.trajectory_variable = inputs.infos.back().name;
  }
  // A trajectory of BART has 3 along its first dimension, data 1.
  const bool pair = inputs.infos.size() == 2 && options.trajectory_variable.empty() && options.data_variable.empty() &&
                    std::all_of(inputs.infos.begin(), inputs.infos.end(),
                                [](const ArrayInfo& info) { return info.order == AxisOrder::bart; });
  if (pair && (inputs.infos[0].extents[0] == 3) != (inputs.infos[1].extents[0] == 3)) {
    const std::size_t trajectory = inputs.infos[0].extents[0] == 3 ? 0 : 1;
    options.trajectory_variable = inputs.infos[trajectory].name;
    options.data_variable = inputs.infos[1 - trajectory].name;
  }
  return options;
}

}  // namespace whorl::io
