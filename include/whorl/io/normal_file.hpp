// F^H F of the trajectories of a scanner's setup in a file: made once, used for every scan with them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl {

/// What tells trajectories apart: SHA-256 of the number of samples and of axes (64-bit integers) and of the positions
/// [sample, dim], rounded to float, all little endian. Trajectories whose positions differ by less than what a float
/// holds are one, as a file in single precision gives them back.
///
/// Shapes  points [sample, dim] on the host, in cycles per pixel
std::string trajectory_fingerprint(ArrayRef<const double> points);

/// The spectrum of F^H F of one trajectory (op/normal_spectrum.hpp).
struct SavedNormal {
  std::string trajectory;  ///< its fingerprint
  Index samples = 0;       ///< that it has
  std::string origin;      ///< how the spectrum was made, for people
  Array<float> spectrum;   ///< [(z,) y, x] of the grid, on the host
};

struct SavedNormals {
  Shape image;                       ///< [y, x] or [z, y, x] that they are for
  std::vector<SavedNormal> normals;  ///< of one or more trajectories, all on one grid
  std::string source{};              ///< the file they were read from, for messages
};

/// Writes a .npz archive: the spectra as spectrum_0, spectrum_1, ... (numpy.load gives them), the rest as the JSON text
/// normal.json. The file appears under its name only when it is complete.
/// Throws  ValueError (none), IoError, Cancelled
void write_normals(const Context& ctx, const std::filesystem::path& path, const SavedNormals& normals);

/// Sizes are checked against the file before memory is taken.
/// Throws  IoError (missing or damaged file, one that is not of write_normals; numbers that are not finite; sizes that
///         contradict each other), naming the file; Cancelled
SavedNormals read_normals(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
