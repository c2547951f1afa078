#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "calib/channels.hpp"
#include "calib/foretold_part.hpp"
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
constexpr Index compared = 20000;      // samples of the data, at most
constexpr double most_outlying = 0.1;  // of the energy: that of noise is 5e-4
constexpr double most_of_data = 3;     // times the median power of the data, which hold the noise as well

// Every n-th sample of the data, on the host.
template <class Real>
Array<std::complex<Real>> some_of(const Context& ctx, ArrayRef<const std::complex<Real>> data) {
  std::vector<Index> places;
  const Index step = data.extent(1) / compared + 1;
  for (Index place = 0; place < data.extent(1); place += step) places.push_back(place);
  const Array<std::complex<Real>> taken = detail::take_samples<Real>(ctx, data, places);
  return to_host(ctx, taken.ref());
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

std::string why_not_of_data(const detail::NoisePowers& noise, double variance, const std::vector<double>& data) {
  if (noise.is_mostly_zero()) return "mostly zeros";
  if (noise.outlying() > most_outlying) return "values that are not Gaussian";
  if (data.empty()) return {};
  const double level = std::accumulate(data.begin(), data.end(), 0.0) / static_cast<double>(data.size());
  if (!(variance > detail::least_level * detail::least_level * level)) return "no more than rounding of the data";
  if (variance > most_of_data * median(data) / std::numbers::ln2) return "more power than the data";
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
std::string doubt_about_noise(const Context& ctx, ArrayRef<const std::complex<Real>> noise, double scale,
                              ArrayRef<const std::complex<Real>> data) {
  const Index coils = noise.extent(0);
  const Index samples = noise.extent(1);
  if (samples < least_per_coil * coils) {
    return fmt::format("it has {} for {}, expected {} at least", counted(samples, "sample"), counted(coils, "coil"),
                       least_per_coil * coils);
  }
  const NoiseCovariance covariance = noise_covariance<Real>(ctx, noise);
  const OnDevice<std::complex<Real>> here(ctx.host(), noise);
  const OnDevice<std::complex<Real>> there(ctx, data);
  const Array<std::complex<Real>> some = some_of<Real>(ctx, there.get());
  std::vector<double> limits;
  for (Index c = 0; c < coils; ++c) {
    const detail::NoisePowers powers(here.get().slice(c).span());
    const double variance = scale * covariance.matrix.data()[c * (coils + 1)].real();
    const std::string why = why_not_of_data(powers, variance, measured_powers<Real>(some.slice(c).span()));
    if (!why.empty()) return fmt::format("coil {} has {}", c, why);
    limits.push_back(powers.limit());
  }
  std::vector<Index> places(static_cast<std::size_t>(samples));
  std::iota(places.begin(), places.end(), 0);
  Array<double> one_after_another(ctx.host(), {samples, 1});
  std::iota(one_after_another.data(), one_after_another.data() + samples, 0.0);
  const std::vector<double> foretold =
      detail::foretold_parts<Real>(ctx.host(), here.get(), one_after_another, places, limits);
  const auto most = std::ranges::max_element(foretold);
  if (most != foretold.end() && *most > detail::largest_foretold) {
    return fmt::format("coil {} has samples that their neighbors foretell to {:.0f} %, as those of a signal",
                       most - foretold.begin(), 100 * *most);
  }
  if (is_singular(ctx, covariance.matrix)) return "coils are copies or combinations of others";
  return {};
}

template std::string doubt_about_noise(const Context&, ArrayRef<const std::complex<float>>, double,
                                       ArrayRef<const std::complex<float>>);
template std::string doubt_about_noise(const Context&, ArrayRef<const std::complex<double>>, double,
                                       ArrayRef<const std::complex<double>>);

}  // namespace whorl
