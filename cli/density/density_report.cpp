#include "cli/density/density_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output/print.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const DensityReport& report) {
  if (!report.reason.empty()) return {{"method", report.method}, {"does_not_apply", report.reason}};
  const DensityQuality& quality = report.quality;
  return {{"method", report.method},
          {"origin", report.origin},
          {"side_lobe", quality.response.side_lobe},
          {"side_lobe_db", quality.side_lobe_db()},
          {"side_lobe_energy", quality.response.side_lobe_energy},
          {"main_lobe_pixels", quality.response.width},
          {"flatness",
           {{"variation", quality.flatness.variation},
            {"least", quality.flatness.least},
            {"most", quality.flatness.most},
            {"grid_points", quality.flatness.grid_points}}},
          {"weights", {{"least", report.least_weight}, {"most", report.most_weight}}},
          {"seconds", report.seconds}};
}

}  // namespace

std::string to_text(const DensityReport& report) {
  const auto line = [](const char* name, const std::string& value) { return fmt::format("{:<18}{}\n", name, value); };
  const DensityQuality& quality = report.quality;
  std::string text = line("method", fmt::format("{} ({})", report.method, report.origin));
  text += line("side lobe", fmt::format("{:.1f} dB ({:.2f} % of the peak, farther than {} pixels from it)",
                                        quality.side_lobe_db(), 100 * quality.response.side_lobe, main_lobe_radius));
  text += line("side-lobe energy", fmt::format("{:.2f} %", 100 * quality.response.side_lobe_energy));
  text += line("main lobe", fmt::format("{:.3f} pixels wide at half maximum", quality.response.width));
  text += line("flatness",
               fmt::format("{:.4f} (gridded weights: standard deviation over mean), from {:.3g} to {:.3g} of the mean",
                           quality.flatness.variation, quality.flatness.least, quality.flatness.most));
  text += line("weights", fmt::format("{:.4g} to {:.4g}, mean 1", report.least_weight, report.most_weight));
  text += line("time", fmt::format("{:.2f} s", report.seconds));
  return text;
}

std::string to_table(const std::vector<DensityReport>& reports) {
  std::string text = fmt::format("{:<12}{:>10}{:>10}{:>11}{:>10}{:>11}{:>11}{:>10}\n", "method", "side lobe", "energy",
                                 "main lobe", "flatness", "least", "most", "time");
  std::string others;
  for (const DensityReport& report : reports) {
    if (!report.reason.empty()) {
      others += fmt::format("{:<12}does not apply: {}\n", report.method, report.reason);
      continue;
    }
    const DensityQuality& quality = report.quality;
    text += fmt::format("{:<12}{:>7.1f} dB{:>8.2f} %{:>8.2f} px{:>10.4f}{:>11.3g}{:>11.4g}{:>8.2f} s\n", report.method,
                        quality.side_lobe_db(), 100 * quality.response.side_lobe_energy, quality.response.width,
                        quality.flatness.variation, report.least_weight, report.most_weight, report.seconds);
  }
  return text + others;
}

void write_json(const Context& ctx, const std::string& path, const std::string& scan, Index samples,
                const std::vector<DensityReport>& reports) {
  Json json{{"scan", scan}, {"samples", samples}, {"threads", ctx.threads()}, {"methods", Json::array()}};
  for (const DensityReport& report : reports) json["methods"].push_back(to_json(report));
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path == "-") {
    print(text);
    return;
  }
  write_file(path, text);
}

}  // namespace whorl::cli
