#include "whorl/math/value_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

template <class Real>
Array<std::complex<Real>> range_values(const Context& ctx, std::initializer_list<std::complex<Real>> values) {
  Array<std::complex<Real>> array(ctx, {static_cast<Index>(values.size())});
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

TEST(ValueRange, LargestPartOfBothParts) {
  const Context ctx;
  EXPECT_EQ(largest_part<float>(ctx, range_values<float>(ctx, {{1, -5}, {3, 2}})), 5);
  EXPECT_EQ(largest_part<float>(ctx, range_values<float>(ctx, {})), 0);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(largest_part<float>(ctx, range_values<float>(ctx, {{1, nan}, {3, 2}}))));
  EXPECT_TRUE(std::isinf(largest_part<float>(ctx, range_values<float>(ctx, {{1, 2}, {-infinity, 2}}))));
}

TEST(ValueRange, OnlyValuesFarFromOneHaveAnExponent) {
  EXPECT_EQ(exponent_far_from_one<float>(0), 0);
  EXPECT_EQ(exponent_far_from_one<float>(std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(exponent_far_from_one<float>(0x1.8p30), 0);
  EXPECT_EQ(exponent_far_from_one<float>(0x1.8p31), 31);
  EXPECT_EQ(exponent_far_from_one<float>(0x1.8p-30), 0);
  EXPECT_EQ(exponent_far_from_one<float>(0x1.8p-31), -31);
  EXPECT_EQ(exponent_far_from_one<double>(0x1.8p100), 0);
  EXPECT_EQ(exponent_far_from_one<double>(0x1.8p-301), -301);
}

TEST(ValueRange, PowersOfTwoAreExactThereAndBack) {
  const Context ctx;
  const std::complex<float> value(1.2345678F, -0.8765432F);
  // 2^-126 is the least normal float, and 2^127 the largest power: both take two steps from the other end.
  for (const int exponent : {-125, -101, -100, 1, 100, 126}) {
    Array<std::complex<float>> x = range_values<float>(ctx, {value});
    multiply_by_power_of_two<float>(ctx, exponent, x);
    EXPECT_EQ(x.data()[0].real(), std::ldexp(value.real(), exponent)) << exponent;
    multiply_by_power_of_two<float>(ctx, -exponent, x);
    EXPECT_EQ(x.data()[0].real(), value.real()) << exponent;
  }
  Array<std::complex<float>> small = range_values<float>(ctx, {{0x1.23456p-126F, 0}});
  multiply_by_power_of_two<float>(ctx, 250, small);
  EXPECT_EQ(small.data()[0].real(), 0x1.23456p124F);
}

TEST(ValueRange, WhatDoesNotFitIsNamed) {
  EXPECT_NO_THROW(check_range<float>("x", 0, 1000));
  EXPECT_NO_THROW(check_range<float>("x", 1.5, 127));
  EXPECT_NO_THROW(check_range<double>("x", 1.5, 1000));
  EXPECT_THROW(check_range<float>("x", 1, -127), ValueError);
  EXPECT_THROW(check_range<double>("x", 1, 1024), ValueError);
  EXPECT_THROW(check_range<double>("x", std::numeric_limits<double>::infinity(), 0), ValueError);
  try {
    check_range<float>("the image", 1, 400);  // 2.58e120
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("the image has values up to 2.6e+120"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace whorl
