#include "io/convert/file_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/convert/names.hpp"

namespace whorl::io {

namespace {

constexpr std::array matrix_names{"matrix",     "matrixsize", "matrix_size", "mtx",          "mtx_reco",    "mtxsize",
                                  "image_size", "imagesize",  "imsize",      "recon_matrix", "matrix_recon"};
constexpr std::array pixel_names{"nx", "ny", "nz"};
constexpr std::array view_names{"fov", "field_of_view", "fieldofview"};
constexpr std::array dwell_names{"dwell",      "dwell_time",    "dwelltime", "sample_time",
                                 "sampletime", "sampling_time", "dt"};
constexpr std::array echo_names{"te", "tes", "echo_time", "echo_times", "echotime", "echotimes"};

/// The ending of an array's name that says its unit, and the factor to the unit that is wanted; 0: no unit is said.
struct Unit {
  const char* ending;
  double factor;
};

struct Fact {
  std::string name;
  std::vector<double> numbers;
};

/// Positive numbers of an array that is called `usual` and, where `ending` allows it, a unit: "fov_mm". They are at most `most`, a
/// number for each axis of the image; more where they are counted.
template <std::size_t N>
Fact find_fact(const Context& ctx, const ArrayInputs& inputs, const std::array<const char*, N>& usual,
               const std::string& ending = {}, Index most = 3) {
  for (std::size_t i = 0; i < inputs.infos.size(); ++i) {
    std::string name = inputs.infos[i].name;
    const std::string last = lower(last_part(name));
    const bool wanted =
        std::any_of(usual.begin(), usual.end(), [&](const char* known) { return last == known + ending; });
    const bool is_series = inputs.infos[i].element_axes > 0 && most == 3;
    if (!wanted || inputs.infos[i].is_complex || is_series || shape_of(inputs.arrays[i].values).size() > most) continue;
    const auto values = converted<double>(ctx, inputs.arrays[i].values, name);
    Fact fact{std::move(name), {values.span().begin(), values.span().end()}};
    const bool positive = std::all_of(fact.numbers.begin(), fact.numbers.end(),
                                      [](double value) { return std::isfinite(value) && value > 0; });
    if (positive && !fact.numbers.empty()) return fact;
  }
  return {};
}

/// 0 where the numbers are no matrix.
std::array<Index, 3> matrix_of(std::vector<double> numbers, bool is_3d) {
  constexpr double most = 65535;
  const bool whole = std::all_of(numbers.begin(), numbers.end(),
                                 [](double value) { return value == std::round(value) && value <= most; });
  if (!whole || numbers.empty()) return {};
  if (numbers.size() == 1) numbers.resize(is_3d ? 3 : 2, numbers.front());
  numbers.resize(3, 1);
  return {static_cast<Index>(numbers[0]), static_cast<Index>(numbers[1]), static_cast<Index>(numbers[2])};
}

void use_matrix(const Context& ctx, const ArrayInputs& inputs, bool is_3d, ConvertOptions& options, Notes& notes) {
  Fact fact = find_fact(ctx, inputs, matrix_names);
  if (fact.name.empty()) {
    for (const char* name : pixel_names) {
      const Fact pixels = find_fact(ctx, inputs, std::array{name});
      if (pixels.numbers.size() != 1) break;
      fact.name += (fact.name.empty() ? "" : ", ") + pixels.name;
      fact.numbers.push_back(pixels.numbers.front());
    }
    if (fact.numbers.size() < 2) return;
  }
  const std::array<Index, 3> matrix = matrix_of(fact.numbers, is_3d);
  if (matrix[0] == 0) return;
  options.matrix = matrix;
  notes.emplace_back(fmt::format("Matrix {} by the file's {}.", fmt::join(matrix, " x "), fact.name));
}

void use_field_of_view(const Context& ctx, const ArrayInputs& inputs, ConvertOptions& options, Notes& notes) {
  for (const auto& [ending, mm] : {Unit{"_mm", 1}, Unit{"_cm", 10}, Unit{"_m", 1000}, Unit{"", 0}}) {
    Fact fact = find_fact(ctx, inputs, view_names, ending);
    if (fact.name.empty()) continue;
    // Without a unit: meters up to 1; from 60 on, millimeters. What lies between may be centimeters.
    constexpr double most_meters = 1;
    constexpr double least_mm = 60;
    const auto [least, most] = std::minmax_element(fact.numbers.begin(), fact.numbers.end());
    const double factor = mm > 0 ? mm : *most <= most_meters ? 1000 : *most >= least_mm && *least >= 1 ? 1 : 0;
    if (factor == 0) {
      notes.emplace_back(fmt::format("The file's {} is {}, whose unit can not be told: give the field of view.",
                                     fact.name, fmt::join(fact.numbers, " x ")),
                         NoteKind::doubt);
      return;
    }
    if (fact.numbers.size() == 1) fact.numbers.push_back(fact.numbers.front());
    for (std::size_t axis = 0; axis < fact.numbers.size(); ++axis) {
      options.field_of_view_mm[axis] = fact.numbers[axis] * factor;
    }
    if (fact.numbers.size() == 2 && options.matrix[2] > 1 && options.matrix[0] == options.matrix[2]) {
      options.field_of_view_mm[2] = options.field_of_view_mm[0];
    }
    notes.emplace_back(
        fmt::format("Field of view {} mm by the file's {}.", fmt::join(options.field_of_view_mm, " x "), fact.name));
    return;
  }
}

void use_dwell(const Context& ctx, const ArrayInputs& inputs, ConvertOptions& options, Notes& notes) {
  for (const auto& [ending, us] : {Unit{"_us", 1}, Unit{"_ns", 1e-3}, Unit{"_ms", 1e3}, Unit{"_s", 1e6}, Unit{"", 0}}) {
    const Fact fact = find_fact(ctx, inputs, dwell_names, ending);
    if (fact.numbers.size() != 1) continue;
    const double value = fact.numbers.front();
    // Samples are 0.2 to 100 us apart, which tells seconds from milliseconds and microseconds.
    constexpr double least_us = 0.2;
    constexpr double most_us = 100;
    double factor = us;
    for (const double candidate : {1.0, 1e3, 1e6}) {
      if (us == 0 && value * candidate >= least_us && value * candidate <= most_us) factor = candidate;
    }
    if (factor == 0) return;
    options.dwell_us = value * factor;
    notes.emplace_back(fmt::format("Sample time {:g} us by the file's {}.", options.dwell_us, fact.name));
    return;
  }
}

/// Milliseconds of a number without a unit: what echo times of one unit are not in another. 0: not to be told.
double echo_time_factor(const std::vector<double>& numbers) {
  const double longest = *std::max_element(numbers.begin(), numbers.end());
  constexpr double most_seconds = 0.3;
  constexpr double least_us = 1000;
  constexpr double least_ms = 0.02;
  if (longest >= least_us) return 1e-3;
  if (numbers.size() > 1 && longest >= most_seconds && longest < 1)
    return 0;  // a long train in s, or ultrashort ones in ms
  if (longest >= most_seconds) return 1;
  return numbers.size() == 1 && longest >= least_ms ? 0 : 1e3;  // one of 0.07 may be an ultrashort one in ms
}

}  // namespace

std::vector<double> find_echo_times(const Context& ctx, const ArrayInputs& inputs, std::string& name) {
  for (const auto& [ending, ms] : {Unit{"_ms", 1}, Unit{"_us", 1e-3}, Unit{"_s", 1e3}, Unit{"", 0}}) {
    constexpr Index most = 1000;
    Fact fact = find_fact(ctx, inputs, echo_names, ending, most);
    if (fact.name.empty()) continue;
    const double factor = ms > 0 ? ms : echo_time_factor(fact.numbers);
    if (factor == 0) return {};
    for (double& number : fact.numbers) number *= factor;
    name = fact.name;
    return fact.numbers;
  }
  return {};
}

void use_echo_times(const Context& ctx, const ArrayInputs& inputs, ConvertOptions& options, Notes& notes) {
  if (!options.echo_times_ms.empty()) return;
  std::string name;
  options.echo_times_ms = find_echo_times(ctx, inputs, name);
  if (!name.empty()) {
    notes.emplace_back(
        fmt::format("Echo times {:g} ms by the file's {}.", fmt::join(options.echo_times_ms, ", "), name));
  }
}

void set_echo_times(Scan& scan, const std::vector<double>& times, const ConvertOptions& stated) {
  scan.echo_times_ms = times;
  int contrasts = 0;
  for (const ScanFrame& frame : scan.frames) contrasts = std::max(contrasts, frame.index.contrast + 1);
  if (scan.echo_times_ms.empty() || std::cmp_equal(scan.echo_times_ms.size(), contrasts)) return;
  if (!stated.echo_times_ms.empty()) {
    throw ValueError(
        fmt::format("{}: {} echo times for {} contrasts; expected one for each (data-axes names contrasts)",
                    scan.source, scan.echo_times_ms.size(), contrasts));
  }
  scan.notes.emplace_back(fmt::format("The file's {} echo times were left out, since the data have {} contrasts; "
                                      "contrast is a name for the option data-axes.",
                                      scan.echo_times_ms.size(), contrasts),
                          NoteKind::doubt);
  scan.echo_times_ms.clear();
}

void use_file_facts(const Context& ctx, const ArrayInputs& inputs, bool is_3d, ConvertOptions& options, Notes& notes) {
  if (options.matrix == std::array<Index, 3>{}) use_matrix(ctx, inputs, is_3d, options, notes);
  if (options.field_of_view_mm == std::array<double, 3>{}) use_field_of_view(ctx, inputs, options, notes);
  if (options.dwell_us == 0) use_dwell(ctx, inputs, options, notes);
}

}  // namespace whorl::io
