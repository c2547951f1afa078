// Reading a reference image (prior/reference_image.hpp) from a file.
#pragma once

#include <filesystem>

#include "whorl/prior/reference_image.hpp"

namespace WHORL_PUBLIC whorl {

/// Reads a NIfTI file of one volume or slice; complex values become their magnitude.
/// Throws  ShapeError (several volumes, one axis only), ValueError (a value that is not finite), and as read_nifti
ReferenceImage read_reference(const Context& ctx, const std::filesystem::path& path);

/// The same for a map of numbers with a sign, such as off-resonance in Hz: of complex values the real part.
/// Throws  ValueError (an imaginary part above 1e-5 of the largest value), and as read_reference
ReferenceImage read_map(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
