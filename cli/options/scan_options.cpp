#include "cli/options/scan_options.hpp"

#include "whorl/io/describe_file.hpp"
#include "whorl/io/option_tables.hpp"

namespace whorl::cli {

void add_scan_options(App& app, ScanReadOptions& options, const std::function<std::string()>& file,
                      const Shown& shown) {
  add_options(app, options, shown);
  for (const OptionDescriptor& option : option_table<ScanReadOptions>().descriptors()) {
    if (!shown.has(option)) continue;
    Option* added = app.get_option("--" + option.name);
    if (option.name == "trajectory-unit") {
      added->when("scans that leave it open", [file, &options] {
        return leaves_unit_open(options.trajectory_from.empty() ? file() : options.trajectory_from);
      });
    } else if (option.name != "center" && option.name != "trajectory-from" && option.name != "noise-from" &&
               option.name != "fov") {
      added->when("ISMRMRD scans", [file] { return may_be_ismrmrd(file()); });
    }
  }
}

}  // namespace whorl::cli
