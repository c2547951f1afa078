// The kernel that the book chapter on iterative reconstruction speeds up, step by step.
#pragma once

#include "studies/study.hpp"

namespace whorl::studies {

/// F^H d by every step of the chapter, and by those that came after it.
///
/// Source  Kirk and Hwu, "Programming massively parallel processors", chapter 7 of the 2008 edition, sections 7.3 and
///         7.4, figures 7.5 to 7.20
Study fhd_study();

}  // namespace whorl::studies
