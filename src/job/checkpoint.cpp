#include "job/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/checked_file.hpp"

namespace whorl::job {

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<float>;
using Json = nlohmann::ordered_json;

Json to_json(const SolverReport& report) {
  return {{"iterations", report.iterations},
          {"residuals", report.residuals},
          {"costs", report.costs},
          {"primal_residuals", report.primal_residuals},
          {"dual_residuals", report.dual_residuals},
          {"gaps", report.gaps},
          {"changes", report.changes},
          {"operator_applications", report.operator_applications},
          {"stop_reason", static_cast<int>(report.stop_reason)}};
}

SolverReport to_report(const Json& json) {
  SolverReport report;
  json.at("iterations").get_to(report.iterations);
  json.at("residuals").get_to(report.residuals);
  json.at("costs").get_to(report.costs);
  json.at("primal_residuals").get_to(report.primal_residuals);
  json.at("dual_residuals").get_to(report.dual_residuals);
  json.at("gaps").get_to(report.gaps);
  json.at("changes").get_to(report.changes);
  json.at("operator_applications").get_to(report.operator_applications);
  report.stop_reason = static_cast<StopReason>(json.at("stop_reason").get<int>());
  return report;
}

std::string_view bytes_of(ArrayRef<const Complex> array) {
  return {reinterpret_cast<const char*>(array.data()), array.span().size_bytes()};
}

fs::path frame_file(const fs::path& folder, Index number) { return folder / fmt::format("frame-{:06}.bin", number); }

// Facts that all frames and states of a folder share.
struct Folder {
  Context ctx;
  fs::path path;
  std::chrono::duration<double> every;  // from one state to the next
  Notes& notes;                         // of the run's record
  std::string run;                      // the hash of run.json, which every file in the folder states
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();

  void touch() { last = std::chrono::steady_clock::now(); }
  // By the last frame of the group: when that is kept, all are.
  fs::path state(Index last_frame) const { return path / fmt::format("state-{:06}.bin", last_frame); }
  void remove_state(Index last_frame) const {
    std::error_code ignored;
    fs::remove(state(last_frame), ignored);
  }
};

// A line of JSON, then the numbers of the arrays. The old state has the name until the new one is on the disk.
class StateFile final : public SolverStates<float> {
 public:
  StateFile(std::shared_ptr<Folder> folder, std::span<const Index> frames)
      : folder_(std::move(folder)), frames_(frames.begin(), frames.end()) {
    folder_->touch();
  }

  bool is_due() override { return std::chrono::steady_clock::now() - folder_->last >= folder_->every; }

  void keep(const Context& ctx, const SolverState<float>& state) override {
    Json head{{"run", folder_->run},
              {"frames", frames_},
              {"numbers", state.numbers},
              {"reports", Json::array()},
              {"elements", Json::array()}};
    for (const SolverReport& report : state.reports) head["reports"].push_back(to_json(report));
    std::vector<Array<Complex>> copies;  // of a device's arrays
    std::vector<std::string_view> parts(1);
    for (const ArrayRef<Complex>& array : state.arrays) {
      head["elements"].push_back(array.size());
      const bool on_host = array.device().kind == DeviceKind::cpu;
      if (!on_host) copies.push_back(to_host<const Complex>(ctx, array));
      parts.push_back(bytes_of(on_host ? ArrayRef<const Complex>(array) : ArrayRef<const Complex>(copies.back())));
    }
    const std::string line = head.dump() + "\n";
    parts.front() = line;
    write_checked_file(folder_->state(frames_.back()), parts);
    folder_->touch();
  }

  bool find(const Context& ctx, SolverState<float>& state) override {
    std::optional<CheckedFile> file = CheckedFile::open(folder_->state(frames_.back()));
    if (!file) return false;
    const Json head = Json::parse(file->read_line(), nullptr, false);
    std::vector<Index> elements;
    for (const ArrayRef<Complex>& array : state.arrays) elements.push_back(array.size());
    // Another limit of memory makes other groups.
    if (!head.is_object() || head.value("run", "") != folder_->run || head.at("frames") != Json(frames_) ||
        head.at("elements") != Json(elements)) {
      return false;
    }
    for (const ArrayRef<Complex>& array : state.arrays) read(ctx, *file, array);
    head.at("numbers").get_to(state.numbers);
    for (const Json& report : head.at("reports")) state.reports.push_back(to_report(report));
    int done = 0;
    for (const SolverReport& report : state.reports) done = std::max(done, report.iterations);
    folder_->notes.emplace_back(
        fmt::format("Checkpoint: frame {} goes on from iteration {} of an earlier run.", frames_.front() + 1, done));
    return true;
  }

 private:
  static void read(const Context& ctx, CheckedFile& file, const ArrayRef<Complex>& array) {
    const auto bytes = static_cast<std::size_t>(array.size()) * sizeof(Complex);
    if (array.device().kind == DeviceKind::cpu) return file.read(array.data(), bytes);
    Array<Complex> here(ctx.host(), array.shape());
    file.read(here.data(), bytes);
    copy<Complex>(ctx, here, array);
    ctx.synchronize();
  }

  std::shared_ptr<Folder> folder_;
  std::vector<Index> frames_;
};

// A line of JSON, then the image's numbers.
class FrameFolder final : public FrameStore {
 public:
  explicit FrameFolder(std::shared_ptr<Folder> folder) : folder_(std::move(folder)) {}

  std::optional<FinishedFrame> find(Index frame) override {
    std::optional<CheckedFile> file = CheckedFile::open(frame_file(folder_->path, frame));
    if (!file) return std::nullopt;
    const Json head = Json::parse(file->read_line(), nullptr, false);
    if (!head.is_object()) return std::nullopt;
    if (head.value("run", "") != folder_->run || head.value("frame", Index{-1}) != frame) {
      folder_->notes.emplace_back(
          fmt::format("Checkpoint: the file of frame {} is that of another frame or run; the frame is made anew.",
                      frame + 1),
          NoteKind::doubt);
      return std::nullopt;
    }
    const Shape shape(head.at("shape").get<std::vector<Index>>());
    if (file->left() != static_cast<std::size_t>(shape.size()) * sizeof(Complex)) return std::nullopt;
    FinishedFrame finished{Array<Complex>(folder_->ctx, shape), to_report(head.at("report"))};
    file->read(finished.image.data(), file->left());
    folder_->remove_state(frame);  // where a run was killed between the two
    return finished;
  }

  void keep(Index frame, const FinishedFrame& finished) override {
    const Shape& shape = finished.image.shape();
    const Json head{{"run", folder_->run},
                    {"frame", frame},
                    {"shape", std::vector<Index>(shape.begin(), shape.end())},
                    {"report", to_json(finished.report)}};
    const std::string line = head.dump() + "\n";
    const std::array<std::string_view, 2> parts{line, bytes_of(finished.image)};
    write_checked_file(frame_file(folder_->path, frame), parts);
    folder_->remove_state(frame);
    folder_->touch();
  }

  std::unique_ptr<SolverStates<float>> states(std::span<const Index> frames) override {
    return std::make_unique<StateFile>(folder_, frames);
  }

 private:
  std::shared_ptr<Folder> folder_;
};

// All that determines the images to the last bit.
Json identity_of(const Context& ctx, const Context& device, const Scan& scan, const RunRecord& record) {
  Json identity;
  identity["whorl"] = version();
  identity["device"] = device.device().kind == DeviceKind::cpu ? "cpu" : "cuda";
  identity["inputs"] = Json::array();
  for (const InputFile& input : record.inputs) {
    identity["inputs"].push_back({{"file", fs::path(input.path).filename().string()}, {"sha256", input.sha256}});
  }
  identity["options"] = Json::object();
  for (const auto& [name, value] : record.parameters) {
    if (name == "memory_predicted_bytes") continue;  // follows from how many frames are solved together
    identity["options"][name] = std::visit([](const auto& held) { return Json(held); }, value);
  }
  identity["scan"] = scan_fingerprint(ctx, scan);
  return identity;
}

// The first difference, in words; empty: none.
std::string difference(const Json& then, const Json& now) {
  for (const char* name : {"whorl", "device"}) {
    if (then.value(name, Json()) != now[name]) {
      return fmt::format("{} was {}, is {}", name, then.value(name, Json()).dump(), now[name].dump());
    }
  }
  const Json inputs = then.value("inputs", Json::array());
  if (inputs.size() != now["inputs"].size()) {
    return fmt::format("there were {} input files, are {}", inputs.size(), now["inputs"].size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].value("sha256", Json()) == now["inputs"][i]["sha256"]) continue;
    return fmt::format("the input {} is not the {} of then (SHA-256)", now["inputs"][i]["file"].dump(),
                       inputs[i].value("file", Json()).dump());
  }
  const Json options = then.value("options", Json::object());
  for (const auto& [name, value] : now["options"].items()) {
    if (!options.contains(name)) return fmt::format("{} was not given, is {}", name, value.dump());
    if (options.value(name, Json()) == value) continue;
    return fmt::format("{} was {}, is {}", name, options.value(name, Json()).dump(), value.dump());
  }
  for (const auto& [name, value] : options.items()) {
    if (!now["options"].contains(name)) return fmt::format("{} was {}, is not given", name, value.dump());
  }
  if (then.value("scan", Json()) != now["scan"]) {
    return "the scan is read in another way (its unit, columns, delays, place or frames)";
  }
  return {};
}

// A run that was killed may have left files without their final names.
void remove_remains(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".whorl-") && name.ends_with(".tmp")) fs::remove(entry.path(), ignored);
  }
}

fs::path run_file(const fs::path& folder) { return folder / "run.json"; }

// Store of the run that run.json describes.
std::shared_ptr<FrameFolder> make_store(const Context& ctx, const fs::path& folder, double every_seconds,
                                        RunRecord& record) {
  return std::make_shared<FrameFolder>(
      std::make_shared<Folder>(Folder{.ctx = ctx,
                                      .path = folder,
                                      .every = std::chrono::duration<double>(every_seconds),
                                      .notes = record.notes,
                                      .run = describe_input(ctx, run_file(folder)).sha256}));
}

Index frames_in(const fs::path& folder, Index frames) {
  Index count = 0;
  std::error_code ignored;
  for (Index frame = 0; frame < frames; ++frame) count += fs::exists(frame_file(folder, frame), ignored) ? 1 : 0;
  return count;
}

}  // namespace

std::shared_ptr<FrameStore> open_checkpoint(const Context& ctx, const Context& device, const fs::path& folder,
                                            double every_seconds, const Scan& scan, RunRecord& record) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) {
    throw IoError(fmt::format("--checkpoint '{}': the folder cannot be made: {}", folder.string(), fault.message()));
  }
  remove_remains(folder);
  const fs::path file = run_file(folder);
  const Json now =
      Json::parse(identity_of(ctx, device, scan, record).dump(-1, ' ', false, Json::error_handler_t::replace));
  const auto frames = static_cast<Index>(scan.frames.size());
  if (const std::optional<std::string> text = read_checked_file(file)) {
    const std::string other = difference(Json::parse(*text, nullptr, false), now);
    if (!other.empty()) {
      throw ValueError(
          fmt::format("--checkpoint '{}' is that of another run: {}; remove the folder, or name another one",
                      folder.string(), other));
    }
    record.notes.emplace_back(
        fmt::format("Checkpoint: {} of {} frames are there from an earlier run.", frames_in(folder, frames), frames));
  } else {
    if (frames_in(folder, frames) > 0 || fs::exists(file)) {
      throw ValueError(fmt::format(
          "--checkpoint '{}' has frames, but its run.json is missing or damaged; remove the folder", folder.string()));
    }
    write_checked_file(file, now.dump(2));
  }
  return make_store(ctx, folder, every_seconds, record);
}

std::shared_ptr<FrameStore> join_checkpoint(const Context& ctx, const fs::path& folder, double every_seconds,
                                            RunRecord& record) {
  return make_store(ctx, folder, every_seconds, record);
}

}  // namespace whorl::job
