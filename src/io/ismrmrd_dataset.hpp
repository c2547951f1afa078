// A new ISMRMRD file, made by ISMRMRD's library in memory and written to the disk in one piece.
#pragma once

#include <ismrmrd/dataset.h>

#include <filesystem>
#include <string>

#include "io/hdf5_handle.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

/// On a full disk HDF5 1.10 keeps the file it failed to write, and crashes when the process ends; ISMRMRD 1.8 prints
/// what went wrong. So the disk is left to whorl: HDF5 works in memory (one image of the file, and a copy of it at the
/// end). Every call throws IoError when it failed.
class IsmrmrdWriter {
 public:
  explicit IsmrmrdWriter(const std::filesystem::path& path);

  void write_header(const std::string& xml);
  void append(const ISMRMRD::ISMRMRD_Acquisition& acquisition);
  void append(const ISMRMRD::ISMRMRD_Image& image);

  /// Writes the file and gives it its name.
  void finish();

 private:
  void check(bool succeeded) const;

  std::filesystem::path path_;
  AtomicFile output_;  // first, so that a folder that can not be written is known before any work
  Hdf5ErrorTrap trap_;
  Hdf5Handle file_;
  std::string group_ = "dataset";
  ISMRMRD::ISMRMRD_Dataset dataset_{};
};

}  // namespace whorl::io
