#include <gtest/gtest.h>

#include <complex>

#include "whorl/calib/combine.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

TEST(Combine, RootSumOfSquares) {
  const Context ctx;
  Array<std::complex<float>> images = zeros<std::complex<float>>(ctx, {3, 1, 2});
  images.data()[0] = {3, 0};
  images.data()[2] = {0, -4};
  images.data()[4] = {12, 0};
  images.data()[5] = {1, 1};
  const Array<float> image = root_sum_of_squares<float>(ctx, images);
  ASSERT_EQ(image.shape(), (Shape{1, 2}));
  EXPECT_FLOAT_EQ(image.data()[0], 13);
  EXPECT_FLOAT_EQ(image.data()[1], std::sqrt(2.0F));
}

TEST(Combine, MatchedCombinationGivesTheObjectBack) {
  const Context ctx;
  Array<Complex> maps(ctx, {4, 3, 5, 2});
  Array<Complex> object(ctx, {3, 5, 2});
  fill_random_normal<double>(maps, 1);
  fill_random_normal<double>(object, 2);
  for (Index coil = 0; coil < 4; ++coil) maps.slice(coil).data()[7] = 0;  // outside of the support
  Array<Complex> images(ctx, maps.shape());
  for (Index i = 0; i < images.size(); ++i) images.data()[i] = maps.data()[i] * object.data()[i % 30];
  const Array<Complex> image = matched_combination<double>(ctx, images, maps);
  ASSERT_EQ(image.shape(), object.shape());
  for (Index i = 0; i < 30; ++i) {
    const Complex expected = i == 7 ? Complex(0) : object.data()[i];
    EXPECT_LT(std::abs(image.data()[i] - expected), 1e-14 * (1 + std::abs(expected)));  // sums of 4 products
  }
}

TEST(Combine, ShapesAreChecked) {
  const Context ctx;
  const Array<Complex> images = zeros<Complex>(ctx, {4, 3, 5});
  EXPECT_THROW(matched_combination<double>(ctx, images, zeros<Complex>(ctx, {4, 5, 3})), ShapeError);
  EXPECT_THROW(root_sum_of_squares<double>(ctx, zeros<Complex>(ctx, {4})), ShapeError);
  EXPECT_THROW(root_sum_of_squares<double>(ctx, zeros<Complex>(ctx, {0, 4})), ShapeError);
}

}  // namespace
}  // namespace whorl
