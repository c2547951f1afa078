#include "whorl/calib/noise.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "calib/channels.hpp"
#include "core/counted.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

constexpr double largest_condition = 1e8;

}  // namespace

template <Precision Real>
NoiseCovariance noise_covariance(const Context& ctx, ArrayRef<const std::complex<Real>> noise) {
  const OnDevice<std::complex<Real>> here(ctx, noise);
  detail::check_channels<Real>(ctx, "noise covariance", here.get(), 2, 2);
  const Index coils = noise.extent(0);
  const Index samples = noise.extent(1);
  if (samples < coils) {
    throw ValueError(
        fmt::format("noise covariance: {} noise samples are fewer than the {} coils; the covariance needs at "
                    "least as many, and 10 times as many to be precise",
                    samples, coils));
  }
  NoiseCovariance result{
      Array<std::complex<double>>(ctx.host(), {coils, coils}), samples,
      fmt::format("Noise covariance of {} from {} samples of a noise scan", counted(coils, "coil"), samples)};
  Eigen::Map<detail::RowMajorMatrix<double>>(result.matrix.data(), coils, coils) =
      detail::gram_of_channels<Real>(ctx, here.get()) / static_cast<double>(samples);
  return result;
}

std::optional<double> dwell_scale(double noise_dwell, double data_dwell) {
  if (!(noise_dwell > 0 && data_dwell > 0)) return std::nullopt;
  return noise_dwell / data_dwell;
}

void scale_to_dwell(NoiseCovariance& covariance, double noise_dwell, double data_dwell) {
  if (!(noise_dwell >= 0 && data_dwell >= 0 && std::isfinite(noise_dwell) && std::isfinite(data_dwell))) {
    throw ValueError(
        fmt::format("noise covariance: expected dwell times >= 0 (0: not known), got {} for the noise and {} "
                    "for the data",
                    noise_dwell, data_dwell));
  }
  const std::optional<double> ratio = dwell_scale(noise_dwell, data_dwell);
  if (!ratio) {
    covariance.note += "; not scaled, since a dwell time is not known";
    covariance.note.kind = NoteKind::doubt;
    return;
  }
  for (auto& element : covariance.matrix.span()) element *= *ratio;
  if (std::abs(*ratio - 1) > 1e-6)
    covariance.note += fmt::format("; scaled by {:.6g} for the ratio of the dwell times", *ratio);
}

Array<std::complex<double>> prewhitening_matrix(const Context& ctx, ArrayRef<const std::complex<double>> covariance) {
  detail::check_channels<double>(ctx.host(), "prewhitening", covariance, 2, 2);
  const Index coils = covariance.extent(0);
  if (covariance.extent(1) != coils) {
    throw ShapeError(
        fmt::format("prewhitening: expected a covariance [coil, coil], got {}", to_string(covariance.shape())));
  }
  const Eigen::Map<const detail::RowMajorMatrix<double>> c(covariance.span().data(), coils, coils);
  if ((c - c.adjoint()).norm() > 1e-10 * c.norm()) throw ValueError("prewhitening: the covariance is not Hermitian");
  for (Index coil = 0; coil < coils; ++coil) {
    if (!(c(coil, coil).real() > 0)) {
      throw ValueError(fmt::format("prewhitening: coil {} has no noise (variance {}); leave the coil out", coil,
                                   c(coil, coil).real()));
    }
  }
  // The scale of each coil is free, so the condition is judged on the correlations.
  const Eigen::VectorXd scale = c.diagonal().real().cwiseSqrt();
  const detail::Matrix<double> correlation = scale.cwiseInverse().asDiagonal() * c * scale.cwiseInverse().asDiagonal();
  const Eigen::VectorXd values = detail::eigenvalues(correlation);
  const double smallest = values(0);
  const double largest = values(coils - 1);
  if (!(smallest * largest_condition > largest)) {
    throw ValueError(fmt::format(
        "prewhitening: the noise covariance of {} coils is singular (condition number {:.3g}, at "
        "most {:.0e} is taken); look for coils that are copies of others, or compress the coils",
        coils, smallest > 0 ? largest / smallest : std::numeric_limits<double>::infinity(), largest_condition));
  }
  Array<std::complex<double>> whitening(ctx.host(), {coils, coils});
  Eigen::Map<detail::RowMajorMatrix<double>>(whitening.data(), coils, coils) = detail::inverse_cholesky(c).value();
  return whitening;
}

template NoiseCovariance noise_covariance(const Context&, ArrayRef<const std::complex<float>>);
template NoiseCovariance noise_covariance(const Context&, ArrayRef<const std::complex<double>>);

}  // namespace whorl
