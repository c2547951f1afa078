// A picture with a frame of its opposite edges around it, on the host.
#pragma once

#include "studies/image_filters/job.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

struct Padded {
  Array<Byte> pixels;  ///< [rows + 2 frame, width + 2 frame, 3]
  const Byte* row(int y) const { return pixels.data() + y * pixels.extent(1) * 3; }
};

/// The rows that `job.rows` rows of a result need.
Padded pad(const Context& host, const Job& job, int frame);

}  // namespace whorl::studies::image_filters
