// b values and directions of diffusion in text files.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace whorl::cli {

/// The numbers of a text file, line by line, with blanks or commas between them. Throws IoError (not read, more than 1 MB), ValueError
/// (a word that is no number).
std::vector<std::vector<double>> read_number_lines(const std::string& path);

/// b values in one line or one for each line.
std::vector<double> read_b_values(const std::string& path);

/// Directions: three lines x, y, z with a number for each image (FSL), or a line x y z for each image. Throws also ShapeError.
std::vector<std::array<double, 3>> read_directions(const std::string& path);

}  // namespace whorl::cli
