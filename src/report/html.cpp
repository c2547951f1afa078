#include "report/html.hpp"

#include <fmt/format.h>

namespace whorl::report {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f ? ' ' : letter;
    }
  }
  return result;
}

std::string section(const std::string& id, const std::string& heading, const std::string& markup) {
  return fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", escaped(id),
                     escaped(heading), markup);
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string paragraph(const std::string& text) { return fmt::format("<p>{}</p>\n", escaped(text)); }

std::string list(const std::vector<std::string>& texts) {
  std::string markup = "<ul>\n";
  for (const std::string& text : texts) markup += fmt::format("<li>{}</li>\n", escaped(text));
  return markup + "</ul>\n";
}

std::string table(const std::string& caption, const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string markup = fmt::format("<table><caption>{}</caption><tbody>\n", escaped(caption));
  for (const auto& [name, value] : rows) {
    markup += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  return markup + "</tbody></table>\n";
}

}  // namespace whorl::report
