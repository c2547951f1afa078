#include "filter/src/filters/windows/fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "filter/src/kernels/windows/stencil.hpp"

namespace whorl::filters {

namespace {

using Wide = std::int64_t;

constexpr double longest_single = 0x1p24;  // integers up to here are exact in float32
constexpr double longest_double = 0x1p53;
constexpr double longest_int32 = 0x1p31;

/// A decimal number as a fraction in its lowest terms.
struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;
};

Fraction reduced(Wide numerator, Wide denominator) {
  const Wide common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

// The value as a number of up to six decimals, if it is the double nearest to such a number.
std::optional<Fraction> as_decimal(double value) {
  constexpr Wide most = 1'000'000;
  for (Wide power = 1; power <= most; power *= 10) {
    const double scaled = std::round(value * static_cast<double>(power));
    if (std::abs(scaled) >= longest_int32) return std::nullopt;
    if (scaled / static_cast<double>(power) == value) return reduced(static_cast<Wide>(scaled), power);
  }
  return std::nullopt;
}

double magnitudes(const std::vector<std::int32_t>& weights) {
  double sum = 0;
  for (const std::int32_t weight : weights) sum += std::abs(static_cast<double>(weight));
  return sum;
}

bool are_short(double largest_weight, double largest_sum) {
  return largest_weight <= kernels::longest_short_weight && largest_sum < longest_int32;
}

// Weights, scale and offset without rounding, if the numbers allow it.
std::optional<FixedPoint> exact(const ImageKernel& kernel, double divisor, double offset, double largest) {
  const auto by = as_decimal(divisor);
  const auto shift = as_decimal(offset);
  if (!by || !shift) return std::nullopt;
  std::vector<Fraction> fractions;
  Wide denominator = 1;
  for (const double value : kernel.values) {
    const auto fraction = as_decimal(value);
    if (!fraction) return std::nullopt;
    fractions.push_back(*fraction);
    denominator = std::lcm(denominator, fraction->denominator);
  }
  std::vector<Wide> wide;
  Wide common = 0;
  for (const Fraction& fraction : fractions) {
    wide.push_back(fraction.numerator * (denominator / fraction.denominator));
    common = std::gcd(common, wide.back());
  }
  common = std::max<Wide>(common, 1);
  if (by->numerator < 0) common = -common;
  FixedPoint result;
  for (const Wide weight : wide) {
    if (std::abs(weight / common) >= static_cast<Wide>(longest_int32)) return std::nullopt;
    result.weights.push_back(static_cast<std::int32_t>(weight / common));
  }
  // value = sum * |common| / denominator / (numerator of |divisor| / its denominator)
  const Fraction left = reduced(std::abs(common), std::abs(by->numerator));
  const Fraction right = reduced(by->denominator, denominator);
  const double numerator = static_cast<double>(left.numerator) * static_cast<double>(right.numerator);
  const double below = static_cast<double>(left.denominator) * static_cast<double>(right.denominator);
  const double sums = largest * magnitudes(result.weights);
  // A common denominator of all results and of one half.
  const double steps = 2 * below * static_cast<double>(shift->denominator);
  // Rounding of scale, offset, product and sum, each by 1/2 unit in the last place of a number of the result's range
  // and of the offset. Numbers beyond the range are clipped, whatever their last digits.
  const double range = 4 * (largest + 2 + std::abs(offset));
  constexpr double margin = 4;
  if (sums >= longest_double || numerator >= longest_double || range * 0x1p-53 * margin * steps >= 1) {
    return std::nullopt;
  }
  result.short_sums = are_short(
      std::abs(static_cast<double>(*std::max_element(result.weights.begin(), result.weights.end(),
                                                     [](auto a, auto b) { return std::abs(a) < std::abs(b); }))),
      sums);
  result.single_finish = sums < longest_single && range * 0x1p-24 * margin * steps < 1;
  result.scale = numerator / below;
  constexpr double half = 0.5;
  result.offset = offset + half + 1 / (margin * steps);
  return result;
}

// Weights that are multiples of 2^-bits, with the most bits for which weights and sums do not exceed the limits.
std::optional<FixedPoint> with_bits(const ImageKernel& kernel, double divisor, double largest, double longest_weight,
                                    double longest_sum) {
  double top = 0;
  double total = 0;
  for (const double value : kernel.values) {
    top = std::max(top, std::abs(value / divisor));
    total += std::abs(value / divisor);
  }
  const auto taps = static_cast<double>(kernel.values.size());
  FixedPoint result;
  if (top == 0) {
    result.weights.assign(kernel.values.size(), 0);
    return result;
  }
  constexpr double half = 0.5;
  int bits = static_cast<int>(std::floor(std::log2(longest_weight / top)));
  while ((std::ldexp(total, bits) + half * taps) * largest >= longest_sum ||
         std::ldexp(top, bits) + half > longest_weight) {
    --bits;
  }
  for (const double value : kernel.values) {
    result.weights.push_back(static_cast<std::int32_t>(std::lround(std::ldexp(value / divisor, bits))));
  }
  result.scale = std::ldexp(1.0, -bits);
  // A product with a power of two is exact, so there is only one rounding, which is the same on all devices.
  result.single_finish = largest * magnitudes(result.weights) < longest_single;
  constexpr double quarter = 0.25;
  if (half * taps * largest * result.scale > quarter && longest_weight <= kernels::longest_short_weight) {
    return std::nullopt;
  }
  return result;
}

FixedPoint rounded_weights(const ImageKernel& kernel, double divisor, double offset, double largest) {
  constexpr double half = 0.5;
  const auto brief = with_bits(kernel, divisor, largest, kernels::longest_short_weight, longest_int32);
  // Long weights are never refused.
  FixedPoint result =
      brief ? *brief : with_bits(kernel, divisor, largest, longest_int32 - 1, longest_double).value_or(FixedPoint{});
  result.short_sums = brief.has_value();
  result.offset = offset + half;
  return result;
}

}  // namespace

FixedPoint fixed_point(const ImageKernel& kernel, double divisor, double offset, double largest, bool rounded) {
  const auto found = exact(kernel, divisor, offset, largest);
  FixedPoint result = found ? *found : rounded_weights(kernel, divisor, offset, largest);
  if (!rounded) result.offset = offset;
  return result;
}

}  // namespace whorl::filters
