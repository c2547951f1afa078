// Images or scans of several files as one.
#pragma once

#include <string_view>
#include <vector>

#include "whorl/io/array_files.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Axis along which the files of a stack differ.
enum class StackAxis {
  frame,  ///< the same place at other times, echoes, ...
  slice,  ///< places along the slice axis
};

/// Text names: frame, slice. Throws ValueError, listing the names.
StackAxis stack_axis_from_string(std::string_view name);

/// Joins images [(z,) y, x] of one shape.
///
/// frame: result [image, z, y, x], in the order given; all lie in the same place.
/// slice: result [slice, y, x] of images with z = 1, by their position along the slice axis; in the order given where no
/// file says where it lies. Distances are equal to 1 %, and become the third edge of a voxel.
///
/// Type    that of all images if they have the same, else complex64 if one is complex, else float32
/// Throws  ValueError (no image; places that do not fit together), ShapeError, each naming the file
NamedArray stack_images(const Context& ctx, std::vector<NamedArray> images, const std::vector<std::string>& files,
                        StackAxis axis);

/// Joins the frames of scans with the same matrix and coils: each scan's repetitions (or slices) are counted on from
/// those before it. The noise scan and all facts are those of the first. Maps in the files are dropped, with a note.
/// Throws  ValueError, naming the file
Scan stack_scans(std::vector<Scan> scans, const std::vector<std::string>& files, StackAxis axis);

}  // namespace whorl
