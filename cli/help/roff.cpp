#include "cli/help/roff.hpp"

#include "cli/help/footer_lines.hpp"

namespace whorl::cli {

namespace {

std::string_view escape_of(char letter) {
  switch (letter) {
    case '\\':
      return "\\(rs";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '~':
      return "\\(ti";
    case '^':
      return "\\(ha";
    default:
      return {};
  }
}

// Text around the examples: paragraphs are filled, each on a new line; an indented line, such as an equation, stays as
// it is.
class Prose {
 public:
  void add(const std::string& line) {
    const bool indented = line.starts_with(' ');
    if (indented != indented_) text_ += indented ? ".nf\n" : ".fi\n";
    if (!indented && !text_.empty()) text_ += ".br\n";
    indented_ = indented;
    text_ += roff(line) + "\n";
  }
  std::string text() const { return indented_ ? text_ + ".fi\n" : text_; }

 private:
  std::string text_;
  bool indented_ = false;
};

// An example: the command in bold, its explanation below.
std::string example(const std::string& line) {
  const std::string content = line.substr(2);
  const std::size_t gap = content.find("  ");
  std::string text = ".TP\n.B " + roff(content.substr(0, gap)) + "\n";
  if (gap != std::string::npos) text += roff(content.substr(content.find_first_not_of(' ', gap))) + "\n";
  return text;
}

}  // namespace

std::string roff(std::string_view text) {
  std::string result;
  // A line that begins with one of these would be a command.
  if (text.starts_with('.') || text.starts_with('\'')) result = "\\&";
  for (const char letter : text) {
    const std::string_view escape = escape_of(letter);
    if (escape.empty()) {
      result += letter;
    } else {
      result += escape;
    }
  }
  return result;
}

RoffFooter roff_footer(const std::string& footer) {
  RoffFooter result;
  Prose prose;
  bool in_examples = false;
  for (const std::string& line : joined_lines(footer)) {
    if (line.empty()) continue;
    if (line == "Examples:") {
      in_examples = true;
    } else if (in_examples && line.starts_with("   ")) {
      result.examples += roff(line.substr(line.find_first_not_of(' '))) + "\n";
    } else if (in_examples && line.starts_with("  ")) {
      result.examples += example(line);
    } else {
      in_examples = false;
      prose.add(line);
    }
  }
  result.description = prose.text();
  return result;
}

}  // namespace whorl::cli
