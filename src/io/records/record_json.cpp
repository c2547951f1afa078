#include "io/records/record_json.hpp"

#include <fmt/format.h>

#include <fstream>

#include "whorl/core/error.hpp"

namespace whorl::io {

std::optional<RecordJson> find_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};  // opening a pipe would wait
  std::ifstream file(path, std::ios::binary);
  RecordJson json = RecordJson::parse(file, nullptr, false);
  if (text_of(json, "program") != "whorl") return {};
  return json;
}

RecordJson read_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw IoError(fmt::format("cannot read '{}', expected the record of a run (image.nii.gz.json)", path.string()));
  }
  std::optional<RecordJson> record = find_record(path);
  if (!record) {
    throw IoError(fmt::format("'{}' is no record of whorl; name the .json file beside a result", path.string()));
  }
  return *std::move(record);
}

const RecordJson& member(const RecordJson& json, const std::string& name) {
  static const RecordJson none;
  if (!json.is_object()) return none;
  const auto found = json.find(name);
  return found == json.end() ? none : *found;
}

std::string text_of(const RecordJson& json, const std::string& name) {
  const RecordJson& value = member(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::vector<std::string> texts_of(const RecordJson& json, const std::string& name) {
  std::vector<std::string> texts;
  const RecordJson& list = member(json, name);
  if (!list.is_array()) return texts;
  for (const RecordJson& value : list) {
    if (value.is_string()) texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::string written(const RecordJson& value) {
  return value.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
}

}  // namespace whorl::io
