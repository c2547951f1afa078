// Private: what a record's numbers and texts look like on a page.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace whorl::report {

using Json = nlohmann::ordered_json;

/// The text of a member, or nothing.
std::string text_of(const Json& json, const char* name);
/// The list of a member; texts of other kinds are left out.
std::vector<std::string> texts_of(const Json& json, const char* name);

/// Reads a record. Throws IoError (no file, no JSON, no record).
Json read_record(const std::filesystem::path& path);

/// Each is a section, or nothing where the record has nothing for it.
std::string notes_section(const Json& record);
std::string convergence_section(const Json& record);
std::string lambda_section(const Json& record);
std::string cost_section(const Json& record);
std::string facts_section(const Json& record);

}  // namespace whorl::report
