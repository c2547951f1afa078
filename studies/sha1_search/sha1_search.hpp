// Study: all strings of a length against a SHA-1 digest, and what Amdahl's law was taken to say of it.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

Study sha1_search_study();

}  // namespace whorl::studies
