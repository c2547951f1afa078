// Study: the heat equation on a line and in a plane, by explicit and implicit steps, against its analytic solution.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

Study heat_study();

}  // namespace whorl::studies
