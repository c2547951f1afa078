// Blocks that a CPU applies side by side, one in each thread.
#include "whorl/op/block_diagonal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// The identity, which tells with which context it is applied.
class Witness final : public LinearOperator<double> {
 public:
  using Work = std::function<void(const Context&)>;

  Witness(Index elements, Work work)
      : LinearOperator<double>({elements}, {elements}, "Witness"), work_(std::move(work)) {}

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    work_(ctx);
    copy<Complex>(ctx, x, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    do_forward(ctx, y, x);
  }

  Work work_;
};

// Blocks that tell the number of threads that each was applied with.
std::vector<int> threads_of_blocks(const Context& ctx, std::size_t count, Index elements = 8) {
  std::vector<int> threads(count);
  std::vector<Operator<double>> blocks;
  for (int& own : threads) {
    blocks.emplace_back(Witness(elements, [&own](const Context& beside) {
      own = beside.progress() == nullptr ? beside.threads() : -beside.threads();
    }));
  }
  const BlockDiagonal<double> all(blocks);
  Array<Complex> y(ctx, all.range());
  all.forward(ctx, zeros<Complex>(ctx, all.domain()), y);
  return threads;
}

TEST(BlockDiagonal, GivesEachThreadAsManyBlocksAndSharesTheRest) {
  const Context ctx({.threads = 3});
  EXPECT_EQ(threads_of_blocks(ctx, 2), (std::vector<int>{3, 3}));
  EXPECT_EQ(threads_of_blocks(ctx, 3), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(threads_of_blocks(ctx, 8), (std::vector<int>{1, 1, 1, 1, 1, 1, 3, 3}));
  EXPECT_EQ(BlockDiagonal<double>::at_once(ctx, 2, 8), 1);
  EXPECT_EQ(BlockDiagonal<double>::at_once(ctx, 8, 8), 3);
}

TEST(BlockDiagonal, SharesEachLargeBlock) {
  const Context ctx({.threads = 2});
  constexpr Index large = Index{513} * 512;
  EXPECT_EQ(threads_of_blocks(ctx, 2, large), (std::vector<int>{2, 2}));
  EXPECT_EQ(BlockDiagonal<double>::at_once(ctx, 2, large), 1);
}

class Sink : public ProgressSink {
 public:
  void begin(std::string_view, Index) override {}
  void update(Index, std::string_view) override {}
  void end() override {}
};

TEST(BlockDiagonal, KeepsTheProgressSinkOutOfOtherThreads) {
  const Context ctx = Context({.threads = 2}).with(std::make_shared<Sink>());
  EXPECT_EQ(threads_of_blocks(ctx, 3), (std::vector<int>{1, 1, -2}));  // the last is applied by the caller's thread
}

bool same_bits(const Array<Complex>& a, const Array<Complex>& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Complex)) == 0;
}

// Transforms of 5 trajectories, with the gridding of both directions and the convolution in turns.
TEST(BlockDiagonal, HasTheBitsOfEachBlockAloneForAnyNumberOfThreads) {
  const Context one({.threads = 1});
  const Shape image{14, 22};
  constexpr Index coils = 3;
  std::vector<Operator<double>> blocks;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Nufft<double> nufft(one, test::random_points(one, 700, 2, i), image, coils,
                              {.normal = i % 2 == 0 ? NormalMethod::toeplitz : NormalMethod::pair});
    blocks.emplace_back(SenseNufft<double>(nufft, test::random_array<double>(one, image.with_front(coils), 20 + i)));
  }
  const BlockDiagonal<double> all(blocks);
  const Array<Complex> x = test::random_array<double>(one, all.domain(), 30);
  const Array<Complex> y = test::random_array<double>(one, all.range(), 31);
  Array<Complex> forward(one, all.range());
  Array<Complex> adjoint(one, all.domain());
  Array<Complex> normal(one, all.domain());
  for (Index i = 0; i < 5; ++i) {
    const Operator<double>& block = blocks[static_cast<std::size_t>(i)];
    block.forward(one, x.slice(i), forward.slice(i));
    block.adjoint(one, y.slice(i), adjoint.slice(i));
    block.normal(one, x.slice(i), normal.slice(i));
  }
  for (const int threads : {1, 2, 3, 5, 7}) {
    SCOPED_TRACE(threads);
    const Context ctx({.threads = threads});
    Array<Complex> found_y(ctx, all.range());
    Array<Complex> found_x(ctx, all.domain());
    all.forward(ctx, x, found_y);
    EXPECT_TRUE(same_bits(found_y, forward));
    all.adjoint(ctx, y, found_x);
    EXPECT_TRUE(same_bits(found_x, adjoint));
    all.normal(ctx, x, found_x);
    EXPECT_TRUE(same_bits(found_x, normal));
  }
}

TEST(BlockDiagonal, ThrowsWhatTheFirstFailingBlockThrew) {
  const Context ctx({.threads = 2});
  std::vector<Operator<double>> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.emplace_back(Witness(8, [i](const Context&) {
      if (i == 1 || i == 2) throw ValueError("block " + std::to_string(i));
    }));
  }
  const BlockDiagonal<double> all(blocks);
  Array<Complex> y(ctx, all.range());
  try {
    all.forward(ctx, zeros<Complex>(ctx, all.domain()), y);
    FAIL() << "no error";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "block 1");
  }
}

TEST(BlockDiagonal, StopsOnRequest) {
  const Context ctx({.threads = 2});
  const Operator<double> block = Witness(8, [](const Context& beside) { beside.request_cancel(); });
  const BlockDiagonal<double> all(block, 4);
  Array<Complex> y(ctx, all.range());
  EXPECT_THROW(all.forward(ctx, zeros<Complex>(ctx, all.domain()), y), Cancelled);
}

}  // namespace
}  // namespace whorl
