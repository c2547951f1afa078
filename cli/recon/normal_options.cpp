#include "cli/recon/normal_options.hpp"

#include "cli/output/file_name.hpp"
#include "whorl/io/normal_file.hpp"

namespace whorl::cli {

void add_normal_options(App& app, NormalFiles& files, const ReconOptions& options) {
  const auto iterates = [&options] { return options.method != ReconMethod::gridding; };
  constexpr const char* group = "Transform";
  Option* const given = app.add_input(
      "--normal", files.given,
      "Take the normal operator of the trajectory from this file, which --save-normal wrote (cg-sense, nlinv)");
  Option* const saved =
      app.add_output("--save-normal", files.saved, output_ending_in({".npz"}, "a normal operator's name"),
                     "Save the normal operator of the trajectory for other scans (.npz, cg-sense, nlinv)");
  given->group(group)->excludes(saved)->when("cg-sense or nlinv", iterates);
  saved->group(group)->when("cg-sense or nlinv", iterates);
}

void prepare_normals(const Context& ctx, const NormalFiles& files, ReconOptions& options) {
  if (!files.given.empty()) {
    options.normals = std::make_shared<const SavedNormals>(read_normals(ctx, files.given));
  }
  if (!files.saved.empty()) options.keep_normals = true;
}

}  // namespace whorl::cli
