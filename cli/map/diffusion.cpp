// whorl map diffusion: the diffusion coefficient, or the tensor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "cli/map/gradient_table.hpp"
#include "cli/map/map.hpp"
#include "cli/map/map_series.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/fit/diffusion.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/png.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::cli {

namespace {

struct DiffusionMapOptions {
  SeriesInput series;
  std::vector<double> b_values;
  std::string b_file;
  std::string directions;
  std::string color;
  MapOutput output{"-o,--output", "diffusivity", ""};
  MapOutput error{"--error", "diffusivity_error", "Also write the standard deviation of the diffusivity, in mm^2/s"};
  MapOutput amplitude{"--amplitude", "amplitude", "Also write the signal at b = 0"};
  MapOutput amplitude_error{"--amplitude-error", "amplitude_error", "Also write its standard deviation"};
  std::array<MapOutput, 5> tensor{
      MapOutput{"--fa", "anisotropy", "Also write the fractional anisotropy FA"},
      MapOutput{"--fa-error", "anisotropy_error", "Also write the standard deviation of FA"},
      MapOutput{"--eigenvalues", "eigenvalues", "Also write the eigenvalues [3, (z,) y, x] in mm^2/s, largest first"},
      MapOutput{"--eigenvectors", "eigenvectors", "Also write the eigenvectors [eigenvector, xyz, (z,) y, x]"},
      MapOutput{"--tensor", "tensor", "Also write the tensor [xx yy zz xy xz yz, (z,) y, x] in mm^2/s"}};
};

const OptionTable<DiffusionMapOptions>& b_value_table() {
  static const OptionTable<DiffusionMapOptions> table =
      OptionTable<DiffusionMapOptions>("map diffusion")
          .list("b-values", &DiffusionMapOptions::b_values, 2, 0, OptionRange{0, 1e6}, "s/mm^2",
                "b value of each image of the series, in its order");
  return table;
}

// The main direction in red (x), green (y) and blue (z), as bright as FA.
Picture color_picture(const Context& ctx, const TensorMaps& maps) {
  std::array<Picture, 3> channels;
  const Index voxels = maps.anisotropy.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Array<float> part(ctx, maps.anisotropy.shape());
    for (Index v = 0; v < voxels; ++v) {
      part.data()[v] =
          std::abs(maps.eigenvectors.data()[static_cast<Index>(axis) * voxels + v]) * maps.anisotropy.data()[v];
    }
    MontageOptions montage{.colormap = Colormap::gray, .window = DisplayWindow{0, 1}};
    channels[axis] = montage_picture(ctx, part, montage);
    montage.zoom = comfortable_zoom(channels[axis].width, channels[axis].height);
    if (montage.zoom > 1) channels[axis] = montage_picture(ctx, part, montage);
  }
  Picture picture = channels[0];
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) picture.pixels[i][axis] = channels[axis].pixels[i][0];
  }
  return picture;
}

double determinant(const Affine& affine) {
  const auto& m = affine.matrix;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

void run_diffusion(const DiffusionMapOptions& options, const Session& session) {
  const MapSeries series = read_series(session.ctx, options.series);
  RunRecord record = begin_record(session);
  const std::vector<double> b = options.b_file.empty() ? options.b_values : read_b_values(options.b_file);
  if (b.empty()) throw ValueError("diffusion: no b values; give --b-values or --b-file");
  record.parameters = {{"map", "diffusion"}, {"b_values", fmt::format("{}", fmt::join(b, ","))}};
  append(record.parameters, parameters_of(options.series.fit));
  const auto start = std::chrono::steady_clock::now();
  const auto done = [&](const DiffusionMaps& maps) {
    record.stage_seconds = {{"fit", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
    record.notes.emplace_back(fmt::format("Diffusivity in mm^2/s: {}", counts_text(maps.fitted, maps.failed)));
  };
  record.quantity = "diffusivity (mm^2/s)";
  const auto write_mean = [&](DiffusionMaps& maps) {
    write_map(session.ctx, options.output, maps.diffusivity, series.affine);
    write_map(session.ctx, options.error, maps.diffusivity_error, series.affine);
    write_map(session.ctx, options.amplitude, maps.amplitude, series.affine);
    write_map(session.ctx, options.amplitude_error, maps.amplitude_error, series.affine);
  };
  if (options.directions.empty()) {
    DiffusionMaps maps = fit_diffusion(session.device(), series.values, b, options.series.fit, series.errors_ref());
    done(maps);
    write_mean(maps);
  } else {
    auto directions = read_directions(options.directions);
    const bool is_fsl = options.directions.ends_with(".bvec") || options.directions.ends_with(".bvecs");
    if (is_fsl && series.affine && determinant(*series.affine) > 0) {
      for (auto& direction : directions) direction[0] = -direction[0];
      record.notes.emplace_back(
          "x of the directions is reversed, as FSL's files mean it for images of this handedness.");
    }
    TensorMaps maps =
        fit_diffusion_tensor(session.device(), series.values, b, directions, options.series.fit, series.errors_ref());
    done(maps.mean);
    if (!options.color.empty()) write_picture(session.ctx, options.color, color_picture(session.ctx, maps));
    write_mean(maps.mean);
    const std::array<Array<float>*, 5> values{&maps.anisotropy, &maps.anisotropy_error, &maps.eigenvalues,
                                              &maps.eigenvectors, &maps.tensor};
    for (std::size_t n = 0; n < values.size(); ++n) {
      write_map(session.ctx, options.tensor[n], *values[n], series.affine);
    }
  }
  finish_run(session, record);
}

constexpr const char* diffusion_text =
    R"(Each voxel is fitted by S0 exp(-b D), or with --directions by S0 exp(-b g^T D g) with a symmetric tensor D: the linear fit of
log S, weighted by S^2, then the nonlinear one (Levenberg-Marquardt). The map is D, or a third of the tensor's trace, in mm^2/s.

Directions run along the image's axes x, y, z: three lines x, y and z with a number for each image, or a line x y z for each. In
files that end in .bvec or .bvecs x is reversed where FSL means it so: for images whose affine has a positive determinant.

Examples:
  whorl map diffusion series.nii.gz --b-values 0,500,1000 -o adc.nii.gz --error adc_error.nii.gz
  whorl map diffusion dwi.nii.gz --b-file dwi.bval --directions dwi.bvec -o md.nii.gz --fa fa.nii.gz --fa-error fa_error.nii.gz
  whorl map diffusion dwi.nii.gz --b-file dwi.bval --directions dwi.bvec -o md.nii.gz --color directions.png)";

}  // namespace

Command diffusion_map_command() {
  return {"diffusion", "Diffusion coefficient, or tensor with FA and directions", diffusion_text, [](App& app) -> Run {
            const auto options = std::make_shared<DiffusionMapOptions>();
            add_series(app, options->series);
            add_options(app, *options, b_value_table());
            app.add_input("--b-file", options->b_file, "Text file with the b values in s/mm^2 (FSL's .bval)")
                ->excludes("--b-values");
            app.add_input("--directions", options->directions,
                          "Text file with the direction of each image (FSL's .bvec): fit a tensor");
            options->output.help = fmt::format("Map of the diffusivity in mm^2/s ({})", array_extensions());
            add_map(app, options->output)->required();
            add_map(app, options->error);
            add_map(app, options->amplitude);
            add_map(app, options->amplitude_error);
            const auto has_directions = [options] { return !options->directions.empty(); };
            for (MapOutput& output : options->tensor) add_map(app, output)->when("--directions", has_directions);
            app.add_output("--color", options->color, png_output(),
                           "Also write a picture: main direction x red, y green, z blue, as bright as FA")
                ->when("--directions", has_directions);
            return [options](const Session& session) { run_diffusion(*options, session); };
          }};
}

}  // namespace whorl::cli
