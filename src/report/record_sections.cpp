#include "report/record_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart.hpp"
#include "report/html.hpp"
#include "whorl/core/error.hpp"

namespace whorl::report {

namespace {

using io::member;
using io::text_of;
using io::texts_of;
using Rows = std::vector<std::pair<std::string, std::string>>;
using Points = std::vector<std::array<double, 2>>;

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "not known";
  return io::written(value);
}

Rows rows_of(const Json& object) {
  Rows rows;
  if (!object.is_object()) return rows;
  for (const auto& [name, value] : object.items()) rows.emplace_back(name, value_text(value));
  return rows;
}

std::vector<double> numbers_of(const Json& list) {
  std::vector<double> numbers;
  if (!list.is_array()) return numbers;
  for (const Json& value : list) numbers.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  return numbers;
}

Points paired(const std::vector<double>& x, const std::vector<double>& y) {
  Points points;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) points.push_back({x[i], y[i]});
  return points;
}

std::string bytes_text(const Json& bytes) {
  return bytes.is_number() ? fmt::format("{:.4g} MB", bytes.get<double>() / 1e6) : "not known";
}

// Names of a curve over lambda, by its column in the record.
struct Curve {
  const char* x;
  const char* y;
  const char* title;
  const char* x_label;
  const char* y_label;
};

std::string charts_of(const Json& table, double chosen) {
  constexpr std::array curves{
      Curve{"residual_norm", "penalty_norm", "L-curve", "residual |A x - d|", "penalty |W x|"},
      Curve{"lambda", "gcv", "Generalized cross-validation over lambda", "lambda", "m |A x - d|^2 / (m - T)^2"},
      Curve{"lambda", "degrees_of_freedom", "Degrees of freedom over lambda", "lambda", "trace of the influence"}};
  std::string markup;
  for (const Curve& curve : curves) {
    const Points points = paired(numbers_of(member(table, curve.x)), numbers_of(member(table, curve.y)));
    if (points.size() < 2) continue;
    std::vector<Points> lines{points};
    if (std::string_view(curve.x) == "lambda") {  // a line at the choice
      const auto [low, high] =
          std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a[1] < b[1]; });
      lines.push_back({{chosen, (*low)[1]}, {chosen, (*high)[1]}});
    }
    markup += chart({.title = curve.title,
                     .x_label = curve.x_label,
                     .y_label = curve.y_label,
                     .log_x = true,
                     .log_y = true,
                     .lines = std::move(lines)});
  }
  return markup.empty() ? markup : "<div class=\"pair\">" + markup + "</div>\n";
}

}  // namespace

std::string notes_section(const Json& record) {
  const std::vector<std::string> notes = texts_of(record, "notes");
  return notes.empty() ? "" : section("notes", "What was done", list(notes));
}

std::string convergence_section(const Json& record) {
  const Json& residuals = member(record, "residuals");
  if (!residuals.is_array() || residuals.empty()) return {};
  const Json& iterations = member(record, "residual_iterations");
  Chart curves{.title = "Relative residual of each solve",
               .x_label = "iteration",
               .y_label = "relative residual",
               .log_y = true};
  constexpr std::size_t most_curves = 32;
  std::size_t most = 0;
  double worst = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const std::vector<double> values = numbers_of(residuals[i]);
    if (values.empty()) continue;
    std::vector<double> at(values.size());
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = static_cast<double>(k);
    if (iterations.is_array() && i < iterations.size()) at = numbers_of(iterations[i]);
    most = std::max(most, at.empty() ? 0 : static_cast<std::size_t>(at.back()));
    worst = std::max(worst, values.back());
    if (curves.lines.size() < most_curves) curves.lines.push_back(paired(at, values));
  }
  std::string markup = paragraph(fmt::format("{}, {} at most, largest residual at the end {:.3g}.",
                                             counted(residuals.size(), "solve"), counted(most, "iteration"), worst));
  if (residuals.size() > most_curves) markup += paragraph(fmt::format("The first {} are drawn.", most_curves));
  return section("convergence", "Convergence", markup + chart(curves));
}

std::string lambda_section(const Json& record) {
  const Json& tables = member(record, "tables");
  if (!tables.is_object()) return {};
  std::string markup;
  for (const auto& [name, table] : tables.items()) {
    const std::vector<double> chosen = numbers_of(member(table, "chosen"));
    if (!name.starts_with("lambda_of_slice_") || chosen.empty()) continue;
    markup += paragraph(fmt::format("Slice {}: lambda {:.3g}.", name.substr(16), chosen.front())) +
              charts_of(table, chosen.front());
  }
  if (markup.empty()) return {};
  for (const std::string& note : texts_of(record, "notes")) {
    if (note.starts_with("Lambda")) markup.insert(0, paragraph(note));
  }
  return section("lambda", "Choice of lambda", markup);
}

std::string cost_section(const Json& record) {
  const Json& stages = member(record, "stage_seconds");
  std::string markup;
  if (stages.is_object() && !stages.empty()) {
    std::vector<std::pair<std::string, double>> times;
    for (const auto& [name, value] : stages.items())
      times.emplace_back(name, value.is_number() ? value.get<double>() : 0);
    markup += bars("Seconds of each stage", times, "s");
  }
  Rows rows;
  if (const Json& all = member(record, "process_seconds"); all.is_number()) {
    rows.emplace_back("whole run", fmt::format("{:.3g} s", all.get<double>()));
  }
  const Json& peak = member(record, "peak_memory_bytes");
  if (peak.is_object()) {
    rows.emplace_back("peak memory of arrays", bytes_text(member(peak, "arrays")));
    rows.emplace_back("peak memory of the process", bytes_text(member(peak, "process")));
    if (peak.contains("host_arrays"))
      rows.emplace_back("peak memory of arrays on the host", bytes_text(peak["host_arrays"]));
  }
  if (const Json& said = member(member(record, "parameters"), "memory_predicted_bytes"); said.is_number()) {
    rows.emplace_back("memory that was predicted", bytes_text(said));
  }
  for (const char* name : {"device", "device_name", "threads"}) {
    if (const Json& value = member(record, name); !value.is_null()) rows.emplace_back(name, value_text(value));
  }
  if (!rows.empty()) markup += table("Memory and machine", rows);
  return markup.empty() ? markup : section("cost", "Time and memory", markup);
}

std::string facts_section(const Json& record) {
  std::string markup = fmt::format(
      "<h3 id=\"command\">Command</h3>\n<pre id=\"command-line\" tabindex=\"0\">{}</pre>\n"
      "<button type=\"button\" id=\"copy\" hidden>Copy the command</button>\n",
      escaped(text_of(record, "command_line")));
  Rows inputs;
  if (const Json& list = member(record, "inputs"); list.is_array()) {
    for (const Json& input : list) {
      inputs.emplace_back(
          text_of(input, "path"),
          fmt::format("{} bytes, SHA-256 {}", value_text(member(input, "bytes")), text_of(input, "sha256")));
    }
  }
  if (!inputs.empty()) markup += table("Files that were read", inputs);
  Rows outputs;
  for (const std::string& path : texts_of(record, "outputs")) outputs.emplace_back("file", path);
  if (!outputs.empty()) markup += table("Files that were written", outputs);
  const Rows hashes = rows_of(member(record, "array_sha256"));
  if (!hashes.empty()) markup += table("SHA-256 of arrays", hashes);
  const Rows parameters = rows_of(member(record, "parameters"));
  if (!parameters.empty()) {
    markup +=
        "<details><summary>All options</summary>\n" + table("Options and their values", parameters) + "</details>\n";
  }
  Rows versions{{"whorl", text_of(record, "version")}, {"date (UTC)", text_of(record, "date")}};
  for (auto& row : rows_of(member(record, "build"))) versions.push_back(std::move(row));
  return section("facts", "Facts", markup + table("Versions", versions));
}

}  // namespace whorl::report
