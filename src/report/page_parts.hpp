// Private: the style and the script of a report.
#pragma once

#include <string_view>

namespace whorl::report {

std::string_view page_style();
std::string_view page_script();

}  // namespace whorl::report
