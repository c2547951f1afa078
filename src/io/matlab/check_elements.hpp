// Whether a MATLAB file of version 5 is what its lengths say.
#pragma once

#include <filesystem>

namespace whorl::io {

/// Follows the elements of the file, variables inside cells and structures included. matio takes memory for what a
/// header claims, goes into cells as deep as they lie, and fills missing data of a truncated file with zeros.
///
/// Source  MathWorks, MAT-File Format (level 5), chapter 1
/// Throws  IoError (lengths that leave the file or the element around them; more elements than the bytes can hold; more
///         variables, elements or levels than a file of measured data has)
void check_matlab5(const std::filesystem::path& path);

}  // namespace whorl::io
