#include "io/ismrmrd/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "io/array_or_fault.hpp"
#include "io/hdf5/arrays.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// Members of ISMRMRD's image header that place the image, by ISMRMRD's names.
struct ImagePlace {
  std::array<std::uint16_t, 3> matrix_size{};
  std::array<float, 3> field_of_view{};
  std::array<float, 3> position{};
  std::array<float, 3> read_dir{};
  std::array<float, 3> phase_dir{};
  std::array<float, 3> slice_dir{};

  friend bool operator==(const ImagePlace&, const ImagePlace&) = default;
};

Hdf5Handle place_type() {
  constexpr hsize_t three = 3;
  const Hdf5Handle counts(H5Tarray_create2(H5T_NATIVE_UINT16, 1, &three), &H5Tclose);
  const Hdf5Handle numbers(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three), &H5Tclose);
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(ImagePlace)), &H5Tclose);
  H5Tinsert(type.get(), "matrix_size", offsetof(ImagePlace, matrix_size), counts.get());
  H5Tinsert(type.get(), "field_of_view", offsetof(ImagePlace, field_of_view), numbers.get());
  H5Tinsert(type.get(), "position", offsetof(ImagePlace, position), numbers.get());
  H5Tinsert(type.get(), "read_dir", offsetof(ImagePlace, read_dir), numbers.get());
  H5Tinsert(type.get(), "phase_dir", offsetof(ImagePlace, phase_dir), numbers.get());
  H5Tinsert(type.get(), "slice_dir", offsetof(ImagePlace, slice_dir), numbers.get());
  return type;
}

/// The affine of a series whose headers agree; none where they do not, or are not those of a volume.
std::optional<Affine> affine_of(const Hdf5File& file, const std::string& series, Index images) {
  std::vector<ImagePlace> places(static_cast<std::size_t>(images));
  if (!file.read_table(series + "/header", place_type().get(), places.size(), places.data())) return std::nullopt;
  const ImagePlace& first = places.front();
  if (std::any_of(places.begin(), places.end(), [&](const ImagePlace& place) { return !(place == first); })) {
    return std::nullopt;
  }
  Geometry geometry;
  std::copy(first.field_of_view.begin(), first.field_of_view.end(), geometry.field_of_view_mm.begin());
  std::copy(first.position.begin(), first.position.end(), geometry.position_mm.begin());
  std::copy(first.read_dir.begin(), first.read_dir.end(), geometry.read_direction.begin());
  std::copy(first.phase_dir.begin(), first.phase_dir.end(), geometry.phase_direction.begin());
  std::copy(first.slice_dir.begin(), first.slice_dir.end(), geometry.slice_direction.begin());
  try {
    return voxel_affine(geometry, {first.matrix_size[0], first.matrix_size[1], first.matrix_size[2]});
  } catch (const ValueError&) {
    return std::nullopt;  // headers of other programs leave the directions empty
  }
}

bool is_series(const std::string& dataset) {
  return dataset.ends_with("/data") && dataset.find("image_") != std::string::npos;
}

void drop_unit_axes(AnyArray& array) {
  std::vector<Index> extents(shape_of(array).begin(), shape_of(array).end());
  constexpr std::size_t rank = 5;  // image, channel, z, y, x
  if (extents.size() == rank && extents[1] == 1) extents.erase(extents.begin() + 1);
  while (extents.size() > 2 && extents.front() == 1) extents.erase(extents.begin());
  std::visit([&](auto& values) { values.reshape(Shape(extents)); }, array);
}

template <class Test>
bool any_group(const std::filesystem::path& path, Test test) {
  const Hdf5File file(path);
  const std::vector<std::string> groups = file.list_root();
  return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) { return test(file, group); });
}

}  // namespace

bool holds_ismrmrd(const std::filesystem::path& path) {
  return any_group(path, [](const Hdf5File& file, const std::string& group) {
    return file.has(group + "/xml") || file.has(group + "/image_0");
  });
}

bool holds_acquisitions(const std::filesystem::path& path) {
  return any_group(path, [](const Hdf5File& file, const std::string& group) {
    return file.has(group + "/xml") && file.has(group + "/data");
  });
}

std::vector<NamedArray> read_ismrmrd_arrays(const Context& ctx, const std::filesystem::path& path) {
  const Hdf5File file(path);
  std::vector<NamedArray> arrays;
  for (const std::string& name : file.list_datasets()) {
    NamedArray array = array_or_fault(name, [&] { return file.read(ctx, name); });
    if (is_series(name) && array.fault.empty()) {
      const std::string series = name.substr(0, name.size() - std::string_view("/data").size());
      array.affine = affine_of(file, series, shape_of(array.values)[0]);
      drop_unit_axes(array.values);
      array.name = series;
    }
    arrays.push_back(std::move(array));
  }
  if (arrays.empty() && !holds_acquisitions(path)) {
    throw IoError(fmt::format("{}: an ISMRMRD file without acquisitions and images: there is nothing in it to read",
                              path.string()));
  }
  if (arrays.empty()) {
    throw Unsupported(
        fmt::format("{}: an ISMRMRD file with acquisitions and no images: it is a scan, not an array; make "
                    "its image by a reconstruction",
                    path.string()));
  }
  return arrays;
}

}  // namespace whorl::io
