#include "cli/plan/plan_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output/format.hpp"
#include "whorl/job/outlook_json.hpp"
#include "whorl/plot/figure.hpp"
#include "whorl/plot/overview.hpp"
#include "whorl/recon/outlook_figures.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

double decibels(double ratio) { return 20 * std::log10(std::max(ratio, 1e-10)); }

std::string widths_text(const SpreadWidths& widths) {
  return fmt::format("{:.3g} {}", fmt::join(widths.values, " x "), widths.unit);
}

std::string range_text(const ObjectRange& found, const char* form) {
  return fmt::format("{} ({} to {} in nine of ten voxels)", fmt::format(fmt::runtime(form), found.median),
                     fmt::format(fmt::runtime(form), found.low), fmt::format(fmt::runtime(form), found.high));
}

std::string time_text(const ScanOutlook& outlook) {
  if (outlook.readouts == 0) return "not known: the trajectory does not say where readouts begin";
  std::string text = fmt::format("{} readouts", outlook.readouts);
  if (outlook.readout_ms > 0) text += fmt::format(" of {:.4g} ms", outlook.readout_ms);
  if (outlook.pass_seconds == 0) return text + "; give --repetition-time for the time of the scan";
  text += fmt::format(", {:.4g} s{}", outlook.pass_seconds,
                      outlook.back_to_back ? " without pauses (--repetition-time, --dead-time)" : "");
  if (outlook.averages != 1) {
    text += fmt::format("; {:.4g} averages, {:.4g} s", outlook.averages, outlook.averages * outlook.pass_seconds);
  }
  return text;
}

Json to_json(const PlannedScan& plan) {
  Json json{{"trajectory", plan.trajectory}};
  for (const auto& [name, value] : plan.swept) json["swept"][name] = value;
  json.update(Json::parse(outlook_json(plan.outlook)));
  return json;
}

}  // namespace

std::string plan_text(const PlannedScan& plan) {
  const ScanOutlook& outlook = plan.outlook;
  const auto line = [](const char* name, const std::string& value) { return fmt::format("{:<14}{}\n", name, value); };
  const auto image = [&](const char* name, const ImageOutlook& of) {
    return line(name, "SNR " + range_text(range_over(of.snr, outlook.object), "{:.4g}")) +
           line("", fmt::format("point spread {} at half maximum, side lobes {:.1f} dB",
                                widths_text(spread_widths(outlook, of)), decibels(of.side_lobe)));
  };
  std::string text = image("least squares", outlook.least_squares);
  text += line("g-factor", range_text(range_over(outlook.g_factor, outlook.object), "{:.3f}"));
  text += image("gridding", outlook.gridding);
  text += line("scan", time_text(outlook));
  return text + line("work", fmt::format("{}, {:.2g} s here, {} coils, {} iterations to 1e-6, A^H A as a {}",
                                         format_bytes(static_cast<std::uint64_t>(outlook.bytes)), outlook.seconds,
                                         outlook.coils, outlook.iterations,
                                         outlook.convolution ? "convolution" : "pair of transforms"));
}

std::string plan_table(const std::vector<PlannedScan>& plans) {
  std::string text;
  for (const auto& [name, value] : plans.front().swept) text += fmt::format("{:>10}", name);
  text += fmt::format("{:>10}{:>11}{:>10}{:>10}{:>9}{:>9}{:>12}{:>10}{:>10}{:>13}{:>10}\n", "readouts", "readout ms",
                      "pass s", "averages", "SNR", "g", "width", "lobe dB", "gridding", "memory", "recon s");
  for (const PlannedScan& plan : plans) {
    const ScanOutlook& outlook = plan.outlook;
    const SpreadWidths widths = spread_widths(outlook, outlook.least_squares);
    for (const auto& [name, value] : plan.swept) text += fmt::format("{:>10}", value);
    text += fmt::format(
        "{:>10}{:>11.4g}{:>10.4g}{:>10.3f}{:>9.4g}{:>9.3f}{:>12}{:>10.1f}{:>10.4g}{:>13}{:>10.2g}\n", outlook.readouts,
        outlook.readout_ms, outlook.pass_seconds, outlook.averages,
        range_over(outlook.least_squares.snr, outlook.object).median,
        range_over(outlook.g_factor, outlook.object).median,
        fmt::format("{:.3g} {}", *std::max_element(widths.values.begin(), widths.values.end()), widths.unit),
        decibels(outlook.least_squares.side_lobe), range_over(outlook.gridding.snr, outlook.object).median,
        format_bytes(static_cast<std::uint64_t>(outlook.bytes)), outlook.seconds);
  }
  return text +
         "SNR, g and gridding (its SNR): medians of the object. width: the largest of the axes. lobe: farther than "
         "3 voxels.\n";
}

std::string plan_json(const std::vector<PlannedScan>& plans) {
  Json json;
  if (plans.size() == 1 && plans.front().swept.empty()) {
    json = to_json(plans.front());
  } else {
    json["plans"] = Json::array();
    for (const PlannedScan& plan : plans) json["plans"].push_back(to_json(plan));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_plan_picture(const Context& ctx, const std::string& path, const ScanOutlook& outlook) {
  OverviewOptions options;
  if (outlook.voxel_mm[0] > 0) options.edges = outlook.voxel_mm;
  const auto volumes = [](const Array<float>& map) { return map.ref().reshape(map.shape().with_front(1)); };
  std::vector<Picture> pictures;
  pictures.push_back(map_picture(ctx, volumes(outlook.least_squares.snr), options, "SNR of least squares"));
  pictures.push_back(map_picture(ctx, volumes(outlook.gridding.snr), options, "SNR of gridding"));
  pictures.push_back(map_picture(ctx, volumes(outlook.g_factor), options, "g-factor"));
  Array<float> spread(ctx, outlook.point_spread.shape());
  float peak = 0;
  for (const auto value : outlook.point_spread.span()) peak = std::max(peak, std::abs(value));
  constexpr double floor_db = -60;
  std::transform(outlook.point_spread.span().begin(), outlook.point_spread.span().end(), spread.span().begin(),
                 [&](std::complex<float> value) {
                   return static_cast<float>(std::max(floor_db, decibels(std::abs(value) / peak)));
                 });
  options.window = {floor_db, 0};
  pictures.push_back(map_picture(ctx, volumes(spread), options, "point spread (dB)"));
  write_picture(ctx, path, in_rows(pictures, 2, 8));
}

void write_sweep_picture(const Context& ctx, const std::string& path, const std::vector<PlannedScan>& plans) {
  const auto& swept = plans.front().swept.front();
  std::vector<double> at;
  for (const PlannedScan& plan : plans) {
    const std::string& value = plan.swept.front().second;
    at.push_back(is_number(value) ? std::stod(value) : static_cast<double>(at.size() + 1));
  }
  const auto series = [&](const auto& of, PlotColor color, const std::string& label) {
    Series found{.x = at, .y = {}, .color = color, .label = label};
    for (const PlannedScan& plan : plans) found.y.push_back(of(plan.outlook));
    return found;
  };
  const auto panel = [&](const char* title, std::vector<Series> lines) {
    return Panel{.title = title, .x_label = swept.first, .y_label = title, .series = std::move(lines)};
  };
  const std::string unit = spread_widths(plans.front().outlook, plans.front().outlook.least_squares).unit;
  const auto snr = [](const ImageOutlook ScanOutlook::*image) {
    return [image](const ScanOutlook& outlook) { return range_over((outlook.*image).snr, outlook.object).median; };
  };
  const auto g = [](const ScanOutlook& outlook) { return range_over(outlook.g_factor, outlook.object).median; };
  const auto width = [](const ScanOutlook& outlook) {
    const SpreadWidths widths = spread_widths(outlook, outlook.least_squares);
    return *std::max_element(widths.values.begin(), widths.values.end());
  };
  Figure figure;
  figure.columns = 3;
  figure.panels = {panel("SNR", {series(snr(&ScanOutlook::least_squares), PlotColor::blue, "least squares"),
                                 series(snr(&ScanOutlook::gridding), PlotColor::orange, "gridding")}),
                   panel("g-factor", {series(g, PlotColor::blue, "")}),
                   panel(("width (" + unit + ")").c_str(), {series(width, PlotColor::blue, "")})};
  write_figure(ctx, path, figure);
}

}  // namespace whorl::cli
