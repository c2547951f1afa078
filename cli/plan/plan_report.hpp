// What whorl plan says: text, JSON and pictures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "whorl/recon/outlook.hpp"

namespace whorl::cli {

/// A plan, and the values of the swept options, by name.
struct PlannedScan {
  std::string trajectory;
  std::vector<std::pair<std::string, std::string>> swept{};
  ScanOutlook outlook;
};

/// One fact a line.
std::string plan_text(const PlannedScan& plan);
/// One plan a line.
std::string plan_table(const std::vector<PlannedScan>& plans);
std::string plan_json(const std::vector<PlannedScan>& plans);

/// Maps of one plan: SNR of both methods, g-factor and the point spread.
void write_plan_picture(const Context& ctx, const std::string& path, const ScanOutlook& outlook);
/// SNR, g-factor and width over the values of the first swept option; values that are no numbers count from 1.
void write_sweep_picture(const Context& ctx, const std::string& path, const std::vector<PlannedScan>& plans);

}  // namespace whorl::cli
