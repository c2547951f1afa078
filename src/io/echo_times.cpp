#include "whorl/io/echo_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/convert/file_facts.hpp"
#include "io/convert/joined_inputs.hpp"
#include "io/format.hpp"
#include "io/nifti/stack_files.hpp"
#include "io/records/record_json.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/record.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;

bool are_times(const std::vector<double>& times) {
  return std::all_of(times.begin(), times.end(), [](double time) { return std::isfinite(time) && time >= 0; });
}

// EchoTime in seconds: one of all volumes, or a list of theirs.
std::vector<double> times_of_sidecar(const fs::path& image) {
  std::error_code ignored;
  const fs::path path = io::sidecar_path(image);
  const bool nifti = image.extension() == ".nii" || image.extension() == ".gz";
  if (!nifti || !fs::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  const io::RecordJson sidecar = io::RecordJson::parse(file, nullptr, false);
  const io::RecordJson& stated = io::member(sidecar, "EchoTime");
  std::vector<double> times;
  if (stated.is_number()) times.push_back(1e3 * stated.get<double>());
  if (!stated.is_array()) return times;
  for (const io::RecordJson& time : stated) {
    if (!time.is_number()) return {};
    times.push_back(1e3 * time.get<double>());
  }
  return times;
}

std::vector<double> times_of_record(const fs::path& image) {
  const auto record = io::find_record(record_path(image));
  if (!record) return {};
  std::istringstream text(io::text_of(io::member(*record, "parameters"), "echo_times_ms"));
  std::vector<double> times;
  for (std::string number; std::getline(text, number, ',');) {
    times.push_back(std::strtod(number.c_str(), nullptr));
  }
  return times;
}

std::vector<double> times_beside(const Context& ctx, const fs::path& path) {
  const io::Format* format = io::recognize(io::read_start(path));
  const bool named = format != nullptr && (format->name == "npz" || format->name == "matlab" || format->name == "hdf5");
  std::string name;
  return named ? io::find_echo_times(ctx, io::read_inputs(ctx, {path}), name) : std::vector<double>();
}

}  // namespace

std::vector<double> image_echo_times_ms(const Context& ctx, const std::vector<std::string>& files) {
  std::vector<double> all;
  for (const std::string& file : files) {
    const fs::path path = file_of(file);
    std::vector<double> times = times_of_sidecar(path);
    if (times.empty()) times = times_of_record(path);
    if (times.empty()) times = times_beside(ctx, path);
    if (times.empty() || !are_times(times)) return {};
    all.insert(all.end(), times.begin(), times.end());
  }
  return all;
}

}  // namespace whorl
