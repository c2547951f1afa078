#include "serve/noise_memory.hpp"

#include <fmt/format.h>
#include <cctype>
#include <complex>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>

#include "core/sha256.hpp"
#include "io/ismrmrd/xml.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::serve {

namespace {

namespace fs = std::filesystem;

constexpr const char* noise_ending = ".noise.npz";

NoiseScan copy_of(const Context& ctx, const NoiseScan& noise) {
  return {clone(ctx, noise.samples.ref()), noise.dwell_us};
}

// Other servers may use the folder too, so files that have gone meanwhile are left out.
std::vector<std::pair<fs::file_time_type, fs::path>> files_by_time(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    const fs::file_time_type time = fs::last_write_time(entry->path(), gone);
    if (!gone) files.emplace_back(time, entry->path());
  }
  std::sort(files.begin(), files.end(), std::greater<>());
  return files;
}

// Files are ordered by the time of their last use.
void note_use(const std::string& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

bool is_left_by_the_killed(const fs::path& path, fs::file_time_type written) {
  constexpr std::chrono::hours longest_write{1};
  const std::string name = path.filename().string();
  return name.starts_with(".whorl-") && name.ends_with(".tmp") &&
         fs::file_time_type::clock::now() - written > longest_write;
}

void write_noise(const Context& ctx, const std::string& path, const NoiseScan& noise) {
  Array<double> dwell(ctx, {1});
  dwell.data()[0] = noise.dwell_us;
  const std::array arrays{NamedArray{"noise", clone(ctx, noise.samples.ref()), {}},
                          NamedArray{"dwell_us", std::move(dwell), {}}};
  write_arrays(ctx, path, arrays);
}

// A damaged file, or one of another form, is as none: the measurement then does without.
NoiseScan read_noise(const Context& ctx, const std::string& path) {
  NoiseScan noise;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return noise;
  try {
    noise.samples = converted<std::complex<float>>(ctx, read_array(ctx, path + ":noise").values, path);
    const Array<double> dwell = converted<double>(ctx, read_array(ctx, path + ":dwell_us").values, path);
    if (noise.samples.rank() != 2 || dwell.size() != 1) return {};
    noise.dwell_us = dwell.data()[0];
  } catch (const Error&) {
    return {};
  }
  const bool is_finite =
      std::all_of(noise.samples.span().begin(), noise.samples.span().end(),
                  [](std::complex<float> value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); });
  return is_finite && std::isfinite(noise.dwell_us) ? std::move(noise) : NoiseScan();
}

}  // namespace

MeasurementLinks parse_links(const std::string& header, const std::string& source) {
  const io::HeaderXml xml(header, source);
  const pugi::xml_node measurement = io::element(xml.root(), "measurementInformation");
  MeasurementLinks links{io::text_in(io::element(measurement, "measurementID")), {}};
  for (const pugi::xml_node& dependency : io::elements(measurement, "measurementDependency")) {
    std::string type = io::text_in(io::element(dependency, "dependencyType"));
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char letter) { return std::tolower(letter); });
    if (type == "noise") links.noise.push_back(io::text_in(io::element(dependency, "measurementID")));
  }
  return links;
}

NoiseMemory::NoiseMemory(std::string folder, std::size_t most) : folder_(std::move(folder)), most_(most) {
  std::error_code error;
  if (!folder_.empty() && !fs::is_directory(folder_, error)) {
    throw IoError(fmt::format("'{}': there is no such folder for noise scans; make it first", folder_));
  }
}

// A client's name is no path.
std::string NoiseMemory::path_of(const std::string& id) const {
  Sha256 hash;
  hash.add(id.data(), id.size());
  return folder_ + "/" + hash.digits() + noise_ending;
}

std::string NoiseMemory::keep(const Context& ctx, const std::string& id, NoiseScan noise) {
  const std::scoped_lock lock(guard_);
  kept_.remove_if([&](const auto& one) { return one.first == id; });
  std::string reason;
  if (!folder_.empty()) {
    try {
      write_noise(ctx, path_of(id), noise);
      note_use(path_of(id));
      tidy_folder();
      return {};
    } catch (const IoError& error) {
      reason = error.what();
    }
  }
  kept_.emplace_front(id, std::move(noise));
  if (kept_.size() > most_) kept_.pop_back();
  return reason;
}

NoiseScan NoiseMemory::find(const Context& ctx, const std::string& id) {
  const std::scoped_lock lock(guard_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == id; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return copy_of(ctx, kept_.front().second);
  }
  if (folder_.empty()) return {};
  NoiseScan noise = read_noise(ctx, path_of(id));
  if (noise.samples.size() > 0) note_use(path_of(id));
  return noise;
}

// Noise scans that were used last stay.
void NoiseMemory::tidy_folder() const {
  std::size_t scans = 0;
  std::error_code ignored;
  for (const auto& [time, path] : files_by_time(folder_)) {
    const bool is_old_scan = path.string().ends_with(noise_ending) && ++scans > most_;
    if (is_old_scan || is_left_by_the_killed(path, time)) fs::remove(path, ignored);
  }
}

}  // namespace whorl::serve
