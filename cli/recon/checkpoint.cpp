#include "cli/recon/checkpoint.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/checked_file.hpp"

namespace whorl::cli {

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

// A line of JSON, then the image's numbers.
class FrameFolder final : public FrameStore {
 public:
  FrameFolder(Context ctx, fs::path folder) : ctx_(std::move(ctx)), folder_(std::move(folder)) {}

  std::optional<FinishedFrame> find(Index frame) override {
    const std::optional<std::string> bytes = read_checked_file(file_of(frame));
    if (!bytes) return std::nullopt;
    const std::size_t end = bytes->find('\n');
    const Json head = Json::parse(bytes->substr(0, end), nullptr, false);
    if (end == std::string::npos || !head.is_object()) return std::nullopt;
    const Shape shape(head.at("shape").get<std::vector<Index>>());
    if (bytes->size() - end - 1 != static_cast<std::size_t>(shape.size()) * sizeof(Complex)) return std::nullopt;
    FinishedFrame finished{Array<Complex>(ctx_, shape), to_report(head.at("report"))};
    std::memcpy(finished.image.data(), bytes->data() + end + 1, bytes->size() - end - 1);
    return finished;
  }

  void keep(Index frame, const FinishedFrame& finished) override {
    const Shape& shape = finished.image.shape();
    const Json head{{"shape", std::vector<Index>(shape.begin(), shape.end())}, {"report", to_json(finished.report)}};
    std::string bytes = head.dump() + "\n";
    const auto values = finished.image.span();
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    write_checked_file(file_of(frame), bytes);
  }

  Index kept(Index frames) const {
    Index count = 0;
    std::error_code ignored;
    for (Index frame = 0; frame < frames; ++frame) count += fs::exists(file_of(frame), ignored) ? 1 : 0;
    return count;
  }

 private:
  fs::path file_of(Index frame) const { return folder_ / fmt::format("frame-{:06}.bin", frame); }

  Context ctx_;
  fs::path folder_;
};

// What sets the images to the last bit.
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

}  // namespace

std::shared_ptr<FrameStore> open_checkpoint(const Context& ctx, const Context& device, const fs::path& folder,
                                            const Scan& scan, RunRecord& record) {
  fs::create_directories(folder);
  remove_remains(folder);
  const fs::path file = folder / "run.json";
  const Json now =
      Json::parse(identity_of(ctx, device, scan, record).dump(-1, ' ', false, Json::error_handler_t::replace));
  const auto store = std::make_shared<FrameFolder>(ctx, folder);
  const auto frames = static_cast<Index>(scan.frames.size());
  if (const std::optional<std::string> text = read_checked_file(file)) {
    const std::string other = difference(Json::parse(*text, nullptr, false), now);
    if (!other.empty()) {
      throw ValueError(
          fmt::format("--checkpoint '{}' is that of another run: {}; remove the folder, or name another one",
                      folder.string(), other));
    }
    record.notes.push_back(
        fmt::format("Checkpoint: {} of {} frames are there from an earlier run.", store->kept(frames), frames));
  } else {
    if (store->kept(frames) > 0 || fs::exists(file)) {
      throw ValueError(fmt::format(
          "--checkpoint '{}' has frames, but its run.json is missing or damaged; remove the folder", folder.string()));
    }
    write_checked_file(file, now.dump(2));
  }
  return store;
}

std::shared_ptr<FrameStore> join_checkpoint(const Context& ctx, const fs::path& folder) {
  return std::make_shared<FrameFolder>(ctx, folder);
}

}  // namespace whorl::cli
