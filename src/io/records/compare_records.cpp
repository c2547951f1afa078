#include <fmt/format.h>

#include <algorithm>

#include "io/records/record_json.hpp"
#include "whorl/io/record.hpp"

namespace whorl {

namespace {

using io::member;
using io::RecordJson;

// "option 'iterations' was 30, is 20": the first member that differs.
std::string member_difference(const RecordJson& before, const RecordJson& now, const std::string& what) {
  if (!before.is_object() || !now.is_object()) return {};
  for (const auto& [name, value] : before.items()) {
    const RecordJson& other = member(now, name);
    if (other != value) return fmt::format("{} '{}' was {}, is {}", what, name, io::written(value), io::written(other));
  }
  return {};
}

std::string input_difference(const RecordJson& before, const RecordJson& now) {
  if (!before.is_array() || !now.is_array()) return {};
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
    if (member(before[i], "sha256") == member(now[i], "sha256")) continue;
    return fmt::format("input {} has another content", io::written(member(before[i], "path")));
  }
  return {};
}

std::string solver_difference(const RecordJson& before, const RecordJson& now) {
  if (!before.is_array() || !now.is_array()) return {};
  for (std::size_t solve = 0; solve < std::min(before.size(), now.size()); ++solve) {
    const RecordJson& curve = before[solve];
    const RecordJson& other = now[solve];
    if (curve == other || !curve.is_array() || !other.is_array()) continue;
    std::size_t row = 0;
    while (row < std::min(curve.size(), other.size()) && curve[row] == other[row]) ++row;
    return fmt::format("solve {} differs from row {} of its residuals", solve, row);
  }
  return {};
}

std::string hash_difference(const RecordJson& before, const RecordJson& now, const char* stage, const char* text) {
  const std::string old_hash = io::text_of(member(before, "array_sha256"), stage);
  const std::string new_hash = io::text_of(member(now, "array_sha256"), stage);
  return old_hash.empty() || new_hash.empty() || old_hash == new_hash ? "" : text;
}

// What differs first, in the order of a run.
std::string first_difference(const RecordJson& before, const RecordJson& now) {
  const auto both = [&](const char* name, const auto& compare, auto&&... more) {
    return compare(member(before, name), member(now, name), more...);
  };
  for (const std::string& found :
       {both("inputs", input_difference), both("parameters", member_difference, "option"),
        hash_difference(before, now, "scan", "the scan after reading and corrections differs"),
        hash_difference(before, now, "coil maps", "the coil maps differ"), both("tables", member_difference, "table"),
        both("residuals", solver_difference), hash_difference(before, now, "image", "the image differs")}) {
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

RecordComparison compare_records(const std::filesystem::path& before, const std::filesystem::path& now) {
  const RecordJson old_record = io::read_record(before);
  const RecordJson new_record = io::read_record(now);
  RecordComparison result;
  result.first_difference = first_difference(old_record, new_record);
  const std::string image = io::text_of(member(old_record, "array_sha256"), "image");
  if (!image.empty()) result.same_image = image == io::text_of(member(new_record, "array_sha256"), "image");
  for (const char* name : {"version", "device", "threads"}) {
    const RecordJson& was = member(old_record, name);
    const RecordJson& is = member(new_record, name);
    if (was != is) result.changes.push_back(fmt::format("{} was {}, is {}", name, io::written(was), io::written(is)));
  }
  return result;
}

}  // namespace whorl
