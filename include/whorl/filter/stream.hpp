// Pipelines on images that do not fit into memory: band by band.
#pragma once

#include <cstddef>
#include <functional>

#include "whorl/filter/pipeline.hpp"

namespace whorl {

/// Where a large image comes from and goes to.
struct ImageStream {
  ImageFormat format;  ///< of what is read
  /// Fills a band, on the host, with these rows of every slice. Rows come in ascending order, each once a pass, unless
  /// a filter asks for others (flip of y does) or needed more memory than was thought for a band; there is a pass for
  /// the result, and one before for each statistic of the whole image (two for those of float32).
  std::function<void(RowRange rows, Image& band)> read;
  /// Takes these rows of the result, on the host: in ascending order, each once.
  std::function<void(RowRange rows, const Image& band)> write;
};

/// The same as pipeline.apply of the whole image, in bands of as many rows as fit. Reports its progress in rows.
///
/// `max_memory` is what all images and what filters need besides may take in bytes: on the host where the context's
/// device is that, else on the device, where the bands on the host take less; 0: what the device has.
/// Throws  as Pipeline::apply, Error where a filter needs more rows at once than fit, naming it and the bytes
void apply_in_bands(const Context& ctx, const Pipeline& pipeline, const ImageStream& stream,
                    std::size_t max_memory = 0);

}  // namespace whorl
