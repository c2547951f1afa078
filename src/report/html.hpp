// Private: pieces of HTML. Every function that takes text escapes it; those that take markup say so.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace whorl::report {

/// Text as HTML shows it, also within attributes. Control characters become spaces.
std::string escaped(const std::string& text);

/// <section> with a heading; `markup` is its content.
std::string section(const std::string& id, const std::string& heading, const std::string& markup);

/// "1 frame", "3 frames".
std::string counted(std::size_t count, const std::string& noun);

std::string paragraph(const std::string& text);
std::string list(const std::vector<std::string>& texts);

/// A table of names and values.
std::string table(const std::string& caption, const std::vector<std::pair<std::string, std::string>>& rows);

}  // namespace whorl::report
