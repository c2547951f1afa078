// The file of a tuner: a JSON object with an object for each device, which has a member for each kernel.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "studies/fhd/tuner.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::studies::fhd {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A file of a few devices is small; one that is larger is not ours, and is not read.
constexpr std::uintmax_t most_bytes = 1 << 20;

// An object, empty where the file is missing or is something else.
Json content(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most_bytes || error) return Json::object();
  std::ifstream stream(file, std::ios::binary);
  Json json = Json::parse(stream, nullptr, false);
  return json.is_object() ? json : Json::object();
}

fs::path folder_of(const char* variable) {
  const char* const value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
  return value == nullptr ? fs::path() : fs::path(value);
}

}  // namespace

std::optional<fs::path> tuning_file() {
  fs::path caches = folder_of("XDG_CACHE_HOME");
  if (!caches.is_absolute()) {
    caches = folder_of("HOME");
    if (!caches.is_absolute()) return {};
    caches /= ".cache";
  }
  return caches / "whorl" / "study_fhd.json";
}

std::optional<Tuning> kept_tuning(const fs::path& file, const std::string& device, const std::string& kernel) {
  const Json json = content(file);
  const auto kernels = json.find(device);
  if (kernels == json.end() || !kernels->is_object()) return {};
  const auto found = kernels->find(kernel);
  if (found == kernels->end() || !found->is_object()) return {};
  Tuning tuning;
  for (const auto& [name, size] : {std::pair{"threads", &tuning.threads}, std::pair{"chunk", &tuning.chunk},
                                   std::pair{"unroll", &tuning.unroll}}) {
    const auto member = found->find(name);
    if (member == found->end() || !member->is_number_integer()) return {};
    *size = member->get<int>();
  }
  return tuning;
}

void keep_tuning(const fs::path& file, const std::string& device, const std::string& kernel, const Tuning& tuning) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  Json json = content(file);
  if (!json[device].is_object()) json[device] = Json::object();
  json[device][kernel] = {{"threads", tuning.threads}, {"chunk", tuning.chunk}, {"unroll", tuning.unroll}};
  constexpr int indent = 2;
  write_file(file, json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace whorl::studies::fhd
