#include "whorl/io/any_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

template <class T>
constexpr bool is_complex_type = false;
template <class T>
constexpr bool is_complex_type<std::complex<T>> = true;

template <class T>
constexpr std::string_view name_of_type = "float32";
template <>
constexpr std::string_view name_of_type<double> = "float64";
template <>
constexpr std::string_view name_of_type<std::complex<float>> = "complex64";
template <>
constexpr std::string_view name_of_type<std::complex<double>> = "complex128";

template <class T>
bool is_finite(T value) {
  if constexpr (is_complex_type<T>) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  } else {
    return std::isfinite(value);
  }
}

}  // namespace

const Shape& shape_of(const AnyArray& array) {
  return std::visit([](const auto& values) -> const Shape& { return values.shape(); }, array);
}

std::string_view type_name(const AnyArray& array) {
  return std::visit([]<class T>(const Array<T>& /*values*/) { return name_of_type<T>; }, array);
}

bool is_complex(const AnyArray& array) {
  return std::visit([]<class T>(const Array<T>& /*values*/) { return is_complex_type<T>; }, array);
}

// The largest |element|, parts of complex numbers apart; not finite ones do not count.
template <class T>
double largest_finite(const Array<T>& array) {
  double largest = 0;
  const auto take = [&](double part) {
    if (std::isfinite(part)) largest = std::max(largest, std::abs(part));
  };
  for (const T& value : array.span()) {
    if constexpr (is_complex_type<T>) {
      take(value.real());
      take(value.imag());
    } else {
      take(value);
    }
  }
  return largest;
}

// Throws if numbers of double precision fit no float, or all become 0.
template <class T, class From>
void check_narrowing(const Array<From>& values, std::string_view source) {
  using Limits = std::numeric_limits<float>;
  const double largest = largest_finite(values);
  if (largest == 0 || (largest >= Limits::min() && largest <= Limits::max())) return;
  throw ValueError(
      fmt::format("{}: its largest number is {:.3g}, and {} holds {:.1e} to {:.1e}; multiply it by a power "
                  "of ten first",
                  source, largest, name_of_type<T>, Limits::min(), Limits::max()));
}

// The real part of numbers that are real but for rounding. Throws for others: neither their magnitude, which has no sign,
// nor their real part need be what is meant.
template <class From>
Array<From> real_part(const Context& ctx, const Array<std::complex<From>>& values, std::string_view source) {
  constexpr double rounding = 1e-5;  // of sums in float32
  const double most = rounding * largest_finite(values);
  Array<From> real(ctx, values.shape());
  for (Index i = 0; i < values.size(); ++i) {
    const std::complex<From> value = values.data()[i];
    if (!(std::abs(value.imag()) <= most)) {
      throw ValueError(
          fmt::format("{}: expected real values, got {} with element {} = {:.6g} {:+.6g}i; take the "
                      "magnitude or a part of it first",
                      source, name_of_type<std::complex<From>>, i, value.real(), value.imag()));
    }
    real.data()[i] = value.real();
  }
  return real;
}

template <class T>
Array<T> converted(const Context& ctx, const AnyArray& array, std::string_view source) {
  return std::visit(
      [&]<class From>(const Array<From>& values) -> Array<T> {
        if constexpr (is_complex_type<From> && !is_complex_type<T>) {
          return converted<T>(ctx, AnyArray(real_part(ctx, values, source)), source);
        } else {
          constexpr bool narrows =
              sizeof(T) / (is_complex_type<T> ? 2 : 1) < sizeof(From) / (is_complex_type<From> ? 2 : 1);
          if constexpr (narrows) check_narrowing<T>(values, source);
          Array<T> result(ctx, values.shape());
          std::transform(values.span().begin(), values.span().end(), result.span().begin(),
                         [](From value) { return static_cast<T>(value); });
          return result;
        }
      },
      array);
}

void check_finite(const AnyArray& array, std::string_view source) {
  std::visit(
      [&](const auto& values) {
        const auto bad =
            std::find_if_not(values.span().begin(), values.span().end(), [](auto value) { return is_finite(value); });
        if (bad == values.span().end()) return;
        throw ValueError(fmt::format("{}: element {} of {} is not finite (NaN or infinite); every number must be",
                                     source, bad - values.span().begin(), values.size()));
      },
      array);
}

template Array<float> converted(const Context&, const AnyArray&, std::string_view);
template Array<double> converted(const Context&, const AnyArray&, std::string_view);
template Array<std::complex<float>> converted(const Context&, const AnyArray&, std::string_view);
template Array<std::complex<double>> converted(const Context&, const AnyArray&, std::string_view);

}  // namespace whorl
