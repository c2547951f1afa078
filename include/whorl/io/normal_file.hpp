// Saved normal operators (op/saved_normals.hpp) in a file.
#pragma once

#include <filesystem>

#include "whorl/op/saved_normals.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes a .npz archive: the spectra as spectrum_0, spectrum_1, ... (for numpy.load), the rest as the JSON text
/// normal.json. The file appears under its name only when it is complete.
/// Throws  ValueError (no spectrum), IoError, Cancelled
void write_normals(const Context& ctx, const std::filesystem::path& path, const SavedNormals& normals);

/// Reads such a file. Sizes are checked against the file before memory is allocated.
/// Throws  IoError, naming the file (missing or damaged, not from write_normals, values that are not finite, sizes that
///         contradict each other), Cancelled
SavedNormals read_normals(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl
