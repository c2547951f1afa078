// Samples at the limit of the receiver.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "doctor/check.hpp"

namespace whorl::doctor {

namespace {

constexpr double rounding = 1e-6;       // of the largest value: rounding of a limit
constexpr double a_little_less = 0.97;  // where a signal that is not cut has values too
constexpr Index least_values = 5;       // values at the limit
constexpr std::size_t least_places = 3;

// Values at the limit of a coil, and those a little below it.
struct Level {
  double limit = 0;
  Index at = 0;
  Index near = 0;
  std::set<std::array<Index, 3>> places;  // of those at the limit, to 1/100 of a cycle per field of view
};

template <class Value>
Level level_of(const Scan& scan, Index coil, const Value& values_of) {
  Level level;
  for (const ScanFrame& frame : scan.frames) {
    for (Index j = 0; j < frame.data.extent(1); ++j) {
      for (const double value : values_of(frame, coil, j)) level.limit = std::max(level.limit, value);
    }
  }
  if (level.limit == 0) return level;
  for (const ScanFrame& frame : scan.frames) {
    const auto k = frame.trajectory->points.template view<2>();
    for (Index j = 0; j < frame.data.extent(1); ++j) {
      for (const double value : values_of(frame, coil, j)) {
        if (value < a_little_less * level.limit) continue;
        if (value < (1 - rounding) * level.limit) {
          ++level.near;
          continue;
        }
        ++level.at;
        if (level.places.size() >= least_places) continue;
        std::array<Index, 3> place{};
        for (Index axis = 0; axis < k.extent(1); ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          place[a] = static_cast<Index>(std::lround(100 * k(j, axis) * static_cast<double>(scan.matrix[a])));
        }
        level.places.insert(place);
      }
    }
  }
  return level;
}

bool is_cut(const Level& level) {
  return level.at >= least_values && level.at > level.near && level.places.size() >= least_places;
}

}  // namespace

// A signal that is cut has many equal largest values at different places of k-space, and few that are a little
// smaller. Equal values at one place (the center of noise-free spokes) are no sign of it.
Findings find_clipping(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  Findings findings;
  Index cut = 0;
  Index near = 0;
  Index coils = 0;
  double lowest = 0;
  for (Index coil = 0; coil < scan.coils; ++coil) {
    ctx.check_cancel("clipping");
    const Level parts = level_of(scan, coil, [](const ScanFrame& frame, Index c, Index j) {
      const std::complex<double> value(frame.data.data()[c * frame.data.extent(1) + j]);
      return std::array{std::abs(value.real()), std::abs(value.imag())};
    });
    const Level magnitudes = level_of(scan, coil, [](const ScanFrame& frame, Index c, Index j) {
      return std::array{std::abs(std::complex<double>(frame.data.data()[c * frame.data.extent(1) + j]))};
    });
    if (!is_cut(parts) && !is_cut(magnitudes)) continue;
    const Level& level = is_cut(parts) ? parts : magnitudes;
    cut += level.at;
    near += level.near;
    lowest = coils++ == 0 ? level.limit : std::min(lowest, level.limit);
  }
  if (coils == 0) return findings;
  findings.push_back(
      {.check = "clipping",
       .what = fmt::format("{} values of {} coils are cut at the limit of the receiver ({:.4g})", cut, coils, lowest),
       .value = static_cast<double>(cut),
       .unit = "values",
       .confidence = static_cast<double>(cut) / static_cast<double>(cut + near),
       .remedy = "none: measure again with less gain"});
  return findings;
}

}  // namespace whorl::doctor
