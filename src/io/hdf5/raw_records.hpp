// The records of a table as they lie in the file, without HDF5's conversion of each.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace whorl::io {

/// All records of a table of one axis, one after another. Empty where only HDF5 can read them: compressed records, pieces
/// that were never written, or more of them than a file of this size holds.
std::vector<std::byte> read_raw_records(hid_t table, std::uintmax_t file_size);

}  // namespace whorl::io
