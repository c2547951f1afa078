// A table of acquisitions as it lies in the file.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "io/hdf5/heap.hpp"
#include "io/ismrmrd/file.hpp"

namespace whorl::io {

/// Records and heap of a table whose samples are stored as float32, as ISMRMRD's library writes them.
struct IsmrmrdFile::Raw {
  /// None where only HDF5 can read the table.
  static std::unique_ptr<const Raw> open(const std::filesystem::path& path, std::uintmax_t file_size, hid_t file,
                                         hid_t table);

  const std::byte* record(Index number) const { return records.data() + static_cast<std::size_t>(number) * size; }
  HeapReference trajectory(Index number) const { return Hdf5Heap::reference(record(number) + trajectory_offset); }
  HeapReference samples(Index number) const { return Hdf5Heap::reference(record(number) + samples_offset); }

  std::vector<std::byte> records;
  std::size_t size = 0;  // of a record
  std::size_t head_offset = 0;
  std::size_t trajectory_offset = 0;
  std::size_t samples_offset = 0;
  std::uint64_t floats_per_element = 1;  // of the list of samples
  Hdf5Heap heap;
};

}  // namespace whorl::io
