// Every SIMD target that this build holds and this processor runs, one after another.
#pragma once

#include <gtest/gtest.h>

// As the library is built.
#include "backend/cpu/simd_targets.hpp"
// after what it is built for
#include <hwy/highway.h>

namespace whorl::test {

/// Calls test() with the dispatch of Highway forced to one target after another; a failure names the target.
template <class Test>
void for_each_simd_target(const Test& test) {
  const auto targets = hwy::SupportedAndGeneratedTargets();
  ASSERT_FALSE(targets.empty());
  for (const auto target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace whorl::test
