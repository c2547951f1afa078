// Private names that cross from one of whorl's libraries to another.
#pragma once

#include "whorl/core/export.hpp"

/// Before a function, or after `class`: private, but called by another library of whorl, by its modules for GPUs or by its
/// program. test/install has the list of what is marked. What only tests call needs no mark: they link the objects.
#define WHORL_INTERNAL WHORL_PUBLIC
