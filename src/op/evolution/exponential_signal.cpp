#include <fmt/format.h>

#include <cmath>

#include "whorl/op/evolution_factors.hpp"

namespace whorl {

namespace {

// Zeros for a number of components.
ExponentialSignal empty_signal(const Context& ctx, Index components, const Shape& image) {
  const Shape shape = image.with_front(components);
  return {zeros<double>(ctx.host(), shape), zeros<double>(ctx.host(), shape), zeros<double>(ctx.host(), shape)};
}

void check_equal(const char* what, const Shape& found, const Shape& expected) {
  if (found == expected) return;
  throw ShapeError(fmt::format("signal: the map of {} has shape {}, another one {}; expected equal shapes", what,
                               to_string(found), to_string(expected)));
}

void check_tissue(const TissueDecay& tissue, std::size_t number) {
  const double fast = tissue.fast_fraction;
  if (!(fast >= 0 && fast <= 1)) {
    throw ValueError(fmt::format("tissue {}: a fast fraction of {}, expected 0 to 1", number, fast));
  }
  if ((fast > 0 && !(tissue.fast_ms > 0)) || (fast < 1 && !(tissue.slow_ms > 0))) {
    throw ValueError(fmt::format("tissue {}: T2* of {} and {} ms, expected more than 0 where its part is not 0", number,
                                 tissue.fast_ms, tissue.slow_ms));
  }
}

}  // namespace

ExponentialSignal exponential_signal(const Context& ctx, ArrayRef<const float> r2_star,
                                     ArrayRef<const float> field_hz) {
  const bool decays = r2_star.data() != nullptr;
  const bool precesses = field_hz.data() != nullptr;
  if (!decays && !precesses) throw ShapeError("signal: no map of R2* nor of the field; expected at least one");
  const Shape& image = decays ? r2_star.shape() : field_hz.shape();
  if (decays && precesses) check_equal("the field", field_hz.shape(), image);
  ExponentialSignal signal = empty_signal(ctx, 1, image);
  for (Index r = 0; r < image.size(); ++r) {
    signal.amplitudes.data()[r] = 1;
    if (decays) signal.decay_rates.data()[r] = r2_star.data()[r];
    if (precesses) signal.off_resonance.data()[r] = field_hz.data()[r];
  }
  return signal;
}

ExponentialSignal biexponential_signal(const Context& ctx, ArrayRef<const float> fast_fraction,
                                       ArrayRef<const float> fast_rate, ArrayRef<const float> slow_rate) {
  const Shape& image = fast_fraction.shape();
  check_equal("the fast rate", fast_rate.shape(), image);
  check_equal("the slow rate", slow_rate.shape(), image);
  ExponentialSignal signal = empty_signal(ctx, 2, image);
  const Index pixels = image.size();
  for (Index r = 0; r < pixels; ++r) {
    signal.amplitudes.data()[r] = fast_fraction.data()[r];
    signal.amplitudes.data()[pixels + r] = 1 - double{fast_fraction.data()[r]};
    signal.decay_rates.data()[r] = fast_rate.data()[r];
    signal.decay_rates.data()[pixels + r] = slow_rate.data()[r];
  }
  return signal;
}

double decay_at(const TissueDecay& tissue, double seconds) {
  const double fast = tissue.fast_fraction;
  return (fast > 0 ? fast * std::exp(-1e3 * seconds / tissue.fast_ms) : 0) +
         (fast < 1 ? (1 - fast) * std::exp(-1e3 * seconds / tissue.slow_ms) : 0);
}

ExponentialSignal tissue_signal(const Context& ctx, ArrayRef<const float> portions,
                                std::span<const TissueDecay> tissues) {
  const auto count = static_cast<Index>(tissues.size());
  if (portions.rank() < 2 || portions.extent(0) != count) {
    throw ShapeError(fmt::format("signal: portions of shape {} for {} tissues; expected [tissue, image...]",
                                 to_string(portions.shape()), count));
  }
  const Shape image = portions.shape().tail();
  const Index pixels = image.size();
  ExponentialSignal signal = empty_signal(ctx, 2 * count, image);
  for (Index k = 0; k < count; ++k) {
    const TissueDecay& tissue = tissues[static_cast<std::size_t>(k)];
    check_tissue(tissue, static_cast<std::size_t>(k));
    const Index fast = 2 * k * pixels;
    const Index slow = fast + pixels;
    for (Index r = 0; r < pixels; ++r) {
      const double portion = portions.data()[k * pixels + r];
      signal.amplitudes.data()[fast + r] = portion * tissue.fast_fraction;
      signal.amplitudes.data()[slow + r] = portion * (1 - tissue.fast_fraction);
      if (tissue.fast_fraction > 0) signal.decay_rates.data()[fast + r] = 1e3 / tissue.fast_ms;
      if (tissue.fast_fraction < 1) signal.decay_rates.data()[slow + r] = 1e3 / tissue.slow_ms;
    }
  }
  return signal;
}

}  // namespace whorl
