#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calib/channels.hpp"
#include "calib/foretold_part.hpp"
#include "calib/judging_memory.hpp"
#include "calib/median.hpp"
#include "calib/noise_powers.hpp"
#include "core/counted.hpp"
#include "math/decompositions.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

namespace {

constexpr Index least_per_coil = 5;    // samples: the covariance of fewer is off by 7 times along some combination
constexpr double most_outlying = 0.1;  // of the energy: that of noise is 5e-4
constexpr double most_of_data = 3;  // times the mean of noise with the median of the data, which hold the noise as well

// By neighbors (foretold_parts): the noise of filters that pass 0.6 of the band or more is predicted to less. The scanner
// says that it is noise, so that only what is nearly all signal is left out.
constexpr double most_foretold_in_scan = 0.95;

// Every n-th sample of the data, on the host.
template <class Real>
Array<std::complex<Real>> some_of(const Context& ctx, ArrayRef<const std::complex<Real>> data) {
  std::vector<Index> places;
  const Index step = data.extent(1) / detail::most_compared + 1;
  for (Index place = 0; place < data.extent(1); place += step) places.push_back(place);
  Array<std::complex<Real>> taken = detail::take_samples<Real>(ctx, data, places);
  return taken.device().kind == DeviceKind::cpu ? std::move(taken) : to_host(ctx, taken.ref());
}

// The powers of samples that are not 0.
template <class Real>
std::vector<double> measured_powers(std::span<const std::complex<Real>> values) {
  std::vector<double> powers;
  for (const std::complex<Real> value : values) {
    if (const double power = std::norm(std::complex<double>(value)); power > 0) powers.push_back(power);
  }
  return powers;
}

std::string why_not_of_data(const detail::NoisePowers& noise, double own, std::optional<double> scale,
                            const std::vector<double>& data) {
  if (noise.is_mostly_zero()) return "mostly zeros";
  if (noise.outlying() > most_outlying) return "values that are not Gaussian";
  if (data.empty()) return {};
  const double variance = own * scale.value_or(1);
  const double level = std::accumulate(data.begin(), data.end(), 0.0) / static_cast<double>(data.size());
  if (!(variance > detail::least_level * detail::least_level * level)) return "no more than rounding of the data";
  if (scale && variance > most_of_data * median(data) / std::numbers::ln2) return "more power than the data";
  return {};
}

bool is_singular(const Context& ctx, ArrayRef<const std::complex<double>> covariance) {
  try {
    prewhitening_matrix(ctx, covariance);
  } catch (const ValueError&) {
    return true;
  }
  return false;
}

}  // namespace

template <Precision Real>
std::string doubt_about_noise(const Context& ctx, ArrayRef<const std::complex<Real>> noise, std::optional<double> scale,
                              ArrayRef<const std::complex<Real>> data) {
  const OnDevice<std::complex<Real>> here(ctx.host(), noise);
  detail::check_channels<Real>(ctx.host(), "noise scan", here.get(), 2, 2);
  if (data.rank() != 2 || data.extent(0) != noise.extent(0)) {
    throw ShapeError(fmt::format("noise scan {} and data {}: expected [coil, sample] of the same coils",
                                 to_string(noise.shape()), to_string(data.shape())));
  }
  const Index coils = noise.extent(0);
  const Index samples = noise.extent(1);
  if (samples < least_per_coil * coils) {
    return fmt::format("it has {} for {}, expected {} at least", counted(samples, "sample"), counted(coils, "coil"),
                       least_per_coil * coils);
  }
  const NoiseCovariance covariance = noise_covariance<Real>(ctx, noise);
  // A device need not have room for data on the host.
  const Context of_data = data.device().kind == DeviceKind::cpu ? ctx.host() : ctx;
  const OnDevice<std::complex<Real>> there(of_data, data);
  Array<std::complex<Real>> some = some_of<Real>(of_data, there.get());
  std::vector<double> limits;
  for (Index c = 0; c < coils; ++c) {
    const detail::NoisePowers powers(here.get().slice(c).span());
    const double variance = covariance.matrix.data()[c * (coils + 1)].real();
    const std::string why = why_not_of_data(powers, variance, scale, measured_powers<Real>(some.slice(c).span()));
    if (!why.empty()) return fmt::format("coil {} has {}", c, why);
    limits.push_back(powers.limit());
  }
  some = {};
  std::vector<Index> places(static_cast<std::size_t>(samples));
  std::iota(places.begin(), places.end(), 0);
  Array<double> one_after_another(ctx.host(), {samples, 1});
  std::iota(one_after_another.data(), one_after_another.data() + samples, 0.0);
  const std::vector<double> foretold =
      detail::foretold_parts<Real>(ctx.host(), here.get(), one_after_another, places, limits);
  if (std::string foretells = detail::why_foretold(foretold, most_foretold_in_scan); !foretells.empty())
    return foretells;
  if (is_singular(ctx, covariance.matrix)) return "coils are copies or combinations of others";
  return {};
}

template std::string doubt_about_noise(const Context&, ArrayRef<const std::complex<float>>, std::optional<double>,
                                       ArrayRef<const std::complex<float>>);
template std::string doubt_about_noise(const Context&, ArrayRef<const std::complex<double>>, std::optional<double>,
                                       ArrayRef<const std::complex<double>>);

}  // namespace whorl
