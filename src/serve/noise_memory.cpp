#include "serve/noise_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
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

std::vector<fs::directory_entry> noise_files(const std::string& folder) {
  std::vector<fs::directory_entry> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().string().ends_with(noise_ending)) files.push_back(entry);
  }
  return files;
}

void write_noise(const Context& ctx, const std::string& path, const NoiseScan& noise) {
  Array<double> dwell(ctx, {1});
  dwell.data()[0] = noise.dwell_us;
  const std::array arrays{NamedArray{"noise", clone(ctx, noise.samples.ref()), {}},
                          NamedArray{"dwell_us", std::move(dwell), {}}};
  write_arrays(ctx, path, arrays);
}

// A damaged file is as none: the measurement then does without.
NoiseScan read_noise(const Context& ctx, const std::string& path) {
  NoiseScan noise;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return noise;
  try {
    noise.samples = converted<std::complex<float>>(ctx, read_array(ctx, path + ":noise").values, path);
    noise.dwell_us = converted<double>(ctx, read_array(ctx, path + ":dwell_us").values, path).data()[0];
  } catch (const Error&) {
    return {};
  }
  if (noise.samples.rank() != 2) return {};
  return noise;
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

void NoiseMemory::keep(const Context& ctx, const std::string& id, NoiseScan noise) {
  const std::scoped_lock lock(guard_);
  if (!folder_.empty()) {
    write_noise(ctx, path_of(id), noise);
    forget_oldest();
  }
  kept_.remove_if([&](const auto& one) { return one.first == id; });
  kept_.emplace_front(id, std::move(noise));
  if (kept_.size() > most_) kept_.pop_back();
}

NoiseScan NoiseMemory::find(const Context& ctx, const std::string& id) {
  const std::scoped_lock lock(guard_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == id; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return copy_of(ctx, kept_.front().second);
  }
  return folder_.empty() ? NoiseScan() : read_noise(ctx, path_of(id));
}

void NoiseMemory::forget_oldest() {
  std::vector<fs::directory_entry> files = noise_files(folder_);
  std::sort(files.begin(), files.end(),
            [](const auto& one, const auto& other) { return one.last_write_time() > other.last_write_time(); });
  for (std::size_t i = most_; i < files.size(); ++i) fs::remove(files[i].path());
}

}  // namespace whorl::serve
