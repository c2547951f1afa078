#include "io/hdf5/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "whorl/core/error.hpp"

namespace whorl::io {

Hdf5MemoryFile::Hdf5MemoryFile(const std::filesystem::path& path) : path_(path), output_(path) {
  constexpr std::size_t growth = std::size_t{16} << 20U;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  check(H5Pset_fapl_core(access.get(), growth, false) >= 0);
  // HDF5 would read a file that is there into memory, only to throw it away: the name is one that no file has.
  const std::string unused = path_.string() + "/in memory";
  file_ = Hdf5Handle(H5Fcreate(unused.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), &H5Fclose);
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
  // The driver's handle is the place of the pointer to its memory. A copy of the image would take as much memory again.
  void* place = nullptr;
  check(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &place) >= 0 && place != nullptr);
  const auto* const bytes = *static_cast<const unsigned char* const*>(place);
  const auto count = static_cast<std::size_t>(size);
  constexpr std::size_t part = std::size_t{1} << 23U;
  for (std::size_t first = 0; first < count; first += part) {
    ctx.check_cancel("writing HDF5");
    output_.write(bytes + first, std::min(part, count - first));
  }
  // The file is still open for writing, and says so: HDF5 File Format Specification 3.0, II.A, version 0 or 1, file consistency
  // flags.
  constexpr std::size_t version_place = 8;
  constexpr std::size_t flags_place = 20;
  constexpr std::array<unsigned char, 4> closed{};
  check(bytes[version_place] <= 1);
  output_.write_at(flags_place, closed.data(), closed.size());
  file_ = Hdf5Handle();
  output_.commit();
}

}  // namespace whorl::io
