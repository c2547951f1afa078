// What lies in an HDF5 file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace whorl::io {

struct Hdf5Listing {
  std::vector<std::string> names;  ///< paths, in the order of the names
  std::string fault;               ///< why the list is not complete; empty: it is
};

/// The data sets in all groups of a file for which `wanted` is true, each once. Soft and external links are not followed.
/// Groups within groups, and links in all, are followed up to a number that no measured file comes near: HDF5's own
/// walk takes minutes for a chain of 20,000 groups.
Hdf5Listing list_hdf5(hid_t file, const std::function<bool(hid_t dataset)>& wanted);

/// The names in the root group; none where the file is damaged.
std::optional<std::vector<std::string>> names_in(hid_t file);

}  // namespace whorl::io
