#include "io/ismrmrd/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

// Without the prefix of a namespace.
std::string_view local_name(pugi::xml_node node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);  // npos + 1 is 0
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

HeaderXml::HeaderXml(const std::string& text, const std::string& file) {
  const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
  root_ = element(document_.root(), "ismrmrdHeader");
  if (result && root_) return;
  const pugi::xml_node other = document_.document_element();
  throw IoError(fmt::format("{}: its xml is not an ISMRMRD header: {}", file,
                            !result ? fmt::format("{} at byte {}", result.description(), result.offset)
                            : other ? fmt::format("its root is {}, expected ismrmrdHeader", printable(other.name()))
                                    : std::string("it has no root element")));
}

pugi::xml_node element(pugi::xml_node parent, std::string_view name) {
  for (const pugi::xml_node child : parent.children()) {
    if (child.type() == pugi::node_element && local_name(child) == name) return child;
  }
  return {};
}

std::vector<pugi::xml_node> elements(pugi::xml_node parent, std::string_view name) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node child : parent.children()) {
    if (child.type() == pugi::node_element && local_name(child) == name) found.push_back(child);
  }
  return found;
}

std::string text_in(pugi::xml_node node) {
  std::string text;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
  }
  constexpr const char* blanks = " \t\r\n";
  text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  text.erase(text.find_last_not_of(blanks) + 1);
  std::erase_if(text, [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; });
  return text;
}

std::optional<double> number_in(pugi::xml_node node) { return number_of(text_in(node)); }

std::optional<int> count_in(pugi::xml_node parent, std::string_view name, std::string_view owner,
                            const std::string& file) {
  const std::string text = text_in(element(parent, name));
  if (text.empty()) return std::nullopt;
  const std::optional<double> value = number_of(text);
  constexpr double most = std::numeric_limits<std::uint16_t>::max();
  if (!value || *value < 0 || *value > most || *value != std::floor(*value)) {
    throw IoError(
        fmt::format("{}: the header's {}.{} is {}, expected a whole number from 0 to 65535 (ISMRMRD's unsignedShort)",
                    file, owner, name, printable(text, 40)));
  }
  return static_cast<int>(*value);
}

}  // namespace whorl::io
