// The results of a study as JSON, and all of them as files.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "studies/commit.hpp"
#include "studies/machine.hpp"
#include "studies/results.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::studies {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json to_json(const Cell& cell) {
  if (std::holds_alternative<double>(cell)) return std::get<double>(cell);
  return std::holds_alternative<std::string>(cell) ? Json(std::get<std::string>(cell)) : Json();
}

Json to_json(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = to_json(row[i]);
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

std::string to_json(const Context& ctx, const Run& run, const Results& results) {
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  Json json{{"study", run.study},
            {"command", run.command},
            {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
            {"version", version()},
            {"commit", commit()},
            {"machine", machine_of(ctx)},
            {"load", run.load ? Json(*run.load) : Json()},
            {"device", to_string(ctx.device())},
            {"device_name", describe(ctx.device())},
            {"threads", ctx.threads()},
            {"parameters", Json::object()},
            {"tables", Json::object()},
            {"notes", results.notes}};
  for (const auto& [name, value] : results.parameters) json["parameters"][name] = to_json(value);
  for (const Table& table : results.tables) json["tables"][table.name] = to_json(table);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool make_folder(const fs::path& folder) {
  std::error_code error;
  const bool is_new = fs::create_directory(folder, error);
  if (!fs::is_directory(folder)) {
    throw IoError(fmt::format("cannot make the folder '{}': {}", folder.string(),
                              error ? error.message() : "something else has that name"));
  }
  return is_new;
}

std::vector<fs::path> write_results(const Context& ctx, const Run& run, const Results& results,
                                    const fs::path& folder) {
  std::vector<fs::path> files;
  for (const Table& table : results.tables) {
    files.push_back(folder / (table.name + ".csv"));
    write_file(files.back(), to_csv(table));
  }
  files.push_back(folder / "results.json");
  write_file(files.back(), to_json(ctx, run, results));
  for (const NamedPicture& picture : results.pictures) {
    files.push_back(folder / (picture.name + ".png"));
    write_picture(ctx.host(), files.back(), picture.picture);
  }
  return files;
}

}  // namespace whorl::studies
