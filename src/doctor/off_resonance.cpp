// A frequency of the receiver that is not that of the object.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "doctor/check.hpp"
#include "doctor/varying_field.hpp"

namespace whorl::doctor {

namespace {

using Complex = std::complex<float>;

constexpr double most_turns = 6;  // during a readout
constexpr double coarse = 0.5;
constexpr double fine = 0.01;
constexpr double least_turns = 0.25;
constexpr double least_gain = 0.03;  // of the area that the image covers
constexpr double doubt = 0.01;       // gain that other causes may have

// (sum |x|)^2 / sum |x|^2 over the voxels, |x| over the coils: the area that the image covers, least where it is sharpest.
// Phases leave the weighted energy as it is.
double area(const Context& ctx, const FieldImages& field, double turns) {
  const Array<std::complex<float>> images = field.images(ctx, turns);
  const Index voxels = images.size() / images.extent(0);
  double sum = 0;
  double energy = 0;
  for (Index r = 0; r < voxels; ++r) {
    double square = 0;
    for (Index v = 0; v < images.extent(0); ++v)
      square += std::norm(std::complex<double>(images.data()[v * voxels + r]));
    sum += std::sqrt(square);
    energy += square;
  }
  return energy > 0 ? sum * sum / energy : 0;
}

// Whether all readouts go the same way along parallel lines, as Cartesian ones do: a frequency then moves the image along
// them, and any of them makes an image as sharp.
bool go_one_way(const Examination& examination) {
  constexpr double straight = 0.999;  // cosine
  const Index length = examination.readout_length();
  const Index samples = examination.frame().trajectory->samples();
  std::array<double, 3> way{};
  for (Index j = 0; j + 1 < samples; ++j) {
    if (j % length == length - 1) continue;
    const std::array<double, 3> from = examination.nominal(j);
    const std::array<double, 3> to = examination.nominal(j + 1);
    const std::array<double, 3> step{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double size = std::hypot(step[0], step[1], step[2]);
    if (size == 0) continue;
    if (way == std::array<double, 3>{}) way = {step[0] / size, step[1] / size, step[2] / size};
    if (step[0] * way[0] + step[1] * way[1] + step[2] * way[2] < straight * size) return false;
  }
  return true;
}

// Whether samples near the center of k-space contradict each other more once this frequency is undone. Then streaks of few
// spokes, or an object that reaches the edge of the image, made it look sharper.
bool fits_worse(const Context& ctx, Examination& examination, double turns) {
  constexpr double clearly = 1.05;
  const Place place = [&](Index j) { return examination.nominal(j); };
  const std::vector<Index> near = examination.samples_within(place, detail::center_radius(examination.scan().dim()));
  detail::CenterSamples center = examination.center_samples(ctx, near, place);
  const auto length = static_cast<double>(examination.readout_length());
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double time = static_cast<double>(near[i] % examination.readout_length()) / length;
    center.values.row(static_cast<Index>(i)) *= std::polar(1.0, 2 * std::numbers::pi * turns * time);
  }
  const detail::CenterFit& before = examination.nominal_fit(ctx);
  const detail::CenterFit after = detail::fit_center(ctx, center);
  return before.grid > 0 && after.grid > 0 && after.residual > clearly * before.residual;
}

void demodulate(Scan& scan, double turns) {
  for (ScanFrame& frame : scan.frames) {
    const Index length = frame.trajectory->readout_length;
    const auto data = frame.data.view<2>();
    for (Index j = 0; j < data.extent(1); ++j) {
      const double time = static_cast<double>(j % length) / static_cast<double>(length);
      const Complex factor(std::polar(1.0, 2 * std::numbers::pi * turns * time));
      for (Index c = 0; c < data.extent(0); ++c) data(c, j) *= factor;
    }
  }
}

}  // namespace

// The frequency at which the image covers the least area. One at the end of those that are tried is not known to be the best.
Findings find_off_resonance(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (examination.readout_length() < 2 || go_one_way(examination)) return {};
  const FieldImages field(ctx, examination);
  if (!field.is_known() || field.returns_to_center()) return {};
  const double before = area(ctx, field, 0);
  if (before == 0) return {};
  double turns = 0;
  double least = before;
  for (double t = -most_turns; t <= most_turns; t += coarse) {
    ctx.check_cancel("off-resonance");
    const double covered = area(ctx, field, t);
    if (covered < least) {
      least = covered;
      turns = t;
    }
  }
  for (double step = coarse / 2; step > fine; step /= 2) {
    for (const double t : {turns - step, turns + step}) {
      const double covered = area(ctx, field, t);
      if (covered < least) {
        least = covered;
        turns = t;
      }
    }
  }
  const double gain = before / least - 1;
  bool is_off = std::abs(turns) >= least_turns && std::abs(turns) < most_turns && gain >= least_gain;
  if (is_off && fits_worse(ctx, examination, turns)) {
    is_off = false;
    examination.undecided.push_back(fmt::format(
        "off-resonance: the image would cover {:.1f} % less at {:.2f} turns during a readout, but samples "
        "near the center of k-space contradict each other more then. More readouts, or a field map, decide.",
        100 * (1 - least / before), turns));
  }
  Findings found = find_varying_field(ctx, examination, field, is_off ? turns : 0);
  if (!is_off) return found;
  const double hertz =
      scan.dwell_us > 0 ? turns * 1e6 / (scan.dwell_us * static_cast<double>(examination.readout_length())) : 0;
  const std::string size = scan.dwell_us > 0 ? fmt::format("{:.1f} Hz, ", hertz) : std::string();
  found.insert(found.begin(),
               {.check = "off-resonance",
                .what = fmt::format(
                    "the object is off resonance by {}{:.2f} turns during a readout: without them the image covers "
                    "{:.1f} % less",
                    size, turns, 100 * (1 - least / before)),
                .value = scan.dwell_us > 0 ? hertz : turns,
                .unit = scan.dwell_us > 0 ? "Hz" : "turns",
                .confidence = gain / (gain + doubt),
                .remedy = "whorl recon --field-map, with a map of this frequency or, better, a measured one",
                .mend_text = fmt::format("data demodulated by {:.2f} turns during a readout", turns),
                .mend = [turns](const Context&, Scan& of) { demodulate(of, turns); }});
  return found;
}

}  // namespace whorl::doctor
