#include "whorl/measure/scaled_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/compared.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

double conjugate(double value) { return value; }
std::complex<double> conjugate(std::complex<double> value) { return std::conj(value); }

}  // namespace

template <Number T>
ScaledError scaled_error(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, MeasuredSet set) {
  constexpr const char* operation = "scaled error";
  ctx.check_cancel(operation);
  measure::check_shapes(operation, image.shape(), truth.shape(), set);
  measure::check_finite<T>(operation, "image", image);
  measure::check_finite<T>(operation, "truth", truth);
  const measure::Counted counts(set);
  using Wide = decltype(measure::widened(T{}));
  Wide overlap{};
  double energy = 0;
  double total = 0;
  for (Index i = 0; i < image.size(); ++i) {
    if (!counts(i)) continue;
    const Wide value = measure::widened(image.data()[i]);
    const Wide wanted = measure::widened(truth.data()[i]);
    overlap += conjugate(value) * wanted;
    energy += std::norm(value);
    total += std::norm(wanted);
  }
  if (total == 0) {
    throw ValueError(
        fmt::format("{}: the truth is 0 in every pixel that counts; errors relative to it have no meaning", operation));
  }
  const Wide scale = energy > 0 ? overlap / energy : Wide{};
  // Summed again: 1 - |overlap|^2 / (energy total) would lose all digits of a small error.
  double difference = 0;
  for (Index i = 0; i < image.size(); ++i) {
    if (!counts(i)) continue;
    difference += std::norm(scale * measure::widened(image.data()[i]) - measure::widened(truth.data()[i]));
  }
  return {scale, std::sqrt(difference / total)};
}

template <Precision Real>
Array<Real> magnitude(const Context& ctx, ArrayRef<const std::complex<Real>> image) {
  Array<Real> result(ctx, image.shape());
  std::transform(image.span().begin(), image.span().end(), result.span().begin(),
                 [](std::complex<Real> value) { return std::abs(value); });
  return result;
}

#define WHORL_INSTANTIATE(T) \
  template ScaledError scaled_error<T>(const Context&, ArrayRef<const T>, ArrayRef<const T>, MeasuredSet)
WHORL_FOR_EACH_PIXEL_TYPE(WHORL_INSTANTIATE);
#undef WHORL_INSTANTIATE

template Array<float> magnitude<float>(const Context&, ArrayRef<const std::complex<float>>);
template Array<double> magnitude<double>(const Context&, ArrayRef<const std::complex<double>>);

}  // namespace whorl
