// A NIfTI file that is written from its front to its end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "io/bytes/gzip.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::io {

/// The file of a path that ends in .nii, or compressed in .nii.gz. One thread at a time may use it.
class NiftiFile {
 public:
  NiftiFile(Context ctx, const std::filesystem::path& path);
  NiftiFile(const NiftiFile&) = delete;
  NiftiFile& operator=(const NiftiFile&) = delete;

  void write(const void* bytes, std::size_t count);
  /// As AtomicFile::commit, in the group of the thread that calls.
  void commit();

 private:
  Context ctx_;
  AtomicFile file_;
  std::optional<GzipWriter> gzip_;
};

/// A file with the header of write_nifti (whorl/io/nifti.hpp) for an array of that shape, whose elements follow.
/// Throws ShapeError, ValueError, IoError.
template <class T>
std::unique_ptr<NiftiFile> open_nifti(const Context& ctx, const std::filesystem::path& path, const Shape& shape,
                                      const Affine& affine, double frame_interval_ms);

}  // namespace whorl::io
