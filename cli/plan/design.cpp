#include "cli/plan/design.hpp"

#include <fmt/format.h>

#include "cli/app.hpp"
#include "cli/help/mistake.hpp"
#include "cli/traj/traj.hpp"

namespace whorl::cli {

namespace {

constexpr const char* usage = "expected the words of whorl traj: 'radial --matrix 64 --spokes 32'";

Command group_of_design(const std::string& family, Scan& scan) {
  Command traj{"traj", "Make a trajectory", "", {}};
  traj.subcommands.push_back(designed_scan_command(family, scan));
  return traj;
}

}  // namespace

struct TrajectoryDesign::Parsed {
  explicit Parsed(const std::string& family) : program({group_of_design(family, scan)}) {}

  Scan scan;
  Program program;
};

TrajectoryDesign::TrajectoryDesign(const std::vector<std::string>& words) {
  if (words.empty()) refuse_option("--design", usage);
  parsed_ = std::make_shared<Parsed>(words.front());
  std::vector<std::string> line{"traj"};
  line.insert(line.end(), words.begin(), words.end());
  try {
    parsed_->program.parse(line);
  } catch (const CLI::ParseError& error) {
    refuse_option("--design", describe_mistake(parsed_->program, error, line));
  }
}

Scan TrajectoryDesign::make(const Session& session) const {
  parsed_->program.chosen_run()(session);
  return std::move(parsed_->scan);
}

std::vector<SweptOption> swept_options(const std::string& list) {
  std::vector<SweptOption> swept;
  for (const std::string& word : CLI::detail::split(list, ',')) {
    const auto equals = word.find('=');
    if (equals != std::string::npos) swept.push_back({word.substr(0, equals), {}});
    if (swept.empty() || swept.back().name.empty()) {
      refuse_option("--sweep", fmt::format("'{}' is no NAME=VALUE,VALUE, such as spokes=16,32,64", list));
    }
    swept.back().values.push_back(equals == std::string::npos ? word : word.substr(equals + 1));
  }
  return swept;
}

}  // namespace whorl::cli
