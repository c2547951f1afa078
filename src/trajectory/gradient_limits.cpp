#include "whorl/trajectory/gradient_limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 10> nuclei{{{"1H", 42.577},
                                                                      {"2H", 6.536},
                                                                      {"3He", 32.435},
                                                                      {"7Li", 16.547},
                                                                      {"13C", 10.706},
                                                                      {"17O", 5.772},
                                                                      {"19F", 40.063},
                                                                      {"23Na", 11.262},
                                                                      {"31P", 17.236},
                                                                      {"129Xe", 11.777}}};

}  // namespace

std::vector<std::string> nucleus_names() {
  std::vector<std::string> names;
  names.reserve(nuclei.size());
  for (const auto& nucleus : nuclei) names.emplace_back(nucleus.first);
  return names;
}

double gyromagnetic_ratio(std::string_view nucleus) {
  for (const auto& [name, ratio] : nuclei) {
    if (name == nucleus) return ratio;
  }
  double ratio = 0;
  const auto result = std::from_chars(nucleus.data(), nucleus.data() + nucleus.size(), ratio);
  if (result.ec == std::errc{} && result.ptr == nucleus.data() + nucleus.size() && std::isfinite(ratio) && ratio > 0) {
    return ratio;
  }
  throw ValueError(fmt::format("gyromagnetic ratio: '{}' is not known; expected {}, or a number of MHz/T above 0",
                               nucleus, fmt::join(nucleus_names(), ", ")));
}

// MHz/T mT/m mm = 1e6 1e-3 1e-3 cycles per pixel and second = 1e-6 cycles per pixel and microsecond.
double GradientLimits::speed() const { return gamma_mhz_per_t * amplitude_mt_per_m * pixel_mm * 1e-6; }
// MHz/T T/m/s mm = 1e6 1e-3 cycles per pixel and second squared = 1e-9 cycles per pixel and microsecond squared.
double GradientLimits::acceleration() const { return gamma_mhz_per_t * slew_t_per_m_s * pixel_mm * 1e-9; }
double GradientLimits::amplitude_per_speed() const { return 1e6 / (gamma_mhz_per_t * pixel_mm); }

void check_gradient_limits(std::string_view operation, const GradientLimits& limits) {
  option_table<GradientLimits>().check(limits, operation);
}

}  // namespace whorl
