// Whose memory an array is in, and what must not compile: references to arrays that are gone.
#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <utility>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

// T is Array<float>& for an array with a name, Array<float> for a temporary one.
template <class T>
concept HasReferences = requires(T&& array) {
  std::forward<T>(array).ref();
}
|| requires(T&& array) { std::forward<T>(array).span(); }
|| requires(T&& array) { std::forward<T>(array).slice(0); }
|| requires(T&& array) { std::forward<T>(array).range(0, 1); }
|| requires(T&& array) { std::forward<T>(array).template view<1>(); };
static_assert(HasReferences<Array<float>&>);
static_assert(HasReferences<const Array<float>&>);
static_assert(!HasReferences<Array<float>>, "a reference to a temporary array would outlive it");
static_assert(!HasReferences<const Array<float>>, "a reference to a temporary array would outlive it");

static_assert(std::is_convertible_v<Array<float>&, ArrayRef<float>>);
static_assert(std::is_convertible_v<Array<float>&, ArrayRef<const float>>);
static_assert(std::is_convertible_v<const Array<float>&, ArrayRef<const float>>);
static_assert(std::is_convertible_v<ArrayRef<float>, ArrayRef<const float>>);
static_assert(std::is_convertible_v<Array<float>, ArrayRef<const float>>, "temporary arrays are arguments");
static_assert(!std::is_convertible_v<Array<float>, ArrayRef<float>>, "what is written would be lost");
static_assert(!std::is_convertible_v<const Array<float>&, ArrayRef<float>>);
static_assert(!std::is_convertible_v<ArrayRef<const float>, ArrayRef<float>>);
static_assert(!std::is_convertible_v<ArrayRef<float>, Array<float>>, "an array owns its memory: adopt() or refer_to()");

template <class T>
concept Fills = requires(const Context& ctx, T&& array) {
  fill(std::forward<T>(array), 1);
  fill(ctx, std::forward<T>(array), 1);
};
static_assert(Fills<Array<float>&> && Fills<ArrayRef<float>>);
static_assert(!Fills<const Array<float>&> && !Fills<ArrayRef<const float>> && !Fills<Array<float>>);

TEST(ArrayCalls, DeduceFromArraysAndReferences) {
  const Context ctx;
  Array<int> array(ctx, {2, 3});
  fill(array, 7);
  const Array<int>& constant = array;
  const ArrayRef<int> writable = array;
  const ArrayRef<const int> readable = constant;
  Array<int> copies[] = {clone(ctx, array), clone(ctx, constant), clone(ctx, writable), clone(ctx, readable),
                         to_host(ctx, array)};
  for (Array<int>& one : copies) {
    EXPECT_EQ(one.span()[5], 7);
    fill(ctx, one, 0);
    copy(constant, one);
    copy(ctx, writable, one.ref());
    EXPECT_EQ(one.span()[5], 7);
  }
  EXPECT_EQ(OnDevice(ctx, array).get().data(), array.data());
}

TEST(ArrayCalls, CopiesBetweenOverlappingArraysAreRefused) {
  const Context ctx;
  Array<int> array(ctx, {4, 3});
  std::iota(array.span().begin(), array.span().end(), 0);
  EXPECT_THROW(copy(array.range(0, 3), array.range(1, 4)), ValueError);
  EXPECT_THROW(copy(ctx, array.range(1, 4), array.range(0, 3)), ValueError);
  EXPECT_NO_THROW(copy(array, array));
  EXPECT_NO_THROW(copy(ctx, array, array));
  EXPECT_NO_THROW(copy(array.range(0, 2), array.range(2, 4)));
  EXPECT_EQ(array.span()[11], 5);
}

TEST(ArrayRef, IsEmptyByDefault) {
  EXPECT_EQ(ArrayRef<float>().shape(), Shape{0});
  EXPECT_EQ(ArrayRef<const float>().shape(), Shape{0});
  EXPECT_NO_THROW(fill(ArrayRef<float>{}, 1));
  EXPECT_NO_THROW(fill(Context(), ArrayRef<float>{}, 1));
  EXPECT_TRUE(ArrayRef<float>{}.span().empty());
}

TEST(ArrayRef, ElementsNeedMemory) {
  EXPECT_THROW(ArrayRef<float>(nullptr, {3}), ValueError);
  EXPECT_THROW(ArrayRef<const float>(nullptr, {}), ValueError);  // rank 0: one element
  EXPECT_NO_THROW(ArrayRef<float>(nullptr, {3, 0}));
}

TEST(ArrayRef, APassedArrayKeepsItsShape) {
  Array<float> array = zeros<float>(Context(), {2, 3});
  const auto take = [](ArrayRef<const float> reference) { return reference.size(); };
  EXPECT_EQ(take(std::move(array)), 6);
  EXPECT_EQ(array.shape(), (Shape{2, 3}));  // NOLINT(bugprone-use-after-move): a reference does not take it
}

TEST(ArrayRef, RangesAlongTheFirstAxis) {
  Array<int> array(Context(), {4, 3});
  std::iota(array.span().begin(), array.span().end(), 0);
  const ArrayRef<int> middle = array.range(1, 3);
  EXPECT_EQ(middle.shape(), (Shape{2, 3}));
  EXPECT_EQ(middle.span().front(), 3);
  EXPECT_EQ(middle.span().back(), 8);
  EXPECT_EQ(std::as_const(array).range(4, 4).shape(), (Shape{0, 3}));
  EXPECT_EQ(middle.range(1, 2).span()[0], 6);
  EXPECT_THROW(array.range(-1, 2), ShapeError);
  EXPECT_THROW(array.range(2, 1), ShapeError);
  EXPECT_THROW(array.range(2, 5), ShapeError);
  EXPECT_THROW(ArrayRef<int>(array.data(), {}).range(0, 1), ShapeError);
}

TEST(Array, AdoptsMemoryAndReleasesItWithTheLastOwner) {
  int released = 0;
  std::vector<float> memory(7, 2.0F);
  float* odd = memory.data() + 1;  // no alignment but that of float
  {
    Array<float> array =
        Array<float>::adopt(odd, [&](const float* which) { released += which == odd ? 1 : 100; }, {2, 3});
    Array<float> other = array.share();
    array = Array<float>();
    EXPECT_EQ(released, 0);
    fill(other, 5);
    const Array<float> moved = std::move(other);
    EXPECT_EQ(moved.shape(), (Shape{2, 3}));
    EXPECT_EQ(memory[6], 5);
    EXPECT_EQ(memory[0], 2);
  }
  EXPECT_EQ(released, 1);
  const auto shared = std::make_shared<double>(4);
  EXPECT_EQ(Array<double>::adopt(shared, {}).size(), 1);
  EXPECT_THROW(Array<double>::adopt(nullptr, {3}), ValueError);
}

TEST(Array, RefersToMemoryOfTheCaller) {
  std::vector<std::complex<float>> memory(6);
  {
    Array<std::complex<float>> array = Array<std::complex<float>>::refer_to({memory.data(), {2, 3}});
    array.span()[4] = 3;
  }
  EXPECT_EQ(memory[4], 3.0F);
}

TEST(Array, OverlapIsSharedMemory) {
  Array<float> array = zeros<float>(Context(), {4, 3});
  const Array<float> other = zeros<float>(Context(), {4, 3});
  EXPECT_TRUE(overlap(array, array));
  EXPECT_TRUE(overlap(array.range(0, 3), array.range(2, 4)));
  EXPECT_FALSE(overlap(array.range(0, 2), array.range(2, 4)));
  EXPECT_FALSE(overlap(array, other));
  EXPECT_FALSE(overlap(array, ArrayRef<const float>()));
}

}  // namespace
}  // namespace whorl
