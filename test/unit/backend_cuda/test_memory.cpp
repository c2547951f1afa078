// Arrays on a GPU: copies, fills, the pool and its limit.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/laps.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

TEST(CudaArrays, GoThereAndBack) {
  const Context ctx = test::device_context();
  const auto here = test::random_array<float>(ctx.host(), {3, 1000}, 1);
  const Array<Complex> there = clone<const Complex>(ctx, here);
  EXPECT_EQ(there.device(), ctx.device());
  EXPECT_THROW(there.span(), DeviceError);
  EXPECT_EQ(test::relative_error(to_host<const Complex>(ctx, there), here), 0);
  const Array<Complex> copied = clone<const Complex>(ctx, there);
  EXPECT_EQ(test::relative_error(ctx, copied, here), 0);
}

TEST(CudaArrays, AreFilledWithAnyNumber) {
  const Context ctx = test::device_context();
  const auto check = [&]<class T>(T value) {
    Array<T> array(ctx, {1037});
    fill<T>(ctx, array, value);
    const Array<T> here = to_host<T>(ctx, array);
    for (const T& element : here.span()) ASSERT_EQ(element, value);
  };
  check(0.0F);
  check(1.5F);
  check(-2.25);
  check(Complex(1, -3));
  check(std::complex<double>(0.1, 7));
}

TEST(CudaArrays, AreUsedWhereTheyLie) {
  const Context ctx = test::device_context();
  const auto host = test::random_array<float>(ctx.host(), {50}, 2);
  const OnDevice<Complex> copy_there(ctx, host);
  EXPECT_EQ(copy_there.get().device(), ctx.device());
  const OnDevice<Complex> itself(ctx, copy_there.get());
  EXPECT_EQ(itself.get().data(), copy_there.get().data());
  Array<Complex> target(ctx.host(), {50});
  ForDevice<Complex> result(ctx, target.ref());
  copy<Complex>(ctx, copy_there.get(), result.get());
  result.deliver();
  EXPECT_EQ(test::relative_error(target, host), 0);
}

TEST(CudaPool, UsesBlocksAgainAndKeepsToItsLimit) {
  const Device device = test::device_context().device();
  const Context ctx = Context().on(device, std::size_t{8} << 20);
  void* first = nullptr;
  {
    const Array<float> array(ctx, {1 << 20});
    first = const_cast<float*>(array.data());
  }
  const Array<float> again(ctx, {1 << 20});
  EXPECT_EQ(again.data(), first);
  EXPECT_THROW(Array<float>(ctx, {1 << 20, 2}), Error);
  EXPECT_EQ(ctx.pool().statistics().peak, std::size_t{4} << 20);
  EXPECT_EQ(ctx.pool().limit(), std::size_t{8} << 20);
}

TEST(CudaPool, KeepsTheScratchOfRecordedWork) {
  const Context ctx = test::device_context();
  void* scratch = nullptr;
  const auto kept = ctx.pool().keep_scratch_of([&] { scratch = Array<float>(ctx, {5000}).data(); });
  EXPECT_NE(static_cast<void*>(Array<float>(ctx, {5000}).data()), scratch);
}

TEST(CudaPool, MoreThanTheDeviceHasIsRefusedWithOneLine) {
  const Context ctx = test::device_context();
  try {
    const Array<float> array(ctx, {Index{1} << 44});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory on cuda:0"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(Array<float>(ctx, {1000}));  // the failure is no error of the next call
}

TEST(CudaLaps, AreThoseOfTheDevice) {
  const Context ctx = test::device_context();
  Array<float> array(ctx, {1 << 20});
  Laps laps(ctx);
  laps.mark();
  for (int i = 0; i < 3; ++i) {
    fill<float>(ctx, array, 1);
    laps.mark();
  }
  const auto ms = laps.milliseconds();
  ASSERT_EQ(ms.size(), 3U);
  for (const double lap : ms) EXPECT_GT(lap, 0);
  EXPECT_TRUE(laps.milliseconds().empty());
}

}  // namespace
}  // namespace whorl
