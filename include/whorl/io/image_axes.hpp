// The axes of images and samples in files: [frame, coil, z, y, x] and [frame, coil, sample], leading ones dropped.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "whorl/scan/affine.hpp"

namespace WHORL_PUBLIC whorl {

/// The shape without leading axes of length 1; the last axis stays.
Shape without_leading_ones(const Shape& shape);

/// The five extents [frame, coil, z, y, x] of an image for a matrix x, y, z. In 2D an axis of length 1 in front of y is
/// z; [coil, y, x] and [frame, coil, y, x] without it are taken too. Throws ShapeError with both shapes.
Shape image_axes(const Shape& shape, const std::array<Index, 3>& matrix, const std::string& source);

/// The three extents [frame, coil, sample]. Throws ShapeError with both shapes.
Shape sample_axes(const Shape& shape, Index samples, const std::string& source);

/// Place of the voxels of all frames, if it is the same.
std::optional<Affine> affine_of(std::span<const Geometry> frames, const std::array<Index, 3>& matrix);

}  // namespace whorl
