// A new ISMRMRD file, written by ISMRMRD's library under a temporary name.
#pragma once

#include <ismrmrd/dataset.h>

#include <filesystem>
#include <string>

#include "io/hdf5_handle.hpp"
#include "whorl/io/temporary_path.hpp"

namespace whorl::io {

/// Every call throws IoError when it or anything below it failed: the library drops most errors of HDF5 (a full disk
/// among them), so HDF5 itself is listened to.
class IsmrmrdWriter {
 public:
  explicit IsmrmrdWriter(const std::filesystem::path& path);
  ~IsmrmrdWriter();
  IsmrmrdWriter(const IsmrmrdWriter&) = delete;
  IsmrmrdWriter& operator=(const IsmrmrdWriter&) = delete;

  void write_header(const std::string& xml);
  void append(const ISMRMRD::ISMRMRD_Acquisition& acquisition);
  void append(const ISMRMRD::ISMRMRD_Image& image);

  /// Closes the file and gives it its name.
  void finish();

 private:
  void check(int status, const char* action);
  int close();

  std::filesystem::path path_;
  Hdf5ErrorTrap trap_;
  TemporaryPath temporary_;
  ISMRMRD::ISMRMRD_Dataset dataset_{};
};

}  // namespace whorl::io
