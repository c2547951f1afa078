// Magnitudes: Data so far from 1 that their squares may leave the range of float are multiplied by a power of two
// first, and the images by its inverse at the end (math/value_range.hpp, scan/prepare; whorl nufft and whorl dft do the
// same). This rounds nothing. Images that then do not fit their type are refused, and no writer of images or scans
// takes values that are not finite. Filters and measures do not scale the image, because their parameters are in its
// unit: they refuse values whose powers leave the range (check_powers).
#include "whorl/math/value_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

template <class Real>
constexpr bool is_single = sizeof(Real) == sizeof(float);

// 10^exponent for any exponent, also where that is no double.
std::string power_text(double log10) {
  const double whole = std::floor(log10);
  return fmt::format("{:.1f}e{:+03d}", std::pow(10.0, log10 - whole), static_cast<int>(whole));
}

}  // namespace

template <Precision Real>
double largest_part(const Context& ctx, ArrayRef<const std::complex<Real>> x) {
  const std::complex<Real>* values = x.span().data();
  const Index count = x.size();
  Real largest = 0;
  bool finite = true;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static) reduction(max : largest) reduction(&& : finite)
  for (Index i = 0; i < count; ++i) {
    const Real here = std::max(std::abs(values[i].real()), std::abs(values[i].imag()));
    finite = finite && std::isfinite(values[i].real()) && std::isfinite(values[i].imag());
    largest = std::max(largest, here);
  }
  return finite ? static_cast<double>(largest) : std::numeric_limits<double>::infinity();
}

template <Precision Real>
int exponent_far_from_one(double largest) {
  constexpr int near = is_single<Real> ? 30 : 300;
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  const int exponent = std::ilogb(largest);
  return std::abs(exponent) > near ? exponent : 0;
}

template <Precision Real>
void multiply_by_power_of_two(const Context& ctx, int exponent, ArrayRef<std::complex<Real>> x) {
  constexpr int most = is_single<Real> ? 100 : 1000;  // whose power is a normal number
  while (exponent != 0) {
    const int step = std::clamp(exponent, -most, most);
    axpby<Real>(ctx, std::ldexp(1.0, step), x, 0, x);
    exponent -= step;
  }
}

template <Precision Real>
void check_range(std::string_view what, double largest, int exponent) {
  if (largest == 0) return;
  constexpr double limit = std::numeric_limits<Real>::max();
  constexpr double least = std::numeric_limits<Real>::min();
  const double value = std::ldexp(largest, exponent);
  if (std::isfinite(largest) && value <= limit && value >= least) return;
  if (!std::isfinite(largest)) {
    throw ValueError(fmt::format("{} has values that are not finite; check the data", what));
  }
  const double log10 = std::log10(largest) + exponent * std::log10(2.0);
  throw ValueError(
      fmt::format("{} has values up to {}, and {} holds {:.1e} to {:.1e}; multiply the data by a power of "
                  "ten first",
                  what, power_text(log10), is_single<Real> ? "float32" : "float64", least, limit));
}

template <Precision Real>
void check_powers(std::string_view what, double largest) {
  constexpr int most = is_single<Real> ? 50 : 230;
  if (!(largest > 0)) return;
  if (std::isfinite(largest) && std::abs(std::ilogb(largest)) <= most) return;
  throw ValueError(fmt::format(
      "{} has values up to {:.1e}, whose powers leave the range of {}; multiply the values by a power of "
      "ten first, to between {:.0e} and {:.0e}",
      what, largest, is_single<Real> ? "float32" : "float64", std::ldexp(1.0, -most), std::ldexp(1.0, most)));
}

#define WHORL_INSTANTIATE(Real)                                                                    \
  template double largest_part<Real>(const Context&, ArrayRef<const std::complex<Real>>);          \
  template int exponent_far_from_one<Real>(double);                                                \
  template void multiply_by_power_of_two<Real>(const Context&, int, ArrayRef<std::complex<Real>>); \
  template void check_range<Real>(std::string_view, double, int);                                  \
  template void check_powers<Real>(std::string_view, double)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
