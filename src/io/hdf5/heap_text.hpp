// Texts of variable length, read without HDF5's library.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>

namespace whorl::io {

/// The text of a data set that is one string of variable length. HDF5 1.10 loops without end where the heap is damaged, so it is
/// not asked. None where only HDF5 can read the record: compact or compressed ones, addresses that are not of 8 bytes. Throws IoError
/// where the record leads to nothing of its length.
std::optional<std::string> read_heap_text(hid_t dataset);

}  // namespace whorl::io
