#include "io/ismrmrd/raw.hpp"

#include <optional>
#include <utility>

#include "io/hdf5/raw_records.hpp"
#include "io/ismrmrd/types.hpp"

namespace whorl::io {

std::unique_ptr<const IsmrmrdFile::Raw> IsmrmrdFile::Raw::open(const std::filesystem::path& path,
                                                               std::uintmax_t file_size, hid_t file, hid_t table) {
  const Hdf5Handle type(H5Dget_type(table), &H5Tclose);
  if (!acquisition_lists_are_plain(type.get())) return nullptr;
  std::optional<Hdf5Heap> heap = Hdf5Heap::open(path, file_size, file);
  if (!heap) return nullptr;
  std::vector<std::byte> records = read_raw_records(table, file_size);
  if (records.empty()) return nullptr;
  const auto offset = [&](const char* name) {
    return H5Tget_member_offset(type.get(), static_cast<unsigned>(H5Tget_member_index(type.get(), name)));
  };
  return std::make_unique<const Raw>(Raw{std::move(records), H5Tget_size(type.get()), offset("head"), offset("traj"),
                                         offset("data"), samples_are_floats(type.get()) ? 1U : 2U, std::move(*heap)});
}

}  // namespace whorl::io
