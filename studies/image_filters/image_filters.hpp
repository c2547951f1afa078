// The filters that students sped up on a GPU, in all versions.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// Each filter of the report by its first version, by every one that the report tells of, by what it did not try, and
/// by the library.
///
/// Source  Team Eh (Snively, Hoover, Czunyi), project report of the course GPU610/DPS915, Seneca College
Study image_filters_study();

}  // namespace whorl::studies
