#include "io/hdf5/links.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <system_error>

namespace whorl::io {

namespace {

namespace fs = std::filesystem;

herr_t check_link(const char* parent, const char* /*group*/, const char* child, const char* object, unsigned* /*flags*/,
                  hid_t /*access*/, void* refused) {
  for (const fs::path& place : places_of(parent, child)) {
    std::error_code ignored;
    if (!fs::exists(place, ignored) || fs::is_regular_file(place, ignored)) continue;
    auto& text = *static_cast<std::string*>(refused);
    if (text.empty()) {
      text =
          fmt::format(" (an external link leads to {} in '{}', which is not a regular file)", object, place.string());
    }
    return -1;
  }
  return 0;
}

}  // namespace

std::vector<fs::path> places_of(const fs::path& parent, const std::string& name) {
  std::error_code ignored;
  const fs::path child(name);
  const fs::path folder = parent.parent_path();
  const fs::path real_folder = fs::weakly_canonical(parent, ignored).parent_path();
  // A path that is absolute stays as it is.
  return {
      child,           folder / child, real_folder / child, folder / child.filename(), real_folder / child.filename(),
      child.filename()};
}

std::string file_of_object(hid_t object) {
  const ssize_t length = H5Fget_name(object, nullptr, 0);
  std::string name(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
  H5Fget_name(object, name.data(), name.size());
  name.pop_back();
  return name;
}

Hdf5Handle open_hdf5(const fs::path& path) {
  // At the end of the process HDF5 prints what it could not close of a damaged file. Its own handler is there first, and so runs last.
  [[maybe_unused]] static const int registered =
      (H5open(), std::atexit([] { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }));
  // HDF5 1.10 does not look whether it got the memory that an open file takes, some 1 MB (H5AC_create): bad_alloc comes first.
  constexpr std::size_t memory_of_file = std::size_t{4} << 20U;
  ::operator delete(::operator new(memory_of_file));
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose};
}

Hdf5Links::Hdf5Links()
    : refused_(std::make_unique<std::string>()), properties_(H5Pcreate(H5P_DATASET_ACCESS), &H5Pclose) {
  H5Pset_elink_cb(properties_.get(), &check_link, refused_.get());
}

}  // namespace whorl::io
