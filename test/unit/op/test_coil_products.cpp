// Products of lines with coil sensitivities on every SIMD target, against products in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "backend/cpu/coils/coil_products.hpp"
#include "support/compare.hpp"
#include "support/simd_targets.hpp"

namespace whorl {
namespace {

template <class Real>
void expect_products() {
  const Context ctx;
  // A part of a product is a sum of two products: three roundings of at most |map| |x|. The sum has one more, of itself.
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  for (const Index points : {1, 2, 7, 8, 9, 37}) {
    SCOPED_TRACE(points);
    const auto map = test::random_array<Real>(ctx, {points}, 1);
    const auto x = test::random_array<Real>(ctx, {points}, 2);
    const auto before = test::random_array<Real>(ctx, {points}, 3);
    std::vector<std::complex<Real>> product(static_cast<std::size_t>(points) + 1, Real(9));
    std::vector<std::complex<Real>> sum(before.data(), before.data() + points);
    sum.push_back(Real(9));
    backend::cpu::multiply_line(points, map.data(), x.data(), product.data());
    backend::cpu::add_conjugate_products(points, map.data(), x.data(), sum.data());
    for (Index i = 0; i < points; ++i) {
      const std::complex<double> m(map.data()[i]);
      const std::complex<double> v(x.data()[i]);
      const std::complex<double> to(before.data()[i]);
      const auto at = static_cast<std::size_t>(i);
      const double size = std::abs(m) * std::abs(v);
      EXPECT_NEAR(product[at].real(), (m * v).real(), 3 * u * size);
      EXPECT_NEAR(product[at].imag(), (m * v).imag(), 3 * u * size);
      const std::complex<double> expected = to + std::conj(m) * v;
      EXPECT_NEAR(sum[at].real(), expected.real(), u * (4 * size + std::abs(to)));
      EXPECT_NEAR(sum[at].imag(), expected.imag(), u * (4 * size + std::abs(to)));
      // A point's result does not depend on its place in the line.
      std::complex<Real> alone;
      backend::cpu::multiply_line(1, map.data() + i, x.data() + i, &alone);
      EXPECT_EQ(alone, product[at]);
      alone = before.data()[i];
      backend::cpu::add_conjugate_products(1, map.data() + i, x.data() + i, &alone);
      EXPECT_EQ(alone, sum[at]);
    }
    EXPECT_EQ(product.back(), std::complex<Real>(9)) << "beyond the end";
    EXPECT_EQ(sum.back(), std::complex<Real>(9)) << "beyond the end";
  }
}

TEST(CoilProducts, OfEverySimdTarget) {
  test::for_each_simd_target([] {
    expect_products<float>();
    expect_products<double>();
  });
}

}  // namespace
}  // namespace whorl
