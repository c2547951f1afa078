#include "whorl/io/matlab.hpp"

#include <fmt/format.h>
#include <matio.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <system_error>

#include "io/hdf5_handle.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

struct Close {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using File = std::unique_ptr<mat_t, Close>;
using Variable = std::unique_ptr<matvar_t, Close>;

/// Version 5: every element is preceded by its type and length, 4 bytes each, from byte 128 on. matio fills what a
/// truncated file lacks with zeros, so the lengths are followed to the end of the file first.
void check_length(const std::filesystem::path& path) {
  constexpr std::uintmax_t header = 128;
  constexpr std::uintmax_t tag = 8;
  const std::uintmax_t size = std::filesystem::file_size(path);
  std::ifstream file(path, std::ios::binary);
  std::array<unsigned char, tag> bytes{};
  const auto read_at = [&](std::uintmax_t position) {
    file.seekg(static_cast<std::streamoff>(position));
    file.read(reinterpret_cast<char*>(bytes.data()), tag);
  };
  read_at(header - tag);
  const bool little = bytes[tag - 2] == 'I';  // "IM", or "MI" for big-endian
  std::uintmax_t position = header;
  while (position + tag <= size) {
    read_at(position);
    std::uintmax_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8U | bytes[little ? 7 - i : 4 + i];
    position += tag + length;
  }
  if (position != size) {
    throw IoError(fmt::format("{}: the file is truncated: its variables reach to byte {}, it has {}", path.string(),
                              position, size));
  }
}

File open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw IoError(fmt::format("{}: can not read it: {}", path.string(),
                              error ? error.message() : "it is not a regular file or does not exist"));
  }
  File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw IoError(fmt::format("{}: not a MATLAB file, or damaged", path.string()));
  if (Mat_GetVersion(file.get()) == MAT_FT_MAT5) check_length(path);
  return file;
}

MatlabVariable describe(const matvar_t& variable) {
  MatlabVariable described;
  described.name = variable.name != nullptr ? variable.name : "";
  for (int axis = 0; axis < variable.rank; ++axis) {
    described.extents.push_back(static_cast<Index>(variable.dims[axis]));
  }
  described.is_complex = variable.isComplex != 0;
  described.is_numeric = variable.class_type >= MAT_C_DOUBLE && variable.class_type <= MAT_C_UINT64;
  return described;
}

template <class T>
void add_part(const void* from, double scale_real, double scale_imaginary, std::vector<std::complex<double>>& to) {
  const auto* values = static_cast<const T*>(from);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    to[i] += std::complex<double>(scale_real * value, scale_imaginary * value);
  }
}

using AddPart = void (*)(const void*, double, double, std::vector<std::complex<double>>&);

/// By the type in which matio holds the elements.
AddPart add_part_of(matio_classes type) {
  switch (type) {
    case MAT_C_DOUBLE:
      return &add_part<double>;
    case MAT_C_SINGLE:
      return &add_part<float>;
    case MAT_C_INT8:
      return &add_part<std::int8_t>;
    case MAT_C_UINT8:
      return &add_part<std::uint8_t>;
    case MAT_C_INT16:
      return &add_part<std::int16_t>;
    case MAT_C_UINT16:
      return &add_part<std::uint16_t>;
    case MAT_C_INT32:
      return &add_part<std::int32_t>;
    case MAT_C_UINT32:
      return &add_part<std::uint32_t>;
    case MAT_C_INT64:
      return &add_part<std::int64_t>;
    case MAT_C_UINT64:
      return &add_part<std::uint64_t>;
    default:
      return nullptr;
  }
}

/// Elements, checked against the size of the file: deflate makes at most 1032 bytes of one.
std::size_t checked_size(const std::filesystem::path& path, const MatlabVariable& variable) {
  const double limit = 1032.0 * static_cast<double>(std::filesystem::file_size(path));
  double size = 1;
  for (const Index extent : variable.extents) size *= static_cast<double>(extent);
  if (!(size >= 1 && size <= limit)) {
    throw IoError(fmt::format("{}: variable {} claims {:.0f} elements, which the file can not hold", path.string(),
                              variable.name, size));
  }
  return static_cast<std::size_t>(size);
}

}  // namespace

std::vector<MatlabVariable> list_matlab_variables(const std::filesystem::path& path) {
  const io::Hdf5ErrorTrap trap;  // version 7.3 is HDF5
  const File file = open(path);
  std::vector<MatlabVariable> variables;
  while (const Variable variable{Mat_VarReadNextInfo(file.get())}) variables.push_back(describe(*variable));
  return variables;
}

std::vector<std::complex<double>> read_matlab_variable(const std::filesystem::path& path,
                                                       const MatlabVariable& variable) {
  const io::Hdf5ErrorTrap trap;
  const File file = open(path);
  const Variable info(Mat_VarReadInfo(file.get(), variable.name.c_str()));
  if (!info) throw IoError(fmt::format("{}: no variable {} in it", path.string(), variable.name));
  const MatlabVariable described = describe(*info);
  if (!described.is_numeric) throw IoError(fmt::format("{}: {} is not numeric", path.string(), variable.name));
  const std::size_t size = checked_size(path, described);
  const Variable read(Mat_VarRead(file.get(), variable.name.c_str()));
  if (!read || read->data == nullptr || describe(*read).extents != described.extents) {
    throw IoError(
        fmt::format("{}: variable {} can not be read: the file is damaged or truncated", path.string(), variable.name));
  }
  const AddPart add = add_part_of(read->class_type);
  std::vector<std::complex<double>> values(size);
  if (read->isComplex != 0) {
    const auto* parts = static_cast<const mat_complex_split_t*>(read->data);
    add(parts->Re, 1, 0, values);
    add(parts->Im, 0, 1, values);
  } else {
    add(read->data, 1, 0, values);
  }
  return values;
}

}  // namespace whorl
