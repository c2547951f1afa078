#include "studies/commit.hpp"

#include "whorl-studies-commit.hpp"  // made by cmake/WhorlCommit.cmake in every build

namespace whorl::studies {

std::string commit() { return built_commit; }

}  // namespace whorl::studies
