// ImageSeriesWriter: images that are written while others are still made.
#pragma once

#include <complex>
#include <filesystem>
#include <memory>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/image_writer.hpp"

namespace WHORL_PUBLIC whorl {

/// The NIfTI files that write_image (io/image_writer.hpp) would write, with the same bytes. A thread of its own converts,
/// compresses and writes images as they are added, in the order in which the files have them: an image waits for those
/// before it. Files lie under temporary names until finish(); without it they are removed.
///
/// Images are not copied. They must stay where they are, unchanged, until finish() has returned or the writer is gone.
///
/// Throws  ShapeError, ValueError (file name, an invalid geometry), IoError
/// Threads one at a time
class ImageSeriesWriter {
 public:
  /// Begins a series of images [frame, z, y, x].
  ImageSeriesWriter(const Context& ctx, const std::filesystem::path& path, const Shape& images,
                    std::span<const ImageFrame> frames, const ImageOptions& options = {});
  ~ImageSeriesWriter();
  ImageSeriesWriter(const ImageSeriesWriter&) = delete;
  ImageSeriesWriter& operator=(const ImageSeriesWriter&) = delete;

  /// Whether images of this file can be written so: .nii, .nii.gz.
  static bool takes(const std::filesystem::path& path);

  /// The image [z, y, x] of a frame, once for each frame. Does not wait; what fails is thrown by finish().
  void add(Index frame, ArrayRef<const std::complex<float>> image);

  /// Writes the images that were not added, from the images of all frames, and gives the files their names. In an
  /// AtomicFileGroup of the calling thread, the group does that. Progress is that of the context. Once.
  /// Throws ValueError (a magnitude that is not finite), IoError, Cancelled.
  WrittenImages finish(const Context& ctx, ArrayRef<const std::complex<float>> images);

 private:
  class Files;
  std::unique_ptr<Files> files_;
};

}  // namespace whorl
