// ImageKernel: the weights of a linear filter with a small window.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Weights w of a window of odd extents; entry (row, column) is values[row * width + column]. Filters correlate:
///
///   result(y, x) = sum_{i, j} w(i, j) image(y + i - (height - 1)/2, x + j - (width - 1)/2),
///
/// so that the text of a kernel has the orientation of the image.
struct ImageKernel {
  Index width = 1;
  Index height = 1;
  std::vector<double> values{1};
};

/// The longest side that a kernel may have.
inline constexpr Index longest_kernel_side = 255;

/// Throws ValueError for extents that are even, below 1 or above longest_kernel_side, for a number of values that is
/// not their product, and for values that are not finite or above 1e9 in magnitude.
void check_kernel(const ImageKernel& kernel);

/// Reads 'a,b,c;d,e,f;g,h,i': rows end with a ';' or a line, numbers with a ','; blanks do not matter. The weights are
/// taken as they are, not normalized. Throws ValueError, naming row and entry, for text that is not a number, rows of
/// different lengths, and kernels that check_kernel refuses.
ImageKernel parse_kernel(std::string_view text);

/// Reads the text of parse_kernel from a file. Throws IoError if the file cannot be read or is larger than any kernel,
/// ValueError as parse_kernel, naming the file.
ImageKernel read_kernel(const std::filesystem::path& path);

}  // namespace whorl
