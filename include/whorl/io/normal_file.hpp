// Saved normal operators (op/saved_normals.hpp) in a file.
#pragma once

#include <filesystem>

#include "whorl/op/saved_normals.hpp"

namespace whorl {

/// Writes a .npz archive: the spectra as spectrum_0, spectrum_1, ... (numpy.load gives them), the rest as the JSON text
/// normal.json. The file appears under its name only when it is complete.
/// Throws  ValueError (none), IoError, Cancelled
void write_normals(const Context& ctx, const std::filesystem::path& path, const SavedNormals& normals);

/// Sizes are checked against the file before memory is taken.
/// Throws  IoError (missing or damaged file, one that is not of write_normals; numbers that are not finite; sizes that
///         contradict each other), naming the file; Cancelled
SavedNormals read_normals(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
