#include "whorl/io/record.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "io/records/record_json.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;
using Json = io::RecordJson;

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

// "folder/image.npy.json" -> "image.npy". Bytes that are not UTF-8 are replaced, as where the record is written.
std::string result_of_record(const fs::path& record) {
  return Json::parse(io::written(record.filename().replace_extension().string()));
}

// The record of a result, if the file is one.
std::optional<Json> record_of(const std::string& result, const fs::path& path) {
  std::optional<Json> record = io::find_record(path);
  if (record && io::text_of(*record, "record_of") != result) record.reset();
  return record;
}

// A record is read by people: of a long history it has this many rows, the first and the last among them.
constexpr std::size_t most_rows = 64;

std::vector<std::size_t> kept_rows(std::size_t count) {
  std::vector<std::size_t> rows(std::min(count, most_rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = count <= most_rows ? i : i * (count - 1) / (most_rows - 1);
  }
  return rows;
}

Json thinned(const std::vector<double>& numbers, const std::vector<std::size_t>& rows) {
  Json kept = Json::array();
  for (const std::size_t row : rows) kept.push_back(numbers[row]);
  return kept;
}

// Rows that are thinned out are numbered: "iteration" of residuals, "row" of a table.
void add_residuals(const std::vector<std::vector<double>>& residuals, Json& json) {
  json["residuals"] = Json::array();
  bool is_thinned = false;
  Json iterations = Json::array();
  for (const std::vector<double>& frame : residuals) {
    const std::vector<std::size_t> rows = kept_rows(frame.size());
    json["residuals"].push_back(thinned(frame, rows));
    iterations.push_back(rows);
    is_thinned = is_thinned || rows.size() < frame.size();
  }
  if (is_thinned) json["residual_iterations"] = iterations;
}

void add_table(const RecordTable& table, Json& json) {
  std::size_t most = 0;
  for (const auto& [column, numbers] : table.columns) {
    json[column] = thinned(numbers, kept_rows(numbers.size()));
    most = std::max(most, numbers.size());
  }
  if (most > most_rows) json["row"] = kept_rows(most);
}

// The text of a JSON object, where the numbers of an array share one line: a person passes over them at a glance.
std::string numbers_in_lines(const std::string& text) {
  std::string result;
  bool in_array = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t first = std::min(text.find_first_not_of(' ', begin), end);
    const bool is_number = first < end && (text[first] == '-' || (text[first] >= '0' && text[first] <= '9'));
    const bool joins = in_array && (is_number || text[first] == ']' || text.compare(first, 4, "null") == 0);
    if (!joins) first = begin;
    if (joins && result.ends_with('\n')) result.pop_back();
    if (joins && result.ends_with(',')) result += ' ';
    result.append(text, first, end - first);
    result += '\n';
    in_array = (end > begin && text[end - 1] == '[') || (joins && text[first] != ']');
    begin = end + 1;
  }
  return result;
}

Json to_json(const Context& ctx, const RunRecord& record, const std::string& result) {
  // A value that becomes an object when memory ends cannot be destroyed (nlohmann-json 3.11): each is one from the start.
  Json json = Json::object();
  json["program"] = "whorl";
  json["version"] = version();
  json["record_of"] = result;
  json["build"] = Json::object();
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
  if (record.process_seconds > 0) json["process_seconds"] = record.process_seconds;
  const auto peak = [](std::size_t known, const Context& of) {
    return known > 0 ? known : of.pool().statistics().peak;
  };
  json["peak_memory_bytes"] = {{"arrays", peak(record.arrays_peak, ctx)}, {"process", process_peak_bytes()}};
  if (ctx.device().kind != DeviceKind::cpu) {
    json["peak_memory_bytes"]["host_arrays"] = peak(record.host_arrays_peak, ctx.host());
  }
  add_residuals(record.residuals, json);
  if (!record.tables.empty()) json["tables"] = Json::object();
  for (const RecordTable& table : record.tables) {
    Json& entry = json["tables"][table.name] = Json::object();
    add_table(table, entry);
  }
  json["notes"] = std::vector<std::string>(record.notes.begin(), record.notes.end());
  if (!record.quantity.empty()) json["quantity"] = record.quantity;
  if (!record.hashes.empty()) json["array_sha256"] = Json::object();
  for (const auto& [stage, sha256] : record.hashes) json["array_sha256"][stage] = sha256;
  return json;
}

}  // namespace

std::string quantity_of_result(const fs::path& result) {
  const std::optional<Json> record = record_of(result.filename().string(), record_path(result));
  return record ? io::text_of(*record, "quantity") : std::string();
}

std::string command_line_of(const fs::path& record) { return io::text_of(io::read_record(record), "command_line"); }

fs::path record_path(const fs::path& result) {
  fs::path path = result;
  return path += ".json";
}

void check_record_path(const fs::path& path) {
  std::error_code ignored;
  const std::string result = result_of_record(path);
  if (fs::is_regular_file(path, ignored) && !record_of(result, path)) {
    throw ValueError(
        fmt::format("'{}' is where the record of '{}' goes, and holds something else; move it away, or give the result "
                    "another name",
                    path.string(), result));
  }
  const AtomicFile trial(path);  // not committed: it proves that the record can be written, and vanishes
}

std::string record_text(const Context& ctx, const RunRecord& record, const std::string& result) {
  // Paths may hold bytes that are not UTF-8; they are replaced, not a reason to lose the record.
  return numbers_in_lines(to_json(ctx, record, result).dump(2, ' ', false, Json::error_handler_t::replace));
}

void write_record(const Context& ctx, const RunRecord& record, const fs::path& path) {
  check_record_path(path);
  write_file(path, record_text(ctx, record, result_of_record(path)));
}

}  // namespace whorl
