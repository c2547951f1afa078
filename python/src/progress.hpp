// The progress of the library's work, told to Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "whorl/core/progress.hpp"

namespace whorl::python {

/// A sink for `target`: None (no sink), True (bars of tqdm), an object with begin(stage, total), update(done, detail) and
/// end(), or a function f(stage, done, total, detail). Throws TypeError for anything else.
std::shared_ptr<ProgressSink> progress_to(nanobind::handle target);

}  // namespace whorl::python
