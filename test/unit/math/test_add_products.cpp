#include "whorl/math/add_products.hpp"

#include <gtest/gtest.h>

#include "support/compare.hpp"

namespace whorl {
namespace {

TEST(AddProducts, SumsOverTheFirstAxisAndKeepsWhatIsThere) {
  const Context one({.threads = 1});
  const Context three({.threads = 3});
  const auto x = test::random_array<float>(one, {4, 30, 900}, 1);
  const auto y = test::random_array<float>(one, {4, 30, 900}, 2);
  Array<double> sum(one, {30, 900});
  fill<double>(sum, 2.5);
  add_products<float>(one, x, y, sum);
  Array<double> again(three, {30, 900});
  fill<double>(again, 2.5);
  // In two parts: the same sum in the same order.
  const Shape half{2, 30, 900};
  for (const Index first : {0, 2}) {
    add_products<float>(three, {x.slice(first).data(), half}, {y.slice(first).data(), half}, again);
  }
  for (Index i = 0; i < sum.size(); ++i) {
    double expected = 2.5;
    for (Index b = 0; b < 4; ++b) {
      const std::complex<double> p = x.data()[b * 27000 + i];
      expected += (std::conj(p) * std::complex<double>(y.data()[b * 27000 + i])).real();
    }
    ASSERT_NEAR(sum.data()[i], expected, 1e-13) << i;  // four products of size 1 in double
    ASSERT_EQ(again.data()[i], sum.data()[i]) << i;
  }
}

TEST(AddProducts, ShapesMustAgree) {
  const Context ctx;
  const auto x = test::random_array<double>(ctx, {4, 5}, 1);
  const auto y = test::random_array<double>(ctx, {4, 6}, 1);
  Array<double> five(ctx, {5});
  Array<double> six(ctx, {6});
  EXPECT_THROW(add_products<double>(ctx, x, y, five), ShapeError);
  EXPECT_THROW(add_products<double>(ctx, x, x, six), ShapeError);
  EXPECT_THROW(add_products<double>(ctx, ArrayRef<const std::complex<double>>(), x, five), ShapeError);
}

}  // namespace
}  // namespace whorl
