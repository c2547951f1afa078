// The version of whorl and how this build was made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// "0.1.0": the version in the project's CMakeLists.txt.
std::string version();

/// Name and value, for people: compiler, build type, backends, optional parts.
std::vector<std::pair<std::string, std::string>> build_facts();

}  // namespace whorl
