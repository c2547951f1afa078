#include "io/hdf5/raw_records.hpp"

#include <algorithm>
#include <cstring>

#include "io/hdf5/handle.hpp"

namespace whorl::io {

std::vector<std::byte> read_raw_records(hid_t table, std::uintmax_t file_size) {
  const Hdf5ErrorTrap trap;  // what fails here is read by HDF5 again, which then says why
  const Hdf5Handle properties(H5Dget_create_plist(table), &H5Pclose);
  const Hdf5Handle type(H5Dget_type(table), &H5Tclose);
  const Hdf5Handle space(H5Dget_space(table), &H5Sclose);
  hsize_t rows = 0;
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED || H5Pget_nfilters(properties.get()) != 0 ||
      H5Pget_chunk(properties.get(), 1, &rows) != 1 || rows == 0 || H5Sget_simple_extent_ndims(space.get()) != 1) {
    return {};
  }
  const auto count = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.get()));
  const std::size_t size = H5Tget_size(type.get());
  if (size == 0 || count > file_size / size || rows > file_size / size) return {};
  std::vector<std::byte> records(count * size);
  std::vector<std::byte> piece(rows * size);
  for (hsize_t first = 0; first < count; first += rows) {
    hsize_t stored = 0;
    std::uint32_t skipped_filters = 0;
    if (H5Dget_chunk_storage_size(table, &first, &stored) < 0 || stored != piece.size() ||
        H5Dread_chunk(table, H5P_DEFAULT, &first, &skipped_filters, piece.data()) < 0) {
      return {};
    }
    std::memcpy(records.data() + first * size, piece.data(), std::min(rows, count - first) * size);
  }
  return records;
}

}  // namespace whorl::io
