// The displayed part of a complex image, and slices of a volume.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/io/any_array.hpp"

namespace WHORL_PUBLIC whorl {

/// Text names: magnitude, phase (radians), real, imag.
enum class DisplayPart { magnitude, phase, real, imaginary };

/// The part with this text name. Throws ValueError, listing the names.
DisplayPart display_part_from_string(std::string_view name);

/// "magnitude, phase, real, imag"
std::string display_part_names();

/// The part of each element. For real arrays the imaginary part is 0, and the phase is 0 or pi. Throws ValueError if
/// the largest finite part does not fit float.
Array<float> display_part(const Context& ctx, const AnyArray& values, DisplayPart part);

/// The orientation of the slices of a volume [z, y, x]. In whorl's axes x runs to the left, y to the back and z to the
/// head.
enum class SliceAxis {
  axial,     ///< across z: pictures [y, x]
  coronal,   ///< across y: pictures [z, x], large z at the top
  sagittal,  ///< across x: pictures [z, y], large z at the top
};

/// Text names: axial or z, coronal or y, sagittal or x. Throws ValueError, listing the names.
SliceAxis slice_axis_from_string(std::string_view name);

/// Slices of every volume.
///
/// Shapes  volumes [..., z, y, x], or [y, x] for z = 1; result [volume, slice, row, column]; `slices`: indices along
///         the axis, in the order of the result; empty: all
/// Throws  ShapeError (rank below 2), ValueError (a slice out of range)
Array<float> cut_slices(const Context& ctx, ArrayRef<const float> volumes, SliceAxis axis,
                        std::span<const Index> slices = {});

}  // namespace whorl
