// The header of ISMRMRD's images, in files and on their way to a scanner.
#pragma once

#include <ismrmrd/ismrmrd.h>

#include <cstddef>

#include "whorl/core/shape.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::io {

/// The header of a complex image [z, y, x] that is the one of this number, from 0. Counters and extents must fit into 16 bits.
ISMRMRD::ImageHeader image_header(const ImageFrame& frame, const Shape& shape, std::size_t number);

}  // namespace whorl::io
