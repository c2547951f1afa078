// The shifts of functions with versions.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "prox/shift_sequence.hpp"

namespace whorl {
namespace {

// By counting. With s axes any 4^s passes from a multiple of that have each shift modulo 4 once (grids), and each quarter of
// a patch along each axis once; among 2^s of them each parity, and each half of a patch. So it is for any seed.
TEST(ShiftSequence, IsSpreadEvenly) {
  for (const std::uint64_t seed : {1, 7}) {
    for (const std::array<Index, 3>& extent : {std::array<Index, 3>{1, 1, 70}, {1, 48, 96}, {16, 24, 32}}) {
      Index axes = 0;
      for (const Index n : extent) axes += n > 1 ? 1 : 0;
      for (const Index digits : {1, 2}) {
        const Index count = Index{1} << (digits * axes);
        const Index parts = Index{1} << digits;
        std::array<Index, 3> patch{};
        for (std::size_t axis = 0; axis < 3; ++axis) patch.at(axis) = extent.at(axis) > 1 ? 8 : 1;
        for (const Index start : {count, 5 * count}) {
          std::set<std::array<Index, 3>> grids;
          std::set<std::array<Index, 3>> patches;
          for (Index pass = start; pass < start + count; ++pass) {
            auto of_grid = grid_shift(seed, pass, extent);
            auto of_patch = patch_shift(seed, pass, patch);
            for (std::size_t axis = 0; axis < 3; ++axis) {
              EXPECT_LT(of_grid.at(axis), extent.at(axis));
              EXPECT_LT(of_patch.at(axis), patch.at(axis));
              of_grid.at(axis) %= parts;
              of_patch.at(axis) = of_patch.at(axis) * parts / patch.at(axis);
            }
            grids.insert(of_grid);
            patches.insert(of_patch);
          }
          EXPECT_EQ(static_cast<Index>(grids.size()), count) << axes << " axes from pass " << start;
          EXPECT_EQ(static_cast<Index>(patches.size()), count) << axes << " axes from pass " << start;
        }
      }
    }
  }
}

}  // namespace
}  // namespace whorl
