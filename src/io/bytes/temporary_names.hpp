// Names of the temporary files that exist, where a handler of signals finds them.
#pragma once

#include <filesystem>

namespace whorl::io {

/// Before the file is made.
void note_temporary(const std::filesystem::path& path);

/// After it got its final name or was removed.
void forget_temporary(const std::filesystem::path& path);

}  // namespace whorl::io
