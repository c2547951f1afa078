#include "io/hdf5/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::io {

Hdf5MemoryFile::Hdf5MemoryFile(const std::filesystem::path& path) : path_(path), output_(path) {
  constexpr std::size_t growth = std::size_t{16} << 20U;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  check(H5Pset_fapl_core(access.get(), growth, false) >= 0);
  file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), &H5Fclose);
  check(file_.valid());
}

void Hdf5MemoryFile::check(bool succeeded) const {
  // Libraries on top of HDF5 do not hand on every error of it.
  if (succeeded && !trap_.failed()) return;
  throw IoError(fmt::format("{}: can not make the HDF5 file in memory{}", path_.string(), trap_.reason()));
}

void Hdf5MemoryFile::finish(const Context& ctx) {
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) >= 0);
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  check(size > 0);
  std::vector<char> bytes(static_cast<std::size_t>(size));
  check(H5Fget_file_image(file_.get(), bytes.data(), bytes.size()) == size);
  file_ = Hdf5Handle();
  constexpr std::size_t part = std::size_t{1} << 23U;
  for (std::size_t first = 0; first < bytes.size(); first += part) {
    ctx.check_cancel("writing HDF5");
    output_.write(bytes.data() + first, std::min(part, bytes.size() - first));
  }
  output_.commit();
}

}  // namespace whorl::io
