// Reading a reference image (prior/reference_image.hpp) from a file.
#pragma once

#include <filesystem>

#include "whorl/prior/reference_image.hpp"

namespace WHORL_PUBLIC whorl {

/// Reads one volume or slice from a file of any format of read_array (io/array_files.hpp): "FILE", or "FILE:NAME" of
/// several arrays. Axes of extent 1 before those of the image are dropped. Complex values become their magnitude.
/// Formats without a position give a reference that has none in the scanner.
/// Throws  ShapeError (several volumes, one axis only), and as read_array
ReferenceImage read_reference(const Context& ctx, const std::filesystem::path& path);

/// read_reference for a map of numbers with a sign, such as off-resonance in Hz. Complex values become their real part.
/// Throws  ValueError (an imaginary part above 1e-5 of the largest value), and as read_reference
ReferenceImage read_map(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
