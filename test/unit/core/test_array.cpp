#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <type_traits>

#include "whorl/core/array.hpp"

namespace whorl {
namespace {

static_assert(!std::is_copy_constructible_v<Array<float>>, "arrays are copied only by clone()");
static_assert(std::is_trivially_copyable_v<View<float, 3>>, "views go into kernels by value");

TEST(Array, IsAlignedAndInCOrder) {
  const Context ctx;
  Array<int> array(ctx, {2, 3, 5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % memory_alignment, 0U);
  std::iota(array.span().begin(), array.span().end(), 0);
  const auto view = array.view<3>();
  EXPECT_EQ(view(1, 2, 4), 1 * 15 + 2 * 5 + 4);
  EXPECT_EQ(view.stride(0), 15);
  EXPECT_EQ(view.size(), 30);
  EXPECT_EQ(array.slice(1).slice(2).span()[4], 29);
}

TEST(Array, MovingLeavesAnEmptyArray) {
  const Context ctx;
  Array<float> from = zeros<float>(ctx, {4, 3});
  const float* memory = from.data();
  const Array<float> to = std::move(from);
  EXPECT_EQ(to.data(), memory);
  EXPECT_EQ(from.size(), 0);  // NOLINT(bugprone-use-after-move): the moved-from state is what is tested
}

TEST(Array, CloneIsIndependent) {
  const Context ctx;
  Array<float> first = zeros<float>(ctx, {4});
  Array<float> second = clone(ctx, first.ref());
  second.span()[0] = 1;
  EXPECT_EQ(first.span()[0], 0);
}

TEST(Array, ShapeErrors) {
  const Context ctx;
  Array<float> array(ctx, {4, 3});
  EXPECT_THROW(array.slice(4), ShapeError);
  EXPECT_THROW(array.slice(-1), ShapeError);
  EXPECT_THROW(array.view<3>(), ShapeError);
  EXPECT_THROW(array.reshape({5}), ShapeError);
  EXPECT_THROW(array.ref().reshape({13}), ShapeError);
  Array<float> other(ctx, {3, 4});
  EXPECT_THROW(copy<float>(array, other), ShapeError);
  array.reshape({3, 4});
  EXPECT_NO_THROW(copy<float>(array, other));
}

TEST(Array, MemoryOfAnotherDeviceIsNotRead) {
  float value = 0;
  const ArrayRef<float> elsewhere(&value, {1}, Device{DeviceKind::cuda, 0});
  EXPECT_THROW(elsewhere.span(), DeviceError);
}

}  // namespace
}  // namespace whorl
