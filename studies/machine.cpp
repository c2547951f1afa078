#include "studies/machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <thread>

namespace whorl::studies {

namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  const std::string key = "model name";
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string host() { return fmt::format("{}, {} processors", processor(), std::thread::hardware_concurrency()); }

}  // namespace

std::string driver_in(const std::string& line) {
  static const std::regex version(R"(\b[0-9]{3,4}\.[0-9]+(\.[0-9]+)*\b)");
  std::smatch found;
  return std::regex_search(line, found, version) ? found.str() : std::string();
}

std::optional<double> load_of_machine() {
  std::ifstream file("/proc/loadavg");
  double load = 0;
  return file >> load ? std::optional(load) : std::nullopt;
}

std::string machine_of(const Context& ctx) {
  if (ctx.device().kind == DeviceKind::cpu) return host();
  std::string gpu = describe(ctx.device());
  gpu.resize(std::min(gpu.size(), gpu.find(", ")));  // without its free memory
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  const std::string driver = driver_in(line);
  return gpu + (driver.empty() ? "" : " (driver " + driver + ")") + "; " + host();
}

}  // namespace whorl::studies
