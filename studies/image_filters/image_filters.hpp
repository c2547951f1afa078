// The filters that students sped up on a GPU, in all versions.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Each filter of the report in its first version, every version of the report, further versions, and the library's.
///
/// Source  Team Eh (Snively, Hoover, Czunyi), project report of the course GPU610/DPS915, Seneca College
Study image_filters_study();

}  // namespace whorl::studies
