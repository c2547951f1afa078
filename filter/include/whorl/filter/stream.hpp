// Pipelines on images that do not fit into memory: band by band.
#pragma once

#include <cstddef>
#include <functional>

#include "whorl/filter/pipeline.hpp"

namespace WHORL_PUBLIC whorl {

/// Where a large image comes from and goes to.
struct ImageStream {
  ImageFormat format;  ///< of the input
  /// Fills a band, on the host, with these rows of every slice. There is a pass for the result, and before it one pass
  /// for each statistic of the whole image (two for float32). In a pass rows are asked for once and in ascending order,
  /// with two exceptions: some filters (flip of y) want another order, and a band that did not fit is read again.
  std::function<void(RowRange rows, Image& band)> read;
  /// Takes these rows of the result, on the host: in ascending order, each once.
  std::function<void(RowRange rows, const Image& band)> write;
};

/// Equals pipeline.apply to the whole image, in bands of as many rows as fit. Reports its progress in rows.
///
/// `max_memory`  bytes on the context's device for all images and the filters' scratch; 0: the device's memory. On a
///               GPU the bands on the host take less.
/// Throws        as Pipeline::apply; Error, naming the filter and the bytes, if it needs more rows at once than fit
void apply_in_bands(const Context& ctx, const Pipeline& pipeline, const ImageStream& stream,
                    std::size_t max_memory = 0);

}  // namespace whorl
