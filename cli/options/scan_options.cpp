#include "cli/options/scan_options.hpp"

#include "cli/options/table_options.hpp"
#include "whorl/io/option_tables.hpp"

namespace whorl::cli {

void add_scan_options(App& app, ScanReadOptions& options) { add_options(app, options); }

}  // namespace whorl::cli
