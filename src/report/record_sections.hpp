// Private: what a record's numbers and texts look like on a page.
#pragma once

#include <string>

#include "io/records/record_json.hpp"

namespace whorl::report {

using Json = io::RecordJson;

/// Each is a section, or nothing where the record has nothing for it.
std::string notes_section(const Json& record);
std::string convergence_section(const Json& record);
std::string lambda_section(const Json& record);
std::string cost_section(const Json& record);
std::string facts_section(const Json& record);

}  // namespace whorl::report
