// Whether the numbers of a data set are anywhere.
#pragma once

#include <filesystem>
#include <string>

#include "io/hdf5/links.hpp"

namespace whorl::io {

/// Opens a data set and checks that it is stored; invalid if there is none of that name.
Hdf5Handle open_dataset(const std::filesystem::path& path, hid_t file, const std::string& name, const Hdf5Links& links);

/// Checks that the numbers of a data set can be read as somebody wrote them. HDF5 gives
/// zeros for elements that were never written and for sources of virtual data sets that are missing, and overflows the
/// stack where a virtual data set is its own source. Elements may be missing where the file has a fill value of its own,
/// but not all. Throws IoError, naming file, data set and what is wrong.
void check_stored(const std::filesystem::path& path, hid_t dataset, const std::string& name);

}  // namespace whorl::io
