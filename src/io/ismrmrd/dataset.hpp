// A new ISMRMRD file, made by ISMRMRD's library.
#pragma once

#include <ismrmrd/dataset.h>

#include <filesystem>
#include <string>

#include "io/hdf5/memory.hpp"

namespace whorl::io {

/// ISMRMRD 1.8 prints what went wrong; every call here throws IoError instead.
class IsmrmrdWriter {
 public:
  explicit IsmrmrdWriter(const std::filesystem::path& path);

  void write_header(const std::string& xml);
  void append(const ISMRMRD::ISMRMRD_Acquisition& acquisition);
  void append(const ISMRMRD::ISMRMRD_Image& image);

  /// An array of the file's own, beside the acquisitions.
  void append(const std::string& name, const ISMRMRD::ISMRMRD_NDArray& array);

  /// Writes the file and gives it its name.
  void finish(const Context& ctx) { file_.finish(ctx); }

 private:
  Hdf5MemoryFile file_;
  std::string group_ = "dataset";
  ISMRMRD::ISMRMRD_Dataset dataset_{};
};

}  // namespace whorl::io
