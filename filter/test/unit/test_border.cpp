// Where neighbors beyond the edge are read, against a walk over the row step by step.
#include <gtest/gtest.h>

#include "whorl/filter/border.hpp"

namespace whorl {
namespace {

// The position after |i| steps from pixel 0 to the left, or from pixel n - 1 to the right, turning round at the ends.
Index walk(Index i, Index n) {
  Index at = i < 0 ? 0 : n - 1;
  Index step = i < 0 ? 1 : -1;
  for (Index k = 0; k < (i < 0 ? -i : i - (n - 1)); ++k) {
    if (at + step < 0 || at + step >= n) step = -step;
    if (n > 1) at += step;
  }
  return at;
}

TEST(BorderIndex, GoesWhereItsDrawingSays) {
  for (const Index n : {1, 2, 3, 7}) {
    for (Index i = -40; i < 50; ++i) {
      if (i >= 0 && i < n) {
        for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
          EXPECT_EQ(border_index(border, i, n), i);
        }
        continue;
      }
      EXPECT_EQ(border_index(Border::reflect, i, n), walk(i, n)) << i << " of " << n;
      EXPECT_EQ(border_index(Border::replicate, i, n), i < 0 ? 0 : n - 1);
      EXPECT_EQ(border_index(Border::wrap, i, n), (i + 40 * n) % n);
      EXPECT_EQ(border_index(Border::constant, i, n), -1);
    }
  }
}

}  // namespace
}  // namespace whorl
