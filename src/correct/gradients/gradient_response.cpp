#include "whorl/correct/gradient_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;
using Vector = std::array<double, 3>;

constexpr double most_beyond = 0.01;     // of the gradients' energy
constexpr Index most_ringing = 1 << 20;  // samples
constexpr Index at_rest = 256;           // samples before the lead: delays by parts of a sample ring both ways
constexpr double most_of_a_readout = 1 << 24;
constexpr double same_direction = 1e-3;

void check_play(const Trajectory& nominal, const ReadoutPlay& play) {
  const Index length = nominal.readout_length;
  if (length < 2 || nominal.samples() % length != 0) {
    throw ValueError(
        fmt::format("gradient response: {} samples in readouts of {}; expected whole readouts of known length, 2 or "
                    "more",
                    nominal.samples(), length));
  }
  if (!(play.dwell_us > 0 && std::isfinite(play.dwell_us))) {
    throw ValueError(fmt::format("gradient response: {} us between samples, expected more than 0; give the dwell time",
                                 play.dwell_us));
  }
  for (const double pixel : play.pixel_mm) {
    if (!(pixel > 0 && std::isfinite(pixel))) {
      throw ValueError(fmt::format("gradient response: a pixel of {} mm, expected more than 0", pixel));
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = a; b < 3; ++b) {
      double product = 0;
      for (std::size_t row = 0; row < 3; ++row) product += play.directions[a][row] * play.directions[b][row];
      if (std::abs(product - (a == b ? 1 : 0)) <= same_direction) continue;
      throw ValueError(
          "gradient response: the image's directions are no unit vectors at right angles; repair the scan");
    }
  }
}

// The response at any frequency of 0 or more.
class Interpolated {
 public:
  explicit Interpolated(const GradientResponse& response) : response_(response) {}

  double highest() const { return response_.frequencies_hz.back(); }

  // Element `number` of a row of `table`.
  Complex operator()(const Array<Complex>& table, Index number, double hertz) const {
    const Complex here = at(table, number, hertz);
    return response_.frequencies_hz.front() < 0 ? 0.5 * (here + std::conj(at(table, number, -hertz))) : here;
  }

 private:
  Complex at(const Array<Complex>& table, Index number, double hertz) const {
    const std::vector<double>& f = response_.frequencies_hz;
    const Index width = table.size() / table.extent(0);
    const auto value = [&](std::size_t row) { return table.data()[static_cast<Index>(row) * width + number]; };
    if (hertz > f.back()) return 0;
    if (hertz < f.front()) return f.front() >= 0 ? value(0) : Complex(0);
    const auto above = static_cast<std::size_t>(std::upper_bound(f.begin(), f.end(), hertz) - f.begin());
    if (above == f.size()) return value(above - 1);
    const double part = (hertz - f[above - 1]) / (f[above] - f[above - 1]);
    return (1 - part) * value(above - 1) + part * value(above);
  }

  const GradientResponse& response_;
};

// The response at the frequencies of a padded readout.
class Filter {
 public:
  Filter(const Context& ctx, const GradientResponse& response, Index steps, double dwell_us)
      : size_(padded(response, steps, dwell_us)), plan_(make_fft_plan<double>(ctx, {size_})) {
    const Interpolated at(response);
    const double spacing = 1e6 / (static_cast<double>(size_) * dwell_us);
    last_ = std::min(static_cast<Index>(at.highest() / spacing), size_ / 2);
    gradient_.resize(static_cast<std::size_t>(9 * (size_ / 2 + 1)));
    if (response.has_field()) field_.resize(static_cast<std::size_t>(3 * (size_ / 2 + 1)));
    for (Index bin = 0; bin <= size_ / 2; ++bin) {
      const double hertz = static_cast<double>(bin) * spacing;
      const bool real = bin == 0 || bin == size_ / 2;
      const auto fill = [&](std::vector<Complex>& to, const Array<Complex>& table, Index width) {
        for (Index number = 0; number < width; ++number) {
          const Complex value = at(table, number, hertz);
          to[static_cast<std::size_t>(bin * width + number)] = real ? value.real() : value;
        }
      };
      fill(gradient_, response.gradient, 9);
      if (!field_.empty()) fill(field_, response.field, 3);
    }
  }

  Index size() const { return size_; }

  // Steps along x, y and z, [3, size], become those that are played; `field` gets its steps [size] where there is one.
  // Adds the energy of all frequencies and of those beyond the response.
  void apply(const Context& ctx, std::vector<Complex>& steps, std::vector<Complex>& field, double& energy,
             double& beyond) const {
    plan_->execute(ctx, FftDirection::forward, steps.data(), 3);
    const auto n = static_cast<std::size_t>(size_);
    for (std::size_t bin = 0; bin < n; ++bin) {
      const bool mirrored = 2 * bin > n;
      const std::size_t row = mirrored ? n - bin : bin;
      const std::array<Complex, 3> in{steps[bin], steps[n + bin], steps[2 * n + bin]};
      const double here = std::norm(in[0]) + std::norm(in[1]) + std::norm(in[2]);
      energy += here;
      if (static_cast<Index>(row) > last_) beyond += here;
      const auto factor = [&](const std::vector<Complex>& table, std::size_t number) {
        return mirrored ? std::conj(table[number]) : table[number];
      };
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Complex out = 0;
        for (std::size_t from = 0; from < 3; ++from) out += factor(gradient_, row * 9 + axis * 3 + from) * in[from];
        steps[axis * n + bin] = out;
      }
      if (field_.empty()) continue;
      field[bin] = 0;
      for (std::size_t from = 0; from < 3; ++from) field[bin] += factor(field_, row * 3 + from) * in[from];
    }
    plan_->execute(ctx, FftDirection::inverse, steps.data(), 3);
    if (!field_.empty()) plan_->execute(ctx, FftDirection::inverse, field.data(), 1);
  }

 private:
  static Index padded(const GradientResponse& response, Index steps, double dwell_us) {
    double least = 1e6 / dwell_us;
    const std::vector<double>& f = response.frequencies_hz;
    for (std::size_t i = 1; i < f.size(); ++i) least = std::min(least, f[i] - f[i - 1]);
    const double ringing = std::min(1e6 / (least * dwell_us), static_cast<double>(most_ringing));
    const double size = static_cast<double>(steps) + ringing;
    if (!(size <= most_of_a_readout)) {
      throw ValueError(fmt::format(
          "gradient response: readouts of {} steps with their ramps, expected {:.0f} at most; is the dwell time in us?",
          steps, most_of_a_readout));
    }
    return next_fast_even(static_cast<Index>(size) + 1);
  }

  Index size_;
  std::shared_ptr<const FftPlan<double>> plan_;
  Index last_ = 0;
  std::vector<Complex> gradient_;
  std::vector<Complex> field_;
};

// The steps before the first sample, as parts of its own: from the flat part backwards into the ramp.
std::vector<double> lead_steps(const GradientLead& lead, double dwell_us) {
  const auto flat = static_cast<std::size_t>(std::ceil(lead.flat_us / dwell_us));
  const auto ramp = static_cast<std::size_t>(std::ceil(lead.ramp_us / dwell_us));
  std::vector<double> parts(flat, 1.0);
  for (std::size_t i = 0; i < ramp; ++i) {
    parts.push_back(1 - (static_cast<double>(i) + 0.5) / static_cast<double>(ramp));
  }
  return parts;
}

// The steps of a readout with its lead, along the axes of the patient, in cycles per mm.
class Steps {
 public:
  Steps(const Trajectory& trajectory, const ReadoutPlay& play, const GradientLead& lead)
      : trajectory_(trajectory), play_(play), lead_(lead_steps(lead, play.dwell_us)) {}

  // Steps before the first sample, at rest and of the lead.
  Index before() const { return at_rest + lead(); }
  Index count() const { return before() + trajectory_.readout_length - 1 + lead(); }

  // [3, size]
  void fill(Index first, std::vector<Complex>& steps) const {
    std::fill(steps.begin(), steps.end(), Complex(0));
    const Index length = trajectory_.readout_length;
    double longest = 0;
    for (Index i = 0; i + 1 < length; ++i) {
      const Vector step = step_at(first + i);
      longest = std::max(longest, square(step));
      put(steps, before() + i, step, 1);
    }
    const Vector begin = step_at(first);
    const Vector end = step_at(first + length - 2);
    const bool rests = square(place(first)) <= longest;
    for (Index i = 0; i < lead(); ++i) {
      const double part = lead_[static_cast<std::size_t>(i)];
      if (!rests) put(steps, before() - 1 - i, begin, part);
      put(steps, before() + length - 1 + i, end, part);
    }
  }

  // A step along an axis of the image, in cycles per pixel.
  double along(const std::vector<Complex>& steps, std::size_t axis, Index number) const {
    const std::size_t size = steps.size() / 3;
    double sum = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      sum += play_.directions[axis][row] * steps[row * size + static_cast<std::size_t>(number)].real();
    }
    return sum * play_.pixel_mm[axis];
  }

 private:
  Index lead() const { return static_cast<Index>(lead_.size()); }

  static double square(const Vector& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

  Vector place(Index sample) const {
    const auto k = trajectory_.points.view<2>();
    Vector at{};
    for (Index axis = 0; axis < k.extent(1); ++axis) at[static_cast<std::size_t>(axis)] = k(sample, axis);
    return at;
  }

  Vector step_at(Index sample) const {
    const Vector from = place(sample);
    Vector to = place(sample + 1);
    for (std::size_t axis = 0; axis < 3; ++axis) to[axis] -= from[axis];
    return to;
  }

  void put(std::vector<Complex>& steps, Index number, const Vector& step, double part) const {
    const std::size_t size = steps.size() / 3;
    for (std::size_t row = 0; row < 3; ++row) {
      double sum = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum += play_.directions[axis][row] * step[axis] / play_.pixel_mm[axis];
      steps[row * size + static_cast<std::size_t>(number)] = part * sum;
    }
  }

  const Trajectory& trajectory_;
  const ReadoutPlay& play_;
  std::vector<double> lead_;
};

}  // namespace

template <>
const OptionTable<GradientLead>& option_table<GradientLead>() {
  static const OptionTable<GradientLead> table =
      OptionTable<GradientLead>("gradient response")
          .group("Trajectory")
          .real("girf-flat", &GradientLead::flat_us, {0, 10000}, "us",
                "How long the gradient is flat before readouts that do not begin at the center of k-space")
          .recorded_as("girf_flat_us")
          .real("girf-ramp", &GradientLead::ramp_us, {0, 10000}, "us", "How long the ramp before this flat part is")
          .recorded_as("girf_ramp_us");
  return table;
}

void check_gradient_response(const GradientResponse& response) {
  const auto count = static_cast<Index>(response.frequencies_hz.size());
  if (count == 0 || response.gradient.shape() != Shape{count, 3, 3} ||
      (response.has_field() && response.field.shape() != Shape{count, 3})) {
    throw ShapeError(
        fmt::format("gradient response: {} frequencies, a response {} and a field {}; expected "
                    "[frequency, 3, 3], [frequency, 3] or no field, and 1 frequency or more",
                    count, to_string(response.gradient.shape()), to_string(response.field.shape())));
  }
  for (std::size_t i = 0; i < response.frequencies_hz.size(); ++i) {
    const double here = response.frequencies_hz[i];
    if (std::isfinite(here) && (i == 0 || here > response.frequencies_hz[i - 1])) continue;
    throw ValueError(
        fmt::format("gradient response: frequency {} is {} Hz, expected a finite one above the last", i, here));
  }
  if (response.frequencies_hz.back() < 0) {
    throw ValueError(fmt::format("gradient response: its last frequency is {} Hz, expected 0 or more",
                                 response.frequencies_hz.back()));
  }
  const auto is_finite = [](const Complex& value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  };
  if (!std::all_of(response.gradient.span().begin(), response.gradient.span().end(), is_finite) ||
      !std::all_of(response.field.span().begin(), response.field.span().end(), is_finite)) {
    throw ValueError("gradient response: a value is not finite");
  }
}

PlayedTrajectory played(const Context& ctx, const Trajectory& nominal, const GradientResponse& response,
                        const ReadoutPlay& play, const GradientLead& lead) {
  check_gradient_response(response);
  check_options(lead);
  check_play(nominal, play);
  const Context host = ctx.host();
  const Steps steps(nominal, play, lead);
  const Filter filter(host, response, steps.count(), play.dwell_us);
  const auto size = static_cast<std::size_t>(filter.size());
  std::vector<Complex> buffer(3 * size);
  std::vector<Complex> field(response.has_field() ? size : 0);
  PlayedTrajectory made{.trajectory = {clone(host, nominal.points.ref()), nominal.readout_length}, .turns = {}};
  if (response.has_field()) made.turns = Array<double>(host, {nominal.samples()});
  const auto from = nominal.points.view<2>();
  const auto to = made.trajectory.points.view<2>();
  double energy = 0;
  double beyond = 0;
  for (Index first = 0; first < nominal.samples(); first += nominal.readout_length) {
    ctx.check_cancel("gradient response");
    steps.fill(first, buffer);
    // Where the gradients rest, before anything was played.
    Vector place{};
    for (Index axis = 0; axis < from.extent(1); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      place[a] = from(first, axis);
      for (Index i = 0; i < steps.before(); ++i) place[a] -= steps.along(buffer, a, i);
    }
    filter.apply(host, buffer, field, energy, beyond);
    const double scale = 1 / static_cast<double>(size);
    double turns = 0;
    for (Index i = 0; i < steps.before() + nominal.readout_length; ++i) {
      const Index sample = first + i - steps.before();
      if (i >= steps.before()) {
        for (Index axis = 0; axis < to.extent(1); ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          made.largest_shift = std::max(made.largest_shift, std::abs(place[a] - from(sample, axis)));
          to(sample, axis) = std::clamp(place[a], -k_limit, k_limit);
        }
        if (response.has_field()) made.turns.data()[sample] = turns;
      }
      for (std::size_t a = 0; a < static_cast<std::size_t>(to.extent(1)); ++a) {
        place[a] += scale * steps.along(buffer, a, i);
      }
      // T per T/m times cycles per mm: 1000 turns.
      if (response.has_field()) turns += 1000 * scale * field[static_cast<std::size_t>(i)].real();
    }
  }
  made.energy_beyond = energy > 0 ? beyond / energy : 0;
  if (made.energy_beyond > most_beyond) {
    throw ValueError(
        fmt::format("gradient response: {:.2g} % of the gradients' energy lies beyond its last frequency of {:g} Hz, "
                    "expected {:g} % at most; measure the response at higher frequencies, or check the dwell time",
                    100 * made.energy_beyond, response.frequencies_hz.back(), 100 * most_beyond));
  }
  return made;
}

}  // namespace whorl
