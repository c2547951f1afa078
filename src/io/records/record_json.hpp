// Private: a record of a run as JSON, read back.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace whorl::io {

using RecordJson = nlohmann::ordered_json;

/// A record of whorl, or nothing: no file, no JSON, another program's.
std::optional<RecordJson> find_record(const std::filesystem::path& path);

/// Throws IoError where find_record finds nothing.
RecordJson read_record(const std::filesystem::path& path);

/// The member of that name; null where there is none, or no object.
const RecordJson& member(const RecordJson& json, const std::string& name);
/// The text of a member, or nothing.
std::string text_of(const RecordJson& json, const std::string& name);
/// The list of a member; texts of other kinds are left out.
std::vector<std::string> texts_of(const RecordJson& json, const std::string& name);
/// A value as it is written in a record. Bytes that are not UTF-8 are replaced.
std::string written(const RecordJson& value);

}  // namespace whorl::io
