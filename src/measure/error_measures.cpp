#include "whorl/measure/error_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/compared.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr const char* operation = "error measures";

double decibels(double ratio) {
  return std::isinf(ratio) ? std::numeric_limits<double>::infinity() : 10 * std::log10(ratio);
}

}  // namespace

template <Number T>
double peak_of(const Context& ctx, ArrayRef<const T> truth, MeasuredSet set) {
  ctx.check_cancel(operation);
  measure::check_shapes(operation, truth.shape(), truth.shape(), set);
  measure::check_finite<T>(operation, "truth", truth);
  const measure::Counted counts(set);
  double peak = 0;
  for (Index i = 0; i < truth.size(); ++i) {
    if (counts(i)) peak = std::max(peak, std::abs(measure::widened(truth.data()[i])));
  }
  return peak;
}

template <Number T>
ErrorMeasures error_measures(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, MeasuredSet set,
                             std::optional<double> peak) {
  measure::check_shapes(operation, image.shape(), truth.shape(), set);
  measure::check_finite<T>(operation, "image", image);
  if (!peak) peak = peak_of<T>(ctx, truth, set);
  measure::check_finite<T>(operation, "truth", truth);
  const measure::Counted counts(set);
  double difference = 0;
  double energy = 0;
  Index pixels = 0;
  for (Index i = 0; i < image.size(); ++i) {
    if (!counts(i)) continue;
    const auto wanted = measure::widened(truth.data()[i]);
    difference += std::norm(measure::widened(image.data()[i]) - wanted);
    energy += std::norm(wanted);
    ++pixels;
  }
  if (energy == 0) {
    throw ValueError(
        fmt::format("{}: the truth is 0 in every pixel that counts; errors relative to it have no meaning", operation));
  }
  if (!(*peak > 0) || std::isinf(*peak)) {
    throw ValueError(fmt::format("{}: a peak of {}, expected a positive number", operation, *peak));
  }
  ErrorMeasures measures;
  measures.mse = difference / static_cast<double>(pixels);
  measures.psnr_db = decibels(*peak * *peak / measures.mse);
  measures.snr_db = decibels(energy / difference);
  measures.percent_error = 100 * std::sqrt(difference / energy);
  return measures;
}

#define WHORL_INSTANTIATE(T)                                                                                  \
  template double peak_of<T>(const Context&, ArrayRef<const T>, MeasuredSet);                                 \
  template ErrorMeasures error_measures<T>(const Context&, ArrayRef<const T>, ArrayRef<const T>, MeasuredSet, \
                                           std::optional<double>)
WHORL_FOR_EACH_PIXEL_TYPE(WHORL_INSTANTIATE);
#undef WHORL_INSTANTIATE

}  // namespace whorl
