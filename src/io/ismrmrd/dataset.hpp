// A new ISMRMRD file, made by ISMRMRD's library.
#pragma once

#include <ismrmrd/dataset.h>

#include <complex>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/memory.hpp"

namespace whorl::io {

/// ISMRMRD 1.8 prints what went wrong; every call here throws IoError instead.
class IsmrmrdWriter {
 public:
  explicit IsmrmrdWriter(const std::filesystem::path& path);

  void write_header(const std::string& xml);
  /// The library writes the first acquisition, and thereby makes the table. It would open, enlarge and close the table
  /// for each: the others are written in blocks, with the table's own type.
  void append(const ISMRMRD::ISMRMRD_Acquisition& acquisition);
  void append(const ISMRMRD::ISMRMRD_Image& image);

  /// An array of the file's own, beside the acquisitions.
  void append(const std::string& name, const ISMRMRD::ISMRMRD_NDArray& array);

  /// Writes the file and gives it its name.
  void finish(const Context& ctx);

 private:
  // An acquisition that waits to be written.
  struct Waiting {
    ISMRMRD::ISMRMRD_AcquisitionHeader head;
    std::vector<float> trajectory;
    std::vector<std::complex<float>> samples;
  };

  void open_table();
  void write_waiting();

  Hdf5MemoryFile file_;
  std::string group_ = "dataset";
  ISMRMRD::ISMRMRD_Dataset dataset_{};
  Hdf5Handle table_;
  Hdf5Handle record_type_;
  hsize_t written_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace whorl::io
