// A field map from three echoes, and a spiral with and without it.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "whorl/calib/field_map.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/plot/caption.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/montage.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace {

using Complex = std::complex<float>;

// A scan of the brain, whose fat is 434 Hz off at 3 T, along spirals of so many arms: 8 coils and some noise.
whorl::Scan measure(const whorl::Context& ctx, whorl::Index n, whorl::Index arms, double readout_ms,
                    double echo_time_ms, std::uint64_t seed) {
  const whorl::Index samples = 125 * n / arms;
  auto spiral = std::make_shared<whorl::Trajectory>(
      whorl::spiral_trajectory(ctx, arms, samples, static_cast<double>(n) / 2 / static_cast<double>(arms)));
  whorl::Scan scan;
  scan.matrix = {n, n, 1};
  scan.frames.emplace_back();
  scan.frames.front().trajectory = std::move(spiral);
  scan.dwell_us = 1e3 * readout_ms / static_cast<double>(samples);
  whorl::PhantomScanOptions options{.coils = 8, .noise_standard_deviation = 0.02, .seed = seed};
  options.evolving_points = 2;
  options.echo_time_ms = echo_time_ms;
  return whorl::phantom_scan(ctx, whorl::brain_phantom(2), std::move(scan), options);
}

// Three short echoes as frames of one scan: coil maps of the first one serve all, so that the field alone turns their phases.
whorl::FieldMap map_field(const whorl::Context& ctx, whorl::Index n) {
  const std::vector<double> times_ms{2, 3, 5.5};
  whorl::Scan echoes;
  for (std::size_t echo = 0; echo < times_ms.size(); ++echo) {
    whorl::Scan scan = measure(ctx, n, n / 2, 1.2, times_ms[echo], echo + 1);
    scan.frames.front().index.contrast = static_cast<int>(echo);
    if (echo == 0) {
      echoes = std::move(scan);
    } else {
      echoes.frames.push_back(std::move(scan.frames.front()));
    }
  }
  whorl::Array<Complex> images = whorl::reconstruct(ctx, std::move(echoes)).images;  // [echo, 1, y, x]: as one coil
  return whorl::estimate_field_map(ctx, images, std::vector<double>{2e-3, 3e-3, 5.5e-3}, {.smoothness = 0.3});
}

whorl::Picture panel(const whorl::Context& ctx, const whorl::Array<float>& values, const std::string& caption,
                     whorl::Colormap colormap = whorl::Colormap::gray) {
  const whorl::DisplayWindow window = whorl::default_window(ctx, values);
  const whorl::Picture picture =
      whorl::montage_picture(ctx, values, {.colormap = colormap, .window = window, .zoom = 384 / values.extent(-1)});
  const bool signed_values = colormap != whorl::Colormap::gray;
  return whorl::with_caption(signed_values ? whorl::with_colorbar(picture, colormap, window, "Hz") : picture,
                             {caption});
}

void correct(whorl::Index n, const char* picture) {
  const whorl::Context ctx;
  whorl::FieldMap field = map_field(ctx, n);
  const whorl::Scan scan = measure(ctx, n, 8, 12, 0, 9);
  whorl::ReconOptions options;
  options.cg_sense.lambda_search = whorl::LambdaSearchOptions{.method = whorl::LambdaMethod::spectrum};
  const whorl::Array<Complex> before = whorl::reconstruct(ctx, scan, options).images;
  auto map = std::make_shared<whorl::ReferenceImage>();
  map->source = "estimated from three echoes";
  map->values = whorl::clone(ctx, field.hertz.ref());
  map->affine.in_scanner = false;  // voxel by voxel
  options.signal.field_map = std::move(map);
  const whorl::Array<Complex> after = whorl::reconstruct(ctx, scan, options).images;

  whorl::Array<float> truth = whorl::rasterize<float>(ctx, whorl::brain_phantom(2), {n, n, 1}, 8);
  const auto image_of = [&](const whorl::Array<Complex>& images) {
    whorl::Array<float> magnitude = whorl::magnitude(ctx, images);
    magnitude.reshape({n, n});
    return magnitude;
  };
  const auto error_of = [&](const whorl::Array<float>& image) {
    return std::to_string(whorl::scaled_error(ctx, image, truth).nrmse).substr(0, 5);
  };
  const whorl::Array<float> blurred = image_of(before);
  const whorl::Array<float> sharp = image_of(after);
  std::cout << "error without the map: " << error_of(blurred) << ", with it: " << error_of(sharp) << '\n';
  for (whorl::Index v = 0; v < field.hertz.size(); ++v) field.hertz.data()[v] *= field.mask.data()[v];
  const std::vector<whorl::Picture> panels{
      panel(ctx, truth, "the object"), panel(ctx, field.hertz, "field map of three echoes", whorl::Colormap::blue_red),
      panel(ctx, blurred, "without the map: error " + error_of(blurred)),
      panel(ctx, sharp, "with the map: error " + error_of(sharp))};
  whorl::write_picture(ctx, picture, whorl::in_rows(panels, 2, 8));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_field_corrected_spiral MATRIX PICTURE.png\n";
    return 2;
  }
  try {
    correct(std::stoi(argv[1]), argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
