#include "whorl/io/record.hpp"

#include <fmt/chrono.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

using Json = nlohmann::ordered_json;

// The line "VmHWM:   12345 kB" of Linux's process status.
Json process_peak_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::uint64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return nullptr;
}

Json to_json(const RunRecord::Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const Context& ctx, const RunRecord& record) {
  Json json;
  json["program"] = "whorl";
  json["version"] = version();
  for (const auto& [name, value] : build_facts()) json["build"][name] = value;
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  json["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  json["command_line"] = record.command_line;
  json["inputs"] = Json::array();
  for (const InputFile& input : record.inputs) {
    json["inputs"].push_back({{"path", input.path}, {"bytes", input.bytes}, {"sha256", input.sha256}});
  }
  json["outputs"] = record.outputs;
  json["parameters"] = Json::object();
  for (const auto& [name, value] : record.parameters) json["parameters"][name] = to_json(value);
  json["device"] = to_string(ctx.device());
  if (ctx.device().kind != DeviceKind::cpu) json["device_name"] = describe(ctx.device());
  json["threads"] = ctx.threads();
  json["stage_seconds"] = Json::object();
  for (const auto& [stage, seconds] : record.stage_seconds) json["stage_seconds"][stage] = seconds;
  json["peak_memory_bytes"] = {{"arrays", ctx.pool().statistics().peak}, {"process", process_peak_bytes()}};
  if (ctx.device().kind != DeviceKind::cpu) {
    json["peak_memory_bytes"]["host_arrays"] = ctx.host().pool().statistics().peak;
  }
  json["residuals"] = record.residuals;
  for (const RecordTable& table : record.tables) {
    for (const auto& [column, numbers] : table.columns) json["tables"][table.name][column] = numbers;
  }
  json["notes"] = record.notes;
  return json;
}

}  // namespace

std::filesystem::path record_path(const std::filesystem::path& result) {
  std::filesystem::path path = result;
  if (path.extension() == ".gz") path.replace_extension();
  return path.replace_extension(".json");
}

void write_record(const Context& ctx, const RunRecord& record, const std::filesystem::path& path) {
  // Paths may hold bytes that are not UTF-8; they are replaced, not a reason to lose the record.
  const std::string text = to_json(ctx, record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  write_file(path, text);
}

}  // namespace whorl
