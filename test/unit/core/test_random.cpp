#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "whorl/core/random.hpp"

namespace whorl {
namespace {

// Known answers of Philox4x32-10 from the file kat_vectors of Random123, the authors' own code.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, MomentsOfTheComplexNormal) {
  const Context ctx;
  constexpr Index count = 100000;
  Array<std::complex<double>> noise(ctx, {count});
  fill_random_normal<double>(noise, 5);
  std::complex<double> mean = 0;
  double power = 0;
  for (const auto& z : noise.span()) {
    mean += z / double(count);
    power += std::norm(z) / count;
  }
  // The standard error of each moment is 1/sqrt(count) = 0.0032; five of them.
  EXPECT_LT(std::abs(mean), 0.016);
  EXPECT_NEAR(power, 1, 0.016);
}

TEST(Random, ThreadsDrawTheSame) {
  const Context ctx;
  Array<std::complex<double>> alone(ctx, {100003});
  Array<std::complex<double>> together(ctx, {100003});
  fill_random_normal<double>(alone, 7);
  fill_random_normal<double>(Context({.threads = 3}), together, 7);
  for (Index i = 0; i < alone.size(); ++i) EXPECT_EQ(alone.data()[i], together.data()[i]) << i;
}

TEST(Random, QuarterTurnsAreEquallyLikely) {
  const Context ctx;
  constexpr Index count = 100000;
  Array<std::complex<float>> turns(ctx, {count});
  fill_random_turns<float>(ctx, turns, 3);
  std::array<Index, 4> counts{};
  for (const auto& z : turns.span()) {
    if (z == std::complex<float>(1, 0)) ++counts[0];
    if (z == std::complex<float>(0, 1)) ++counts[1];
    if (z == std::complex<float>(-1, 0)) ++counts[2];
    if (z == std::complex<float>(0, -1)) ++counts[3];
  }
  EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[3], count);
  // The standard error of a count is sqrt(count 3/16) = 137; five of them.
  for (const Index number : counts) EXPECT_NEAR(static_cast<double>(number), count / 4.0, 685);
}

TEST(Random, StreamsDiffer) {
  EXPECT_NE(random_normal(1, 0), random_normal(2, 0));
  EXPECT_NE(random_uniform(1, 0), random_uniform(1, 1));
  EXPECT_GT(random_uniform(1, 0), 0);
  EXPECT_LT(random_uniform(1, 0), 1);
  EXPECT_NE(stream_seed(1, 0), stream_seed(1, 1));
  EXPECT_NE(stream_seed(1, 0), stream_seed(2, 0));
}

}  // namespace
}  // namespace whorl
