#include "studies/power/rapl.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace whorl::studies {

namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file) {
  std::ifstream stream(file);
  double value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

// "intel-rapl:0" is a package, whoever made it; "intel-rapl:0:1" a part of it, "intel-rapl-mmio:0" the same once more.
bool names_package(const std::string& name) {
  const std::string before = "intel-rapl:";
  return name.starts_with(before) && name.find(':', before.size()) == std::string::npos;
}

}  // namespace

std::unique_ptr<RaplMeter> RaplMeter::open(const fs::path& folder) {
  std::vector<Package> packages;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!names_package(entry->path().filename().string())) continue;
    const fs::path counter = entry->path() / "energy_uj";
    const auto now = number_in(counter);
    const auto range = number_in(entry->path() / "max_energy_range_uj");
    if (now && range) packages.push_back({counter, *range, *now});
  }
  if (packages.empty()) return nullptr;
  return std::unique_ptr<RaplMeter>(new RaplMeter(std::move(packages)));
}

double RaplMeter::joules() {
  constexpr double per_microjoule = 1e-6;
  double sum = 0;
  for (Package& package : packages_) {
    const double now = number_in(package.counter).value_or(package.last);
    package.sum += now - package.last + (now < package.last ? package.range : 0);
    package.last = now;
    sum += package.sum;
  }
  return per_microjoule * sum;
}

}  // namespace whorl::studies
