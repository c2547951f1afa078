#include "whorl/io/nifti.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/nifti/nifti_file.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {

template <class T>
void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> images, const Affine& affine,
                 double frame_interval_ms) {
  const auto file = io::open_nifti<T>(ctx, path, images.shape(), affine, frame_interval_ms);
  // In parts, so that a request to stop is seen within a fraction of a second.
  constexpr std::size_t part = std::size_t{1} << 20;
  const std::span<const T> values = images.span();
  ProgressStage stage(ctx, "writing " + path.filename().string(), static_cast<Index>(divide_up(values.size(), part)));
  for (std::size_t first = 0; first < values.size(); first += part) {
    const std::span<const T> some = values.subspan(first, std::min(part, values.size() - first));
    file->write(some.data(), some.size_bytes());
    stage.advance();
  }
  file->commit();
}

template <class T>
void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> images,
                 const Geometry& geometry, double frame_interval_ms) {
  const Shape& shape = images.shape();
  if (shape.rank() < 2 || shape.rank() > 4) {
    throw ShapeError(
        fmt::format("writing NIfTI: expected images [frame, z, y, x], [z, y, x] or [y, x], got {}", to_string(shape)));
  }
  if (shape.size() == 0) {
    throw ShapeError(fmt::format("writing NIfTI: images {}: there is nothing to write", to_string(shape)));
  }
  write_nifti(ctx, path, images, voxel_affine(geometry, {shape[-1], shape[-2], shape.rank() > 2 ? shape[-3] : 1}),
              frame_interval_ms);
}

template void write_nifti(const Context&, const std::filesystem::path&, ArrayRef<const float>, const Affine&, double);
template void write_nifti(const Context&, const std::filesystem::path&, ArrayRef<const double>, const Affine&, double);
template void write_nifti(const Context&, const std::filesystem::path&, ArrayRef<const std::complex<float>>,
                          const Affine&, double);
template void write_nifti(const Context&, const std::filesystem::path&, ArrayRef<const std::complex<double>>,
                          const Affine&, double);
template void write_nifti(const Context&, const std::filesystem::path&, ArrayRef<const float>, const Geometry&, double);
template void write_nifti(const Context&, const std::filesystem::path&, ArrayRef<const std::complex<float>>,
                          const Geometry&, double);

}  // namespace whorl
