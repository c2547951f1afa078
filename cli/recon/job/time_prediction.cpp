#include "cli/recon/job/time_prediction.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <variant>

#include "cli/recon/job/shared_reading.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/mapped_array.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

const Clock::time_point loaded = Clock::now();

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double file_bytes(const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t bytes = fs::file_size(path, unknown);
  return unknown ? 0 : static_cast<double>(bytes);
}

// Voxels of all images that are written: with a subspace those of its components, and of the frames if they are asked for.
double voxels_of(const PredictedRun& run) {
  Index images = std::ssize(run.scan.frames);
  if (run.basis != nullptr) {
    const Index frames = images;
    images = run.plan.solves * run.basis->components();
    if (!run.request.subspace.frames.empty()) images += frames;
  }
  return static_cast<double>(run.scan.image_shape().size() * images);
}

fs::path speeds_file(const Context& device) {
  fs::path folder;
  if (const char* const given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given != '\0') {
    folder = given;
  } else if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".cache";
  } else {
    return {};
  }
  std::array<char, 256> machine{};
  if (::gethostname(machine.data(), machine.size() - 1) != 0) return {};
  std::string name = fmt::format("speeds-{}-{}-{}.json", machine.data(), to_string(device.device()), device.threads());
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return letter == '/' || letter == ':'; }, '-');
  return folder / "whorl" / name;
}

// What stages take the same time per unit for.
std::string kind_of(const PredictedRun& run) {
  const auto& [scan, request, plan, basis, processes, devices] = run;
  constexpr std::array told{"method", "maps",   "maps_from",   "transform", "penalty", "regularize",
                            "solver", "lambda", "combination", "combine",   "density", "virtual_coils"};
  const fs::path output = request.image_name();
  std::string kind = fmt::format("{}D {}", scan.dim(), output.extension().string());
  for (const auto& [name, value] : describe(request.recon)) {
    if (std::find(told.begin(), told.end(), name) == told.end()) continue;
    kind += std::visit([&](const auto& held) { return fmt::format(", {} {}", name, held); }, value);
  }
  if (basis != nullptr) kind += fmt::format(", subspace of {}", basis->components());
  if (processes > 1) kind += fmt::format(", {} processes", processes);
  if (devices > 1) kind += fmt::format(", {} devices", devices);
  for (const auto& spilled : plan.spilled) kind += ", spilled " + spilled.first;
  return kind;
}

Json read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Json json = Json::parse(file, nullptr, false);
  return json.is_object() && json.value("version", Json()) == version() ? json : Json{{"version", version()}};
}

Json to_json(const StageSpeed& speed) { return Json::array({speed.once, speed.per_unit}); }

StageSpeed speed_from(const Json& json) { return {json.at(0).get<double>(), json.at(1).get<double>()}; }

}  // namespace

double process_seconds() { return seconds_since(loaded); }

void add_process_times(const ProcessTimes& times, RunRecord& record) {
  auto& stages = record.stage_seconds;
  stages.emplace(stages.begin(), "read", times.read);
  stages.emplace_back("write", times.write);
  if (times.start == 0) return;
  stages.emplace(stages.begin(), "start", times.start);
  record.process_seconds = process_seconds();
  const double said =
      std::accumulate(stages.begin(), stages.end(), 0.0, [](double sum, const auto& of) { return sum + of.second; });
  stages.emplace_back("other", std::max(record.process_seconds - said, 0.0));
}

ProcessSpeeds measure_speeds(std::span<const Context> devices, const PredictedRun& run, const ImageOptions& image,
                             const ProcessTimes& times, std::string& note) {
  const Scan& scan = run.scan;
  const ReconRequest& request = run.request;
  ProcessSpeeds speeds;
  speeds.began = times.began;
  speeds.ready = times.ready;
  if (const double bytes = file_bytes(request.scan); bytes > 0) speeds.read.per_unit = times.read / bytes;
  Rehearsal rehearsal = run.basis != nullptr ? rehearse(devices, scan, *run.basis, request.recon)
                                             : rehearse(devices, scan, request.recon, run.plan);
  speeds.recon = std::move(rehearsal.speeds);
  note = std::move(rehearsal.note);
  if (request.recon.ranks != nullptr && request.recon.ranks->rank() > 0) return speeds;  // it writes nothing
  const std::string name = fmt::format(
      "whorl-rehearsal-{}{}", ::getpid(),
      request.image_name().ends_with(".nii.gz") ? ".nii.gz" : fs::path(request.image_name()).extension().string());
  const AtomicFileGroup never_named;
  const Clock::time_point start = Clock::now();
  write_image(devices.front().host().with(std::shared_ptr<ProgressSink>()),
              temporary_folder(request.recon.spill.folder) / name, rehearsal.images, rehearsal.frames, image);
  speeds.write.per_unit = seconds_since(start) / static_cast<double>(rehearsal.images.size());
  return speeds;
}

void keep_speeds(const Context& device, const PredictedRun& run, ProcessSpeeds& speeds) {
  const fs::path path = speeds_file(device);
  if (path.empty()) return;
  try {
    fs::create_directories(path.parent_path());
    Json json = read_file(path);
    speeds.ready = std::min(speeds.ready, json.value("ready", speeds.ready));
    json["ready"] = speeds.ready;
    Json& kind = json["kinds"][kind_of(run)];
    kind = {{"ended_after", speeds.recon.ended_after},
            {"applications", speeds.recon.applications},
            {"ranks", speeds.recon.ranks},
            {"began", speeds.began},
            {"read", to_json(speeds.read)},
            {"write", to_json(speeds.write)}};
    for (const auto& [stage, speed] : speeds.recon.stages) kind["stages"][stage] = to_json(speed);
    write_file(path, json.dump(1) + "\n");
  } catch (const std::exception&) {
    return;  // the prediction is printed all the same
  }
}

std::optional<ProcessSpeeds> known_speeds(const Context& device, const PredictedRun& run) {
  const fs::path path = speeds_file(device);
  std::error_code ignored;
  if (path.empty() || !fs::is_regular_file(path, ignored)) return std::nullopt;
  try {
    const Json json = read_file(path);
    const Json& kind = json.at("kinds").at(kind_of(run));
    ProcessSpeeds speeds{
        {{}, kind.at("ended_after").get<double>(), kind.at("applications").get<double>(), kind.at("ranks").get<int>()},
        kind.at("began").get<double>(),
        json.at("ready").get<double>(),
        speed_from(kind.at("read")),
        speed_from(kind.at("write"))};
    for (const auto& [stage, speed] : kind.at("stages").items()) {
      speeds.recon.stages.emplace_back(stage, speed_from(speed));
    }
    return speeds;
  } catch (const Json::exception&) {
    return std::nullopt;  // of another kind, or not a file of ours
  }
}

std::vector<std::pair<std::string, double>> predicted_process(const Context& device, const PredictedRun& run,
                                                              const ProcessSpeeds& speeds, bool is_stream) {
  const Scan& scan = run.scan;
  const ReconRequest& request = run.request;
  const auto all = run.basis != nullptr ? predicted_seconds(device, scan, *run.basis, request.recon, speeds.recon)
                                        : predicted_seconds(device, scan, request.recon, run.plan, speeds.recon);
  const double part = part_read(request, std::ssize(scan.frames), run.processes);
  const double reading = speeds.read.once + speeds.read.per_unit * part * file_bytes(request.scan);
  std::vector<std::pair<std::string, double>> seconds{{"start", std::max(speeds.began, speeds.ready - reading)},
                                                      {"read", reading}};
  seconds.insert(seconds.end(), all.begin(), all.end());
  const double solving =
      std::accumulate(all.begin(), all.end(), 0.0, [](double sum, const auto& of) { return sum + of.second; });
  double writing = speeds.write.once + speeds.write.per_unit * voxels_of(run);
  // What is written beside the solver leaves the last frame, and what the solver does not wait for.
  const auto frames = static_cast<double>(scan.frames.size());
  if (is_stream && speeds.recon.ranks == 1)
    writing = std::max(writing / frames, writing - solving * (frames - 1) / frames);
  seconds.emplace_back("write", writing);
  return seconds;
}

}  // namespace whorl::cli
