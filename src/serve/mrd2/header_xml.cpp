#include "serve/mrd2/header_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <utility>

namespace whorl::serve::mrd2 {

namespace {

using Pair = std::pair<std::string_view, const char*>;

// yardl's names have neither underscores nor capitals first. All others are the same.
constexpr std::array names{Pair{"fieldOfViewMm", "fieldOfView_mm"},
                           Pair{"h1resonanceFrequencyHz", "H1resonanceFrequency_Hz"},
                           Pair{"systemFieldStrengthT", "systemFieldStrength_T"},
                           Pair{"tR", "TR"},
                           Pair{"tE", "TE"},
                           Pair{"tI", "TI"},
                           Pair{"flipAngleDeg", "flipAngle_deg"},
                           Pair{"sequenceType", "sequence_type"},
                           Pair{"echoSpacing", "echo_spacing"},
                           Pair{"kspaceEncodingStep0", "kspace_encoding_step_0"},
                           Pair{"kspaceEncodingStep1", "kspace_encoding_step_1"},
                           Pair{"kspaceEncodingStep2", "kspace_encoding_step_2"}};

std::string name_of(const std::string& name) {
  const auto* const found =
      std::find_if(names.begin(), names.end(), [&](const Pair& pair) { return pair.first == name; });
  return found == names.end() ? name : found->second;
}

std::string word_of(const Type& type, const Json& value) {
  for (const auto& [word, number] : type.words) {
    if (number != value.get<std::int64_t>()) continue;
    std::string made = word;
    if (type.name == "PatientPosition") made[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(made[0])));
    return made;
  }
  return {};
}

std::string text_of(const Type& type, const Json& value) {
  if (type.kind == Kind::enumeration) return word_of(type, value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return fmt::format("{}", value.get<std::uint64_t>());
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  // A float's own digits, which are those that v1 has.
  if (type.bits == 32) return fmt::format("{}", value.get<float>());
  return fmt::format("{}", value.get<double>());
}

void add(pugi::xml_node parent, const std::string& name, const Type& type, const Json& value) {
  if (value.is_null()) return;
  if (type.kind == Kind::choice) {
    for (const Member& member : type.members) {
      if (member.type != nullptr && member.name.empty()) return add(parent, name, *member.type, value);
    }
    return;
  }
  if (type.kind == Kind::vector) {
    for (const Json& one : value) add(parent, name, *type.item, one);
    return;
  }
  if (type.kind == Kind::array || type.kind == Kind::map || type.kind == Kind::complex) return;  // v1 has none
  pugi::xml_node node = parent.append_child(name.c_str());
  if (type.kind != Kind::record) {
    node.text().set(text_of(type, value).c_str());
    return;
  }
  for (const Member& member : type.members) {
    if (member.type != nullptr) add(node, name_of(member.name), *member.type, value.at(member.name));
  }
}

}  // namespace

std::string header_xml(const Type& type, const Json& header) {
  pugi::xml_document document;
  add(document.root(), "ismrmrdHeader", type, header);
  std::ostringstream text;
  document.save(text, "", pugi::format_raw);
  return text.str();
}

}  // namespace whorl::serve::mrd2
