#include "studies/sha1_search/steps.hpp"

namespace whorl::studies::sha1_search {

std::vector<SearchStep> gpu_steps() { return {}; }

}  // namespace whorl::studies::sha1_search
