// The commit of the sources that a build is of, for the record of its results.
#pragma once

#include <string>

namespace whorl::studies {

/// "1f2e3d4c5b6a", with "-dirty" where a file differed from it; empty where neither git,
/// nor an archive of the sources, nor WHORL_COMMIT tells it.
std::string commit();

}  // namespace whorl::studies
