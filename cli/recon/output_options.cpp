#include "cli/recon/output_options.hpp"

#include <fmt/format.h>

#include "cli/options/number_list.hpp"
#include "cli/options/table_options.hpp"
#include "cli/recon/recon_options.hpp"
#include "whorl/core/error.hpp"
#include "whorl/job/corrections.hpp"

namespace whorl::cli {

namespace {

// How defaults and lists look.
Shown shown_options(const ReconRequest& request) {
  // How other density weights than Pipe-Menon's are made is left to whorl density.
  Shown shown{.but = {"output", "pipe-menon-tolerance", "cell", "boundary"}};
  shown.changed.push_back(
      {.name = "lambda",
       .fallback = fmt::format("spectrum, or {:g} with --no-prewhitening", request.recon.cg_sense.lambda)});
  shown.changed.push_back({.name = "delays", .form = std::string("auto|") + delay_form});
  shown.changed.push_back({.name = "k-shift", .form = "auto|readouts|X,Y[,Z]"});
  shown.changed.push_back({.name = "shift-fov", .form = "header|X,Y[,Z]"});
  return shown;
}

void add_points(App& app, ReconRequest& request) {
  app.add_list_function(
         "--psf", {"X,Y[,Z]", 3, &is_number},
         [&request](const std::string& text) {
           try {
             request.point_spreads.push_back(number_list(text));
           } catch (const ValueError& error) {
             refuse_option("--psf", error.what());
           }
         },
         "Voxel (from 0) whose point spread and resolution are wanted; may be repeated; only with "
         "cg-sense without --regularize",
         true)
      ->group("Error bars");
}

}  // namespace

void add_request_options(App& app, ReconRequest& request) {
  add_options(app, request, shown_options(request));
  add_points(app, request);
  app.get_option("--psf-image")->needs("--psf");
  app.get_option("--gate")->excludes("--spokes-per-frame");
  app.get_option("--gate-weights")->excludes("--soft-gate");
  app.get_option("--soft-gate")->excludes("--gate");
  app.get_option("--subspace-from")->excludes("--subspace");
  app.get_option("--estimate-motion")->excludes("--motion");
  app.get_option("--maps-file")->excludes("--maps");
  app.get_option("--save-normal")->excludes("--normal");
}

}  // namespace whorl::cli
