#include "studies/heat/program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include "studies/cited.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::heat {

namespace {

constexpr double half = cited_number("heat", "15");
constexpr std::size_t points = 999;  // between the walls
constexpr auto steps = static_cast<std::size_t>(cited_number("heat", "1496502")) / points;
constexpr double rate = 0.25;  // dt / h^2

using Levels = std::vector<std::vector<double>>;

/// sin(pi (x + 15) / 30), which the differences multiply by the same factor in each step.
Levels solve() {
  Levels u(steps + 1, std::vector<double>(points + 2));
  for (std::size_t i = 1; i <= points; ++i)
    u[0][i] = std::sin(std::numbers::pi * static_cast<double>(i) / (points + 1));
  for (std::size_t n = 0; n < steps; ++n) {
    for (std::size_t i = 1; i <= points; ++i) u[n + 1][i] = u[n][i] + rate * (u[n][i - 1] - 2 * u[n][i] + u[n][i + 1]);
  }
  return u;
}

double error_of(const Levels& u) {
  const double sine = std::sin(std::numbers::pi / (2 * (points + 1)));
  const double factor = std::pow(1 - 4 * rate * sine * sine, static_cast<double>(steps));
  double most = 0;
  for (std::size_t i = 0; i < u[0].size(); ++i) most = std::max(most, std::abs(u.back()[i] - factor * u[0][i]));
  return most;
}

void write_plot(const Levels& u) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  if (file == nullptr) throw IoError("heat: cannot make a temporary file for the plot");
  const double h = 2 * half / (points + 1);
  for (const std::vector<double>& level : u) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      fmt::print(file.get(), "{} {}\n", -half + h * static_cast<double>(i), level[i]);
    }
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Table program_table() {
  const auto start = std::chrono::steady_clock::now();
  const Levels u = solve();
  const double solving = seconds_since(start);
  const auto plot = std::chrono::steady_clock::now();
  write_plot(u);
  const double plotting = seconds_since(plot);
  constexpr auto profile = cited_numbers<3>("heat", "8.70 4.35 26.09");
  constexpr double all = profile[0] + profile[1] + profile[2];
  constexpr double percent = 100;
  Table table{"program",
              fmt::format("The team's program: {} steps of {} points from -{} to {}, and a plot of all of them", steps,
                          points, half, half),
              {"part", "s", "% of the time", "% there", "largest error"},
              {}};
  table.rows.push_back({"steps", solving, percent * solving / (solving + plotting),
                        percent * (profile[0] + profile[1]) / all, error_of(u)});
  table.rows.push_back(
      {"plot (writePlot)", plotting, percent * plotting / (solving + plotting), percent * profile[2] / all, {}});
  return table;
}

}  // namespace whorl::studies::heat
