#include "whorl/io/matlab.hpp"

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include "io/array_or_fault.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/exact_integer.hpp"
#include "io/matlab/check_elements.hpp"
#include "io/matlab/element_name.hpp"
#include "io/matlab/hdf5_variables.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

struct Close {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using File = std::unique_ptr<mat_t, Close>;
using Variable = std::unique_ptr<matvar_t, Close>;

// Whether the head is that of version 7.3. matio would print HDF5's messages about such a file that has no HDF5 structure.
bool is_version_7_3(const std::filesystem::path& path) {
  std::array<char, 128> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  const std::string_view end(&head[124], 4);
  return end == std::string_view("\0\2IM", 4) || end == std::string_view("\2\0MI", 4);
}

File open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw IoError(fmt::format("{}: can not read it: {}", path.string(), error ? error.message() : "it does not exist"));
  }
  io::check_regular(path);
  if (is_version_7_3(path)) {
    throw IoError(
        fmt::format("{}: damaged: the head is that of MATLAB 7.3; expected HDF5's structure behind it", path.string()));
  }
  File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw IoError(fmt::format("{}: not a MATLAB file, or damaged", path.string()));
  if (Mat_GetVersion(file.get()) == MAT_FT_MAT5) io::check_matlab5(path);
  return file;
}

bool is_numeric(const matvar_t& variable) {
  return variable.class_type >= MAT_C_DOUBLE && variable.class_type <= MAT_C_UINT64;
}

/// C order: MATLAB's first axis is the last. Axes of extent 1 at the end of MATLAB's size() stay, in front.
std::vector<Index> extents_of(const matvar_t& variable) {
  std::vector<Index> extents;
  for (int axis = variable.rank - 1; axis >= 0; --axis) extents.push_back(static_cast<Index>(variable.dims[axis]));
  return extents;
}

using Fill = void (*)(const void* from, void* to, std::size_t size, std::size_t step, const std::string& name);

/// Converts elements to every `step`-th number at `to`.
template <class From, class To>
void fill_part(const void* from, void* to, std::size_t size, std::size_t step, const std::string& name) {
  const auto* values = static_cast<const From*>(from);
  auto* target = static_cast<To*>(to);
  for (std::size_t i = 0; i < size; ++i) {
    if constexpr (std::integral<From> && sizeof(From) == 8) {
      if (!io::fits_double(values[i])) io::fail_inexact(name, static_cast<Index>(i), fmt::to_string(values[i]));
    }
    target[i * step] = static_cast<To>(values[i]);
  }
}

struct Conversion {
  bool is_double;
  Fill fill;
};

/// By the type in which matio holds the elements.
Conversion conversion_of(matio_classes type) {
  switch (type) {
    case MAT_C_SINGLE:
      return {false, &fill_part<float, float>};
    case MAT_C_INT8:
      return {false, &fill_part<std::int8_t, float>};
    case MAT_C_UINT8:
      return {false, &fill_part<std::uint8_t, float>};
    case MAT_C_INT16:
      return {false, &fill_part<std::int16_t, float>};
    case MAT_C_UINT16:
      return {false, &fill_part<std::uint16_t, float>};
    case MAT_C_INT32:
      return {true, &fill_part<std::int32_t, double>};
    case MAT_C_UINT32:
      return {true, &fill_part<std::uint32_t, double>};
    case MAT_C_INT64:
      return {true, &fill_part<std::int64_t, double>};
    case MAT_C_UINT64:
      return {true, &fill_part<std::uint64_t, double>};
    default:
      return {true, &fill_part<double, double>};
  }
}

/// Real numbers, or interleaved real and imaginary parts.
template <class T, class Part>
AnyArray make_array(const Context& ctx, const matvar_t& variable, const Shape& shape, Fill fill,
                    const std::string& name) {
  Array<T> array(ctx, shape);
  const auto size = static_cast<std::size_t>(shape.size());
  auto* parts = reinterpret_cast<Part*>(array.data());
  if (variable.isComplex != 0) {
    const auto* split = static_cast<const mat_complex_split_t*>(variable.data);
    fill(split->Re, parts, size, 2, name);
    fill(split->Im, parts + 1, size, 2, name);
  } else {
    fill(variable.data, parts, size, 1, name);
  }
  return array;
}

AnyArray array_of(const Context& ctx, const matvar_t& variable, const std::string& name) {
  const Shape shape(extents_of(variable));
  const Conversion conversion = conversion_of(variable.class_type);
  if (variable.isComplex != 0) {
    return conversion.is_double ? make_array<std::complex<double>, double>(ctx, variable, shape, conversion.fill, name)
                                : make_array<std::complex<float>, float>(ctx, variable, shape, conversion.fill, name);
  }
  return conversion.is_double ? make_array<double, double>(ctx, variable, shape, conversion.fill, name)
                              : make_array<float, float>(ctx, variable, shape, conversion.fill, name);
}

/// Checks the number of a variable's elements against the size of the file: deflate expands a byte to at most 1032.
void check_size(const std::filesystem::path& path, const matvar_t& variable, const std::string& name) {
  const double limit = 1032.0 * static_cast<double>(io::size_of_file(path));
  double size = 1;
  bool negative = false;
  for (const Index extent : extents_of(variable)) {
    size *= static_cast<double>(extent);
    negative = negative || extent < 0;
  }
  if (negative || size > limit) {
    throw IoError(
        fmt::format("{}: variable {} claims {:.0f} elements, which the file can not hold", path.string(), name, size));
  }
}

/// Calls `take(array, name)` for a variable, or for the numeric arrays inside a structure or cell, by their names in
/// MATLAB: scan.kdata, scan(2).kdata, coils{3}.
template <class Take>
void for_arrays(const std::filesystem::path& path, matvar_t* variable, const std::string& name, int depth, Take take) {
  constexpr int deepest = 16;
  if (variable == nullptr || depth > deepest) return;
  if (is_numeric(*variable)) {
    check_size(path, *variable, name);
    take(*variable, name);
    return;
  }
  const bool is_struct = variable->class_type == MAT_C_STRUCT;
  if (!is_struct && variable->class_type != MAT_C_CELL) return;
  check_size(path, *variable, name);
  std::vector<Index> extents = extents_of(*variable);
  std::reverse(extents.begin(), extents.end());
  const auto elements = static_cast<std::size_t>(Shape(extents).size());
  if (variable->data == nullptr) return;
  const unsigned fields = is_struct ? Mat_VarGetNumberOfFields(variable) : 1;
  char* const* const names = is_struct ? Mat_VarGetStructFieldnames(variable) : nullptr;
  auto* const* const parts = static_cast<matvar_t* const*>(variable->data);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::string place = io::element_subscripts(extents, static_cast<Index>(i));
    const std::string number = elements > 1 ? fmt::format("({})", place) : std::string();
    for (unsigned field = 0; field < fields; ++field) {
      for_arrays(path, parts[i * fields + field],
                 is_struct ? fmt::format("{}{}.{}", name, number, names[field]) : fmt::format("{}{{{}}}", name, place),
                 depth + 1, take);
    }
  }
}

}  // namespace

std::vector<NamedArray> read_matlab(const Context& ctx, const std::filesystem::path& path) {
  if (io::is_matlab_hdf5(path)) return io::read_matlab_hdf5(ctx, path);
  const File file = open(path);
  std::vector<std::pair<std::string, std::map<std::string, std::vector<Index>>>> variables;
  while (const Variable variable{Mat_VarReadNextInfo(file.get())}) {
    if (variable->name == nullptr) continue;
    std::map<std::string, std::vector<Index>> extents;
    for_arrays(path, variable.get(), variable->name, 0,
               [&](const matvar_t& part, const std::string& name) { extents[name] = extents_of(part); });
    if (!extents.empty()) variables.emplace_back(variable->name, std::move(extents));
  }
  std::vector<NamedArray> arrays;
  ProgressStage stage(ctx, "read", static_cast<Index>(variables.size()));
  for (const auto& [variable, extents] : variables) {
    const auto damaged = [&](const std::string& name) {
      throw IoError(
          fmt::format("{}: variable {} can not be read: the file is damaged or truncated", path.string(), name));
    };
    const Variable read(Mat_VarRead(file.get(), variable.c_str()));
    std::size_t found = 0;
    for_arrays(path, read.get(), variable, 0, [&](const matvar_t& part, const std::string& name) {
      const auto listed = extents.find(name);
      const bool is_empty = Shape(extents_of(part)).size() == 0;
      if (listed == extents.end() || listed->second != extents_of(part) || (part.data == nullptr && !is_empty)) {
        damaged(name);
      }
      ++found;
      const auto array = [&]() -> NamedArray {
        return {name, array_of(ctx, part, fmt::format("{}: variable {}", path.string(), name))};
      };
      if (!is_empty) arrays.push_back(io::array_or_fault(name, array));
    });
    if (found != extents.size()) damaged(variable);
    stage.advance();
  }
  if (arrays.empty()) throw IoError(fmt::format("{}: no numeric variable in it", path.string()));
  return arrays;
}

}  // namespace whorl
