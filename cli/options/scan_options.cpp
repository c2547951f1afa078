#include "cli/options/scan_options.hpp"

#include "cli/options/option_of.hpp"

namespace whorl::cli {

void add_scan_options(App& app, ScanReadOptions& options) {
  constexpr const char* group = "Reading the scan";
  add_text_option(app, "--trajectory-unit", options.trajectory_unit, trajectory_unit_from_string,
                  "Unit of the trajectory: auto, cycles/fov, cycles/pixel, rad/pixel or 1/m", trajectory_unit_names())
      ->group(group);
  add_text_option(app, "--trajectory-columns", options.trajectory_columns, trajectory_columns_from_string,
                  "What the columns of the trajectory are: auto, xy, xyz, xyw or xyzw (w: density weight)",
                  trajectory_columns_names())
      ->group(group);
  add_text_option(app, "--center", options.center, image_center_from_string,
                  "Where the file's coordinate 0 lies: voxel (floor(N/2), the default) or middle ((N-1)/2)",
                  image_center_names())
      ->group(group);
  app.add_option("--group", options.group, "HDF5 group of the scan in the file")->capture_default_str()->group(group);
  app.add_option("--encoding", options.encoding, "Which encoding of the file's header, from 0")
      ->check(non_negative_number())
      ->capture_default_str()
      ->group(group);
}

}  // namespace whorl::cli
