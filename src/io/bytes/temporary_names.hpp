// Names of the temporary files that exist, where a handler of signals finds them.
#pragma once

#include <string>

namespace whorl::io {

/// Before the file is made, in a folder that stays open until the name is forgotten.
void note_temporary(int folder, const std::string& name);

/// After it got its final name or was removed.
void forget_temporary(int folder, const std::string& name);

}  // namespace whorl::io
