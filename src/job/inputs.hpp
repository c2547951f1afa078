// Arrays and images of a request, which are read unless they are in memory.
#pragma once

#include <complex>
#include <memory>
#include <string>

#include "whorl/core/context.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/job/file_or.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// Throws as read_array.
template <class T>
std::shared_ptr<const Array<T>> array_from(const Context& ctx, const FileOr<Array<T>>& source) {
  if (source.value != nullptr) return source.value;
  return std::make_shared<const Array<T>>(converted<T>(ctx, read_array(ctx, source.file).values, source.file));
}

using ImageReader = ReferenceImage (*)(const Context& ctx, const std::filesystem::path& path);

/// Null where it was not given. Throws as read_reference or read_map.
std::shared_ptr<const ReferenceImage> image_from(const Context& ctx, const FileOr<ReferenceImage>& source,
                                                 ImageReader read);

/// Maps of the coils as they are in the scan: prewhitening and compression change both alike. Throws ShapeError, and as
/// read_array.
Array<std::complex<float>> maps_from(const Context& ctx, const FileOr<Array<std::complex<float>>>& source,
                                     const Scan& scan);

}  // namespace whorl::job
