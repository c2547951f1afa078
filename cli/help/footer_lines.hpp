// Lines of what a command's help ends with.
#pragma once

#include <string>
#include <vector>

namespace whorl::cli {

/// The column where a line's text begins: of a row of a table, "  name   text", that of the text.
std::size_t text_column(const std::string& line);

/// The lines of a footer, each paragraph, row of a table and explanation of an example joined to one line. A paragraph
/// ends with a full stop or a colon at the end of a line; a line that begins with a small letter always goes on with it.
std::vector<std::string> joined_lines(const std::string& footer);

}  // namespace whorl::cli
