// The commit of the sources that a build is of, for the record of its results.
#pragma once

#include <string>

namespace whorl::studies {

/// "1f2e3d4c5b6a", with "-dirty" where a file differed from it; empty where git does not tell and WHORL_COMMIT is not set.
std::string commit();

}  // namespace whorl::studies
