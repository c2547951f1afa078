// The header's XML as a tree of elements, which are found by name: in any order, under any namespace prefix, beside elements
// that are unknown. ISMRMRD's own parser refuses a header for a missing element that nothing here needs.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/internal.hpp"

namespace whorl::io {

class WHORL_INTERNAL HeaderXml {
 public:
  /// Throws IoError naming the file for text that is not XML, or whose root is another than ismrmrdHeader.
  HeaderXml(const std::string& text, const std::string& file);

  pugi::xml_node root() const { return root_; }

 private:
  pugi::xml_document document_;
  pugi::xml_node root_;
};

/// The first element within `parent` that has the name; an empty node where there is none.
WHORL_INTERNAL pugi::xml_node element(pugi::xml_node parent, std::string_view name);
WHORL_INTERNAL std::vector<pugi::xml_node> elements(pugi::xml_node parent, std::string_view name);

/// The text in an element, CDATA included, without blanks around it and without control characters. Empty for an empty node.
WHORL_INTERNAL std::string text_in(pugi::xml_node node);

/// The finite number that the whole text is; none for other texts.
std::optional<double> number_in(pugi::xml_node node);

/// The count within `parent`, a whole number from 0 to 65535 (the schema's unsignedShort), also written as 32.0 or +32; none
/// where the element is missing or empty. Throws IoError for other texts: `owner` is the name of the parent in the message.
std::optional<int> count_in(pugi::xml_node parent, std::string_view name, std::string_view owner,
                            const std::string& file);

}  // namespace whorl::io
