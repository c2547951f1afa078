// How links to other HDF5 files are followed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace whorl::io {

/// The places at which HDF5 looks for a file of that name, which another file refers to. Source  HDF5's
/// H5F_prefix_open_file: as it is, in the folder of the other file (and where a link to that leads), by its last part.
std::vector<std::filesystem::path> places_of(const std::filesystem::path& parent, const std::string& name);

/// The file in which an object lies, where a link may have led to it.
std::string file_of_object(hid_t object);

/// Opens an HDF5 file for reading. Invalid unless it is a regular file with HDF5's structure: a pipe would be waited for.
Hdf5Handle open_hdf5(const std::filesystem::path& path);

/// Access to data sets through links. An external link is followed to a regular file alone: HDF5 would wait for a pipe
/// without end.
class Hdf5Links {
 public:
  Hdf5Links();

  /// Properties of access, for links and data sets.
  hid_t get() const { return properties_.get(); }
  /// " (...)" for the first link that was not followed; else empty.
  const std::string& refused() const { return *refused_; }

 private:
  std::unique_ptr<std::string> refused_;
  Hdf5Handle properties_;
};

}  // namespace whorl::io
