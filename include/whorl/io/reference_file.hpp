// A reference image (prior/reference_image.hpp) from a file.
#pragma once

#include <filesystem>

#include "whorl/prior/reference_image.hpp"

namespace whorl {

/// Reads one volume or slice of a NIfTI file, complex ones by their magnitude.
/// Throws  ShapeError (several volumes, a line), ValueError (a number that is not finite), and what read_nifti throws
ReferenceImage read_reference(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
