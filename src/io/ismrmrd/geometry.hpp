// Geometry in the headers of ISMRMRD's acquisitions and images, which name these members alike, and the headers of images.
#pragma once

#include <ismrmrd/ismrmrd.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "core/internal.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/scan/geometry.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::io {

/// `Header` is the library's C struct. It is packed to 2 bytes, so its members must not be bound to references.
template <class Header>
void set_geometry(Header& header, const Geometry& geometry) {
  const auto set = [&](std::size_t offset, const std::array<double, 3>& from) {
    const std::array<float, 3> values{static_cast<float>(from[0]), static_cast<float>(from[1]),
                                      static_cast<float>(from[2])};
    std::memcpy(reinterpret_cast<char*>(&header) + offset, values.data(), sizeof(values));
  };
  set(offsetof(Header, position), geometry.position_mm);
  set(offsetof(Header, read_dir), geometry.read_direction);
  set(offsetof(Header, phase_dir), geometry.phase_direction);
  set(offsetof(Header, slice_dir), geometry.slice_direction);
}

/// The header of a complex image [z, y, x] that is the one of this number, from 0. Counters and extents must fit into 16 bits.
WHORL_INTERNAL ISMRMRD::ImageHeader image_header(const ImageFrame& frame, const Shape& shape, std::size_t number);

}  // namespace whorl::io
