// Contexts in streams of the caller.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

Context context_in(void* stream) { return Context({.device = test::device_context().device(), .stream = stream}); }

Array<Complex> solution(const Context& ctx) {
  const Operator<float> A =
      Nufft<float>(ctx, test::random_points(ctx, 3000, 2), {40, 32}, 2, {.normal = NormalMethod::toeplitz});
  const Array<Complex> b = test::random_array<float>(ctx, A.domain(), 4);
  Array<Complex> x = zeros<Complex>(ctx, A.domain());
  conjugate_gradient(ctx, A.normal(), b, x, {.iterations = 6, .tolerance = 0});
  return to_host(ctx, x);
}

TEST(Streams, AContextHandsOutItsStream) {
  const Context ctx = test::device_context();
  EXPECT_NE(ctx.stream(), nullptr);
  EXPECT_EQ(Context(ctx).stream(), ctx.stream());
  EXPECT_NE(test::device_context().stream(), ctx.stream());
  EXPECT_THROW(ctx.host().stream(), Unsupported);
  EXPECT_EQ(context_in(ctx.stream()).stream(), ctx.stream());
}

// No wait in between: what the first context asked for is done before the work of the second.
TEST(Streams, WorkOfTwoContextsInOneStreamIsInOrder) {
  const Context first = test::device_context();
  const Context second = context_in(first.stream());
  Array<float> array(first, {Index{1} << 24});
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    fill(first, array, value);
    const Array<float> seen = clone(second, array);
    fill(second, array, 0);
    const Array<float> host = to_host(second, seen);
    EXPECT_EQ(host.span().front(), value);
    EXPECT_EQ(host.span().back(), value);
  }
}

// Pieces of work beside each other: blocks with trajectories of their own, whose transforms take scratch from the pool.
std::vector<Operator<float>> small_blocks(const Context& ctx, NormalMethod normal) {
  std::vector<Operator<float>> blocks;
  for (unsigned seed = 0; seed < 7; ++seed) {
    blocks.push_back(std::make_shared<const Nufft<float>>(ctx, test::random_points(ctx, 2000, 2, seed), Shape{40, 32},
                                                          3, NufftOptions{.normal = normal}));
  }
  return blocks;
}

TEST(Streams, BlocksBesideEachOtherGiveTheBitsOfBlocksInTurn) {
  const Context ctx = test::device_context();
  for (const NormalMethod normal : {NormalMethod::toeplitz, NormalMethod::pair}) {
    const auto blocks = small_blocks(ctx, normal);
    const BlockDiagonal<float> all(blocks);
    const Array<Complex> x = test::random_array<float>(ctx, all.domain(), 5);
    Array<Complex> y(ctx, all.range());
    Array<Complex> back(ctx, all.domain());
    Array<Complex> z(ctx, all.domain());
    for (int repeat = 0; repeat < 20; ++repeat) {
      // Earlier and later work of the context touches the same arrays.
      fill<Complex>(ctx, z, 7);
      all.normal(ctx, x, z);
      all.forward(ctx, x, y);
      all.adjoint(ctx, y, back);
      for (Index i = 0; i < std::ssize(blocks); ++i) {
        const auto& block = blocks[static_cast<std::size_t>(i)];
        Array<Complex> alone(ctx, block->domain());
        block->normal(ctx, x.slice(i), alone);
        EXPECT_EQ(test::relative_error(to_host<Complex>(ctx, z.slice(i)), to_host(ctx, alone)), 0) << i;
        Array<Complex> samples(ctx, block->range());
        block->forward(ctx, x.slice(i), samples);
        block->adjoint(ctx, samples, alone);
        EXPECT_EQ(test::relative_error(to_host<Complex>(ctx, back.slice(i)), to_host(ctx, alone)), 0) << i;
      }
    }
  }
}

TEST(Streams, RecordedBlocksBesideEachOtherSolveAsEachAlone) {
  const Context ctx = test::device_context();
  const auto blocks = small_blocks(ctx, NormalMethod::toeplitz);
  const Operator<float> all = std::make_shared<const BlockDiagonal<float>>(blocks);
  const Array<Complex> b = test::random_array<float>(ctx, all->domain(), 6);
  const ConjugateGradientOptions options{.iterations = 8, .tolerance = 0};
  Array<Complex> x = zeros<Complex>(ctx, all->domain());
  conjugate_gradients<float>(ctx, NormalFunction<float>(all.normal()), b, x, options);
  for (Index i = 0; i < std::ssize(blocks); ++i) {
    Array<Complex> alone = zeros<Complex>(ctx, blocks.front()->domain());
    conjugate_gradient(ctx, blocks[static_cast<std::size_t>(i)].normal(), b.slice(i), alone, options);
    // Steps are the same, with sums of scalar products in another order: rounding grows by the condition of 8 steps.
    EXPECT_LT(test::relative_error(to_host<Complex>(ctx, x.slice(i)), to_host(ctx, alone)), 1e-4) << i;
  }
}

// CUDA does not record work of its default stream (0, or its name 1).
TEST(Streams, TheDefaultStreamGivesTheSameBits) {
  const Array<Complex> expected = solution(test::device_context());
  for (const std::uintptr_t stream : {0, 1}) {
    EXPECT_EQ(test::relative_error(solution(context_in(reinterpret_cast<void*>(stream))), expected), 0) << stream;
  }
  const Context owner = test::device_context();
  EXPECT_EQ(test::relative_error(solution(context_in(owner.stream())), expected), 0);
}

TEST(Streams, TheStreamOfEachThreadIsRefused) {
  constexpr std::uintptr_t of_each_thread = 2;
  EXPECT_THROW(context_in(reinterpret_cast<void*>(of_each_thread)), ValueError);
}

// The memory of a caller, as another library has it.
TEST(Streams, MemoryOfTheCallerIsReadAndWritten) {
  const Context caller = test::device_context();
  Array<Complex> memory = test::random_array<float>(caller, {2, 24, 20}, 3);
  const Context ctx = context_in(caller.stream());
  int released = 0;
  {
    const Array<Complex> image = Array<Complex>::adopt(
        memory.data(), [&](Complex*) { ++released; }, {2, 24, 20}, ctx.device());
    const Nufft<float> nufft(ctx, test::random_points(ctx, 900, 2), {24, 20}, 2);
    Array<Complex> samples(caller, nufft.range());
    nufft.forward(ctx, image, ArrayRef<Complex>(samples.data(), samples.shape(), ctx.device()));
    const Context host;
    const Nufft<float> reference(host, test::random_points(host, 900, 2), {24, 20}, 2,
                                 {.oversampling = nufft.window().oversampling()});
    Array<Complex> expected(host, reference.range());
    reference.forward(host, to_host(caller, memory), expected);
    // Both are within the tolerance of 1e-4 of the exact transform.
    EXPECT_LT(test::relative_error(to_host(caller, samples), expected), 2e-4);
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace whorl
