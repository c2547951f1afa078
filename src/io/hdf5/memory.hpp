// An HDF5 file that is made in memory and written to the disk in one piece.
#pragma once

#include <filesystem>

#include "io/hdf5/handle.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

/// On a full disk HDF5 1.10 keeps the file it failed to write, and crashes when the process ends. So the disk is left
/// to whorl: HDF5 works in memory (one image of the file).
class Hdf5MemoryFile {
 public:
  /// Throws IoError if the folder is not writable.
  explicit Hdf5MemoryFile(const std::filesystem::path& path);

  hid_t id() const { return file_.get(); }

  /// Throws IoError unless the step succeeded and no call of HDF5 failed so far.
  void check(bool succeeded) const;

  /// Writes the file and gives it its name. Throws IoError, Cancelled.
  void finish(const Context& ctx);

 private:
  std::filesystem::path path_;
  AtomicFile output_;  // first, so that a folder that is not writable is found before any work
  Hdf5ErrorTrap trap_;
  Hdf5Handle file_;
};

}  // namespace whorl::io
