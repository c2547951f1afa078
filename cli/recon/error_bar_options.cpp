#include "cli/recon/error_bar_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/number_list.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

using Complex = std::complex<float>;

constexpr const char* group = "Error bars";

Option* add_image(App& app, const std::string& name, std::string& path, const std::string& help) {
  return app.add_output(name, path, image_output(), help)->group(group);
}

void add_noise_options(App& app, ErrorBarRequest& request, const ReconOptions& recon) {
  const auto noise = [&request] { return !request.standard_deviation.empty() || !request.g_factor.empty(); };
  const auto any = [&request, noise] { return noise() || !request.bias.empty() || !request.points.empty(); };
  Shown shown;
  for (const OptionDescriptor& option : option_table<ErrorBarOptions>().descriptors()) {
    shown.changed.push_back({.name = option.name, .applies = ""});
  }
  add_options(app, request.options, shown);
  for (const char* name : {"--stddev-method", "--replicas", "--noise-seed"}) {
    app.get_option(name)->when("--stddev or --gfactor of cg-sense",
                               [&recon, noise] { return recon.method == ReconMethod::cg_sense && noise(); });
  }
  for (const char* name : {"--noise-iterations", "--noise-tolerance"}) {
    app.get_option(name)->when("an error bar of cg-sense without --regularize", [&recon, any] {
      return recon.method == ReconMethod::cg_sense && recon.regularizers.empty() && any();
    });
  }
}

Array<Complex> as_complex(const Context& ctx, ArrayRef<const float> values) {
  Array<Complex> result(ctx, values.shape());
  to_complex<float>(ctx, values, result);
  return result;
}

}  // namespace

void add_error_bar_options(App& app, ErrorBarRequest& request, const ReconOptions& recon) {
  const auto cg_sense = [&recon] { return recon.method == ReconMethod::cg_sense; };
  add_image(app, "--stddev", request.standard_deviation,
            "Write each voxel's standard deviation, sqrt(E|x - E x|^2); real part and magnitude have that / sqrt(2)")
      ->when("cg-sense or combine matched",
             [&recon, cg_sense] { return cg_sense() || recon.combination == CombinationMethod::matched; });
  add_noise_options(app, request, recon);
  add_image(app, "--gfactor", request.g_factor, "Write the g-factor (cg-sense)")->when("cg-sense", cg_sense);
  app.add_list_function(
         "--psf", {"X,Y[,Z]", 3, &is_number},
         [&request](const std::string& text) {
           try {
             request.points.push_back(number_list(text));
           } catch (const ValueError& error) {
             refuse_option("--psf", error.what());
           }
         },
         "Voxel (from 0) whose point spread and resolution are wanted; may be repeated (cg-sense)", true)
      ->group(group)
      ->when("cg-sense", cg_sense);
  add_image(app, "--psf-image", request.point_spread, "Write the point spreads, one frame each")->needs("--psf");
  add_image(app, "--bias", request.bias,
            "Write the bias that the penalty causes, with the image as the object (cg-sense)")
      ->when("cg-sense", cg_sense);
  // An image with regularizers is no linear function of the data. Its standard deviation is found at its fixed point.
  for (const char* name : {"--gfactor", "--psf", "--bias"}) {
    app.get_option(name)->when("images without --regularize", [&recon] { return recon.regularizers.empty(); });
  }
}

ErrorBarOptions error_bar_options(const ErrorBarRequest& request, const Scan& scan) {
  ErrorBarOptions options = request.options;
  options.standard_deviation = !request.standard_deviation.empty();
  options.g_factor = !request.g_factor.empty();
  options.bias = !request.bias.empty();
  for (const std::vector<Index>& point : request.points) {
    if (static_cast<int>(point.size()) != scan.dim()) {
      throw ValueError(fmt::format("point spread: voxel {} of an image of {} axes; expected as many numbers, x first",
                                   fmt::join(point, ","), scan.dim()));
    }
    options.points.push_back({point[0], point[1], scan.dim() == 3 ? point[2] : 0});
  }
  return options;
}

Parameters describe(const ErrorBarOptions& options) {
  if (!options.any()) return {};
  Parameters parameters = parameters_of(options);
  std::string points;
  for (const auto& point : options.points) {
    points += fmt::format("{}{}", points.empty() ? "" : " ", fmt::join(point, ","));
  }
  parameters.emplace_back("psf_voxels", points);
  return parameters;
}

std::vector<ErrorBarImages> error_bar_images(const ErrorBarRequest& request, const std::vector<ImageFrame>& frames) {
  std::vector<ErrorBarImages> images;
  const auto add = [&](const std::string& path, const char* quantity) {
    if (!path.empty()) images.push_back({path, frames, {}, quantity});
  };
  add(request.standard_deviation, "standard deviation (unit of the image)");
  add(request.g_factor, "g-factor (1)");
  add(request.bias, "bias (unit of the image)");
  if (!request.point_spread.empty() && !frames.empty()) {
    ErrorBarImages& spreads = images.emplace_back(ErrorBarImages{request.point_spread, {}, {}, {}});
    for (std::size_t p = 0; p < request.points.size(); ++p) {
      spreads.frames.push_back(frames.front());
      spreads.frames.back().index.repetition = static_cast<int>(p);
    }
  }
  return images;
}

std::vector<ErrorBarImages> error_bar_images(const Context& ctx, const ErrorBarRequest& request,
                                             const Reconstruction& result) {
  std::vector<ErrorBarImages> images = error_bar_images(request, result.frames);
  const ErrorBars& bars = result.error_bars;
  std::size_t next = 0;
  if (!request.standard_deviation.empty()) images[next++].values = as_complex(ctx, bars.standard_deviation);
  if (!request.g_factor.empty()) images[next++].values = as_complex(ctx, bars.g_factor);
  if (!request.bias.empty()) images[next++].values = clone<const Complex>(ctx, bars.bias);
  if (!request.point_spread.empty()) images[next].values = clone<const Complex>(ctx, bars.point_spreads);
  return images;
}

}  // namespace whorl::cli
