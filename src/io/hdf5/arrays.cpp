#include "io/hdf5/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "io/bytes/byte_source.hpp"
#include "io/hdf5/listing.hpp"
#include "io/hdf5/memory.hpp"
#include "io/hdf5/stored.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr const char* affine_attribute = "affine";

/// The type for reading a stored type; a null reader for types that are not numeric.
struct Target {
  hid_t memory_type = -1;
  Hdf5Handle made;  // owns memory_type where it was made for this
  AnyArray (*allocate)(const Context&, const Shape&) = nullptr;
};

template <class T>
AnyArray allocate(const Context& ctx, const Shape& shape) {
  return Array<T>(ctx, shape);
}

Hdf5Handle complex_type(hid_t part, std::size_t part_bytes, const char* real, const char* imaginary) {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, 2 * part_bytes), &H5Tclose);
  H5Tinsert(type.get(), real, 0, part);
  H5Tinsert(type.get(), imaginary, part_bytes, part);
  return type;
}

std::string member_name(hid_t type, unsigned member) {
  char* name = H5Tget_member_name(type, member);
  std::string text = name != nullptr ? name : "";
  H5free_memory(name);
  return text;
}

Target complex_target(hid_t stored) {
  if (H5Tget_nmembers(stored) != 2) return {};
  const H5T_class_t kind = H5Tget_member_class(stored, 0);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_member_class(stored, 1) != kind) return {};
  // Two integers may be anything.
  if (kind == H5T_INTEGER && !(member_name(stored, 0).starts_with('r') && member_name(stored, 1).starts_with('i'))) {
    return {};
  }
  const Hdf5Handle first(H5Tget_member_type(stored, 0), &H5Tclose);
  const bool is_double = H5Tget_size(first.get()) > (kind == H5T_FLOAT ? sizeof(float) : sizeof(std::int16_t));
  Target target;
  target.made =
      complex_type(is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, is_double ? sizeof(double) : sizeof(float),
                   member_name(stored, 0).c_str(), member_name(stored, 1).c_str());
  target.memory_type = target.made.get();
  target.allocate = is_double ? &allocate<std::complex<double>> : &allocate<std::complex<float>>;
  return target;
}

Target target_of(hid_t stored) {
  const std::size_t bytes = H5Tget_size(stored);
  Target target;
  switch (H5Tget_class(stored)) {
    case H5T_INTEGER:
      target.memory_type = bytes <= 2 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      target.allocate = bytes <= 2 ? &allocate<float> : &allocate<double>;
      return target;
    case H5T_FLOAT:
      target.memory_type = bytes <= sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      target.allocate = bytes <= sizeof(float) ? &allocate<float> : &allocate<double>;
      return target;
    case H5T_COMPOUND:
      return complex_target(stored);
    default:
      return target;
  }
}

/// The extents; none if there are too many, or one does not fit.
std::vector<Index> extents_of(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), &H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) return {};
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

double expansion_of(hid_t dataset) {
  const Hdf5Handle properties(H5Dget_create_plist(dataset), &H5Pclose);
  return H5Pget_nfilters(properties.get()) > 0 ? static_cast<double>(deflate_expansion) : 1.0;
}

std::optional<Affine> affine_of(hid_t dataset) {
  if (H5Aexists(dataset, affine_attribute) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(dataset, affine_attribute, H5P_DEFAULT), &H5Aclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), &H5Sclose);
  std::array<double, 12> numbers{};
  if (!attribute.valid() || H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(numbers.size()) ||
      H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) {
    return std::nullopt;
  }
  Affine affine;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) return std::nullopt;
    affine.matrix[i / 4][i % 4] = numbers[i];
  }
  return affine;
}

void write_affine(Hdf5MemoryFile& file, hid_t dataset, const Affine& affine) {
  const std::array<hsize_t, 2> extents{3, 4};
  const Hdf5Handle space(H5Screate_simple(2, extents.data(), nullptr), &H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate2(dataset, affine_attribute, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  file.check(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, affine.matrix.data()) >= 0);
}

void write_text(Hdf5MemoryFile& file, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), &H5Tclose);
  H5Tset_size(type.get(), text.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), &H5Sclose);
  // Not an attribute: these may have 64 KiB only.
  const Hdf5Handle dataset(
      H5Dcreate2(file.id(), scan_header_dataset, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      &H5Dclose);
  file.check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0);
}

void write_dataset(Hdf5MemoryFile& file, const NamedArray& array) {
  const Shape& shape = shape_of(array.values);
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Hdf5Handle space(
      shape.rank() == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(shape.rank(), extents.data(), nullptr), &H5Sclose);
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  Hdf5Handle made;
  hid_t type = H5T_NATIVE_FLOAT;
  if (std::holds_alternative<Array<double>>(array.values)) type = H5T_NATIVE_DOUBLE;
  if (is_complex(array.values)) {
    const bool is_double = std::holds_alternative<Array<std::complex<double>>>(array.values);
    made = complex_type(is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, is_double ? sizeof(double) : sizeof(float),
                        "r", "i");
    type = made.get();
  }
  const Hdf5Handle dataset(
      H5Dcreate2(file.id(), array.name.c_str(), type, space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  file.check(dataset.valid());
  const void* data = std::visit([](const auto& values) -> const void* { return values.data(); }, array.values);
  file.check(shape.size() == 0 || H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (array.affine) write_affine(file, dataset.get(), *array.affine);
}

}  // namespace

bool is_numeric_dataset(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), &H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset), &H5Sclose);
  return type.valid() && space.valid() && target_of(type.get()).allocate != nullptr &&
         H5Sget_simple_extent_type(space.get()) != H5S_NULL;
}

Hdf5File::Hdf5File(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  file_size_ = std::filesystem::file_size(path, error);
  if (error) throw IoError(fmt::format("{}: can not read it: {}", path.string(), error.message()));
  file_ = open_hdf5(path);
  if (!file_.valid()) fail("can not open it as HDF5: it is damaged or truncated");
}

void Hdf5File::fail(const std::string& what) const {
  throw IoError(fmt::format("{}: {}{}{}", path_.string(), what, links_.refused(), trap_.reason()));
}

std::vector<std::string> Hdf5File::list_datasets() const {
  Hdf5Listing listing = list_hdf5(file_.get(), &is_numeric_dataset);
  if (!listing.fault.empty()) fail(listing.fault);
  return std::move(listing.names);
}

std::vector<std::string> Hdf5File::list_root() const {
  const std::optional<std::vector<std::string>> names = names_in(file_.get());
  if (!names) fail("can not list its groups: it is damaged");
  return *names;
}

Hdf5Handle Hdf5File::open(const std::string& name) const { return open_dataset(path_, file_.get(), name, links_); }

bool Hdf5File::read_table(const std::string& name, hid_t memory_type, std::size_t count, void* to) const {
  const Hdf5Handle dataset = open(name);
  if (!dataset.valid()) return false;
  const Hdf5Handle space(H5Dget_space(dataset.get()), &H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(count)) return false;
  return H5Dread(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
}

bool Hdf5File::has(const std::string& name) const { return H5Lexists(file_.get(), name.c_str(), links_.get()) > 0; }

NamedArray Hdf5File::read(const Context& ctx, const std::string& name) const {
  const Hdf5Handle dataset = open(name);
  if (!dataset.valid()) fail(fmt::format("no dataset {} in it", name));
  const Hdf5Handle stored(H5Dget_type(dataset.get()), &H5Tclose);
  const Target target = target_of(stored.get());
  if (target.allocate == nullptr) fail(fmt::format("{} does not hold real or complex numbers", name));
  const std::vector<Index> extents = extents_of(dataset.get());
  auto claimed = static_cast<double>(H5Tget_size(stored.get()));
  bool negative = false;
  for (const Index extent : extents) {
    claimed *= static_cast<double>(extent);
    negative = negative || extent < 0;
  }
  if (negative || claimed > expansion_of(dataset.get()) * static_cast<double>(file_size_)) {
    fail(fmt::format("{} claims {:.0f} bytes, more than a file of {} bytes can hold: it is damaged", name, claimed,
                     file_size_));
  }
  NamedArray array{name, target.allocate(ctx, Shape(extents)), affine_of(dataset.get())};
  void* data = std::visit([](auto& values) -> void* { return values.data(); }, array.values);
  const Hdf5ExactTransfer transfer;
  if (shape_of(array.values).size() > 0 &&
      H5Dread(dataset.get(), target.memory_type, H5S_ALL, H5S_ALL, transfer.get(), data) < 0) {
    if (transfer.failed()) {
      throw IoError(
          fmt::format("{}: {} has a number of which float64 loses digits or that is beyond its range (it holds "
                      "whole numbers up to 2^53); convert it to float64 first if that is exact enough",
                      path_.string(), name));
    }
    fail(name + " can not be read: the file is damaged or truncated");
  }
  return array;
}

std::string Hdf5File::read_text(const char* name) const {
  if (!has(name)) return {};
  const Hdf5Handle dataset = open(name);
  const Hdf5Handle type(dataset.valid() ? H5Dget_type(dataset.get()) : -1, &H5Tclose);
  if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return {};
  const Hdf5Handle space(H5Dget_space(dataset.get()), &H5Sclose);
  const std::size_t size = H5Tget_size(type.get());
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || size > file_size_) return {};
  std::string text(size, '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    fail("a text can not be read");
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

void write_hdf5(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays,
                const std::string& header) {
  Hdf5MemoryFile file(path);
  ProgressStage stage(ctx, "write", static_cast<Index>(arrays.size()));
  for (const NamedArray& array : arrays) {
    write_dataset(file, array);
    stage.advance();
  }
  if (!header.empty()) write_text(file, header);
  file.finish(ctx);
}

}  // namespace whorl::io
