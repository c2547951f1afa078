#include "cli/recon/normal_options.hpp"

#include <array>

#include "cli/output/file_name.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/normal_file.hpp"

namespace whorl::cli {

namespace {

std::string check_npz(const std::string& path) {
  return path.ends_with(".npz") ? std::string() : "'" + path + "': a normal operator is written as .npz";
}

}  // namespace

void add_normal_options(App& app, NormalFiles& files) {
  constexpr const char* group = "Transform";
  Option* const given =
      app.add_option("--normal", files.given,
                     "Take the normal operator of the trajectory from this file, which --save-normal wrote (cg-sense)");
  Option* const saved = app.add_option("--save-normal", files.saved,
                                       "Save the normal operator of the trajectory for other scans (.npz, cg-sense)");
  given->group(group)->excludes(saved);
  saved->group(group)->check(Check(check_npz));
}

void prepare_normals(const Context& ctx, const NormalFiles& files, const std::string& scan, ReconOptions& options) {
  if (!files.given.empty()) {
    options.normals = std::make_shared<const SavedNormals>(read_normals(ctx, files.given));
  }
  if (!files.saved.empty()) {
    refuse_to_overwrite(std::array{scan}, files.saved);
    const AtomicFile writable(files.saved);  // refused before the work, and not after it
    options.keep_normals = true;
  }
}

}  // namespace whorl::cli
