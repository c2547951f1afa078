#include "io/convert/array_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= names.size();) {
    const std::size_t end = std::min(names.find(',', first), names.size());
    parts.push_back(names.substr(first, end - first));
    first = end + 1;
  }
  return parts;
}

/// Joins one array per axis (kx, ky, kz) into a trajectory with the axis dim last, which is the slowest.
void join_components(const Context& ctx, const std::vector<std::string>& names, ArrayInputs& inputs) {
  std::vector<Array<double>> components;
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
  }
  const auto count = static_cast<Index>(components.size());
  Array<double> joined(ctx, components.front().shape().with_front(count));
  for (Index i = 0; i < count; ++i) copy<double>(components[static_cast<std::size_t>(i)], joined.slice(i));
  info.name = fmt::format("{}", fmt::join(names, ","));
  info.extents.push_back(count);
  inputs.infos.push_back(info);
  inputs.arrays.push_back({info.name, std::move(joined)});
}

/// kx, ky and, where there is one, kz; none if one of the first two is missing.
std::vector<std::string> usual_components(const ArrayInputs& inputs) {
  std::vector<std::string> names;
  for (const char* name : {"kx", "ky", "kz"}) {
    const Index found = find_name(inputs.infos, name);
    if (found < 0) break;
    names.emplace_back(name);
  }
  return names.size() < 2 ? std::vector<std::string>{} : names;
}

}  // namespace

ArrayInputs read_inputs(const Context& ctx, const std::vector<std::filesystem::path>& paths) {
  ArrayInputs inputs;
  for (const std::filesystem::path& path : paths) {
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
      const bool repeated = std::any_of(inputs.infos.begin(), inputs.infos.end(),
                                        [&](const ArrayInfo& other) { return other.name == info.name; });
      if (repeated)
        throw ValueError(fmt::format("{}: two arrays of the inputs have the name {}", path.string(), info.name));
      inputs.infos.push_back(std::move(info));
      inputs.arrays.push_back(std::move(array));
    }
  }
  return inputs;
}

ConvertOptions join_inputs(const Context& ctx, ConvertOptions options, ArrayInputs& inputs) {
  std::vector<std::string> components;
  if (options.trajectory_variable.find(',') != std::string::npos) components = split(options.trajectory_variable);
  if (options.trajectory_variable.empty()) components = usual_components(inputs);
  if (!components.empty()) {
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

LabeledArray load(const Context& ctx, const ArrayInputs& inputs, const ArrayInfo& info,
                  const std::vector<std::string>& axes, const std::string& file) {
  const auto found = std::find_if(inputs.arrays.begin(), inputs.arrays.end(),
                                  [&](const NamedArray& array) { return array.name == info.name; });
  const std::string source = fmt::format("{}: {}", file, info.name);
  check_finite(found->values, source);
  return {source, info.extents, axes, converted<std::complex<double>>(ctx, found->values, source)};
}

}  // namespace whorl::io
