#include "whorl/measure/error_measures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/file_content.hpp"

namespace whorl {
namespace {

using test::error_of;

template <class T>
Array<T> array_of(const Context& ctx, const Shape& shape, std::initializer_list<T> values) {
  Array<T> array(ctx, shape);
  std::copy(values.begin(), values.end(), array.span().begin());
  return array;
}

TEST(ErrorMeasures, ByHand) {
  const Context ctx;
  const auto truth = array_of<double>(ctx, {2, 3}, {3, 0, -4, 1, 2, 5});
  const auto image = array_of<double>(ctx, {2, 3}, {4, 0, -4, 1, 0, 7});
  // Differences 1, 0, 0, 0, -2, 2: sum of squares 9 over 6 pixels; the truth's is 9 + 16 + 1 + 4 + 25 = 55; peak 5.
  const ErrorMeasures measures = error_measures<double>(ctx, image, truth);
  EXPECT_DOUBLE_EQ(measures.mse, 1.5);
  EXPECT_DOUBLE_EQ(measures.psnr_db, 10 * std::log10(25 / 1.5));
  EXPECT_DOUBLE_EQ(measures.snr_db, 10 * std::log10(55.0 / 9));
  EXPECT_DOUBLE_EQ(measures.percent_error, 100 * std::sqrt(9.0 / 55));
  EXPECT_DOUBLE_EQ(error_measures<double>(ctx, image, truth, all_pixels(), 10).psnr_db, 10 * std::log10(100 / 1.5));
}

TEST(ErrorMeasures, TheDifferenceOfComplexImagesIsComplex) {
  const Context ctx;
  using Complex = std::complex<float>;
  const auto truth = array_of<Complex>(ctx, {2}, {{3, 4}, {0, 1}});
  const auto image = array_of<Complex>(ctx, {2}, {{3, 4}, {1, 0}});  // equal magnitudes; |1 - i|^2 = 2
  const ErrorMeasures measures = error_measures<Complex>(ctx, image, truth);
  EXPECT_DOUBLE_EQ(measures.mse, 1);
  EXPECT_DOUBLE_EQ(measures.psnr_db, 10 * std::log10(25.0));
  EXPECT_DOUBLE_EQ(measures.percent_error, 100 * std::sqrt(2.0 / 26));
}

TEST(ErrorMeasures, AMaskLeavesPixelsOutAndMayHoldForEveryImage) {
  const Context ctx;
  const auto truth = array_of<float>(ctx, {2, 3}, {1, 2, 9, 3, 4, 8});
  const auto image = array_of<float>(ctx, {2, 3}, {2, 2, 0, 3, 4, 0});
  const auto columns = array_of<bool>(ctx, {3}, {true, true, false});
  const ErrorMeasures measures = error_measures<float>(ctx, image, truth, columns.ref());
  EXPECT_DOUBLE_EQ(measures.mse, 0.25);
  EXPECT_DOUBLE_EQ(measures.psnr_db, 10 * std::log10(16 / 0.25));
  EXPECT_DOUBLE_EQ(measures.snr_db, 10 * std::log10(30.0));
  const auto one = array_of<bool>(ctx, {2, 3}, {true, false, false, false, false, false});
  EXPECT_DOUBLE_EQ(error_measures<float>(ctx, image, truth, one.ref()).mse, 1);
}

TEST(ErrorMeasures, EqualImagesHaveNoError) {
  const Context ctx;
  const auto image = test::random_array<float>(ctx, {3, 5}, 1);
  const auto measures = error_measures<std::complex<float>>(ctx, image, image);
  EXPECT_EQ(measures.mse, 0);
  EXPECT_EQ(measures.percent_error, 0);
  EXPECT_EQ(measures.psnr_db, std::numeric_limits<double>::infinity());
  EXPECT_EQ(measures.snr_db, std::numeric_limits<double>::infinity());
}

TEST(ErrorMeasures, SumsAreInDouble) {
  const Context ctx;
  // 1e6 pixels of 1 + 1e-3 against 1: in float the sum of the truth's squares would still be exact, that of the squared
  // differences 1e-6 would not: it loses a part of 1e-2 of them. Rounding of the float pixel 1.001 is 6e-8, of 1e-3:
  // 6e-5.
  Array<float> truth(ctx, {1000, 1000});
  Array<float> image(ctx, {1000, 1000});
  fill<float>(truth, 1);
  fill<float>(image, 1.001F);
  EXPECT_NEAR(error_measures<float>(ctx, image, truth).mse / 1e-6, 1, 2e-4);
}

TEST(ErrorMeasures, BadInputIsRefused) {
  const Context ctx;
  auto truth = array_of<float>(ctx, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto image = clone(ctx, truth.ref());
  const auto measure = [&](MeasuredSet set, std::optional<double> peak) {
    error_measures<float>(ctx, image, truth, set, peak);
  };
  const auto wide = array_of<float>(ctx, {3, 2}, {1, 2, 3, 4, 5, 6});
  const std::string shapes = error_of<ShapeError>([&] { error_measures<float>(ctx, wide, truth); });
  EXPECT_NE(shapes.find("[3, 2]"), std::string::npos) << shapes;
  EXPECT_NE(shapes.find("[2, 3]"), std::string::npos) << shapes;
  EXPECT_THROW(error_measures<float>(ctx, zeros<float>(ctx, {0}), zeros<float>(ctx, {0})), ShapeError);
  EXPECT_THROW(measure(zeros<bool>(ctx, {2}), {}), ShapeError);
  EXPECT_THROW(measure(zeros<bool>(ctx, {1, 2, 3}), {}), ShapeError);
  EXPECT_THROW(measure(zeros<bool>(ctx, {3}), {}), ValueError);
  EXPECT_THROW(measure(all_pixels(), 0), ValueError);
  EXPECT_THROW(measure(all_pixels(), std::nan("")), ValueError);
  EXPECT_THROW(measure(all_pixels(), std::numeric_limits<double>::infinity()), ValueError);
  EXPECT_THROW(error_measures<float>(ctx, image, zeros<float>(ctx, {2, 3})), ValueError);
  image.view<2>()(1, 2) = std::numeric_limits<float>::quiet_NaN();
  const std::string pixel = error_of<ValueError>([&] { measure(all_pixels(), {}); });
  EXPECT_NE(pixel.find("[1, 2] of the image"), std::string::npos) << pixel;
  std::swap(image, truth);
  EXPECT_NE(error_of<ValueError>([&] { measure(all_pixels(), 3); }).find("of the truth"), std::string::npos);
}

}  // namespace
}  // namespace whorl
