// Spirals that gradients with eddy currents play: the image with the nominal trajectory, and with the response of the gradients.
#include <cmath>
#include <iostream>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/correct/play_gradients.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/plot/caption.hpp"
#include "whorl/plot/montage.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace {

using Complex = std::complex<double>;

constexpr double dwell_us = 4;

// Eddy currents that take a part of each change of the gradient, and decay with a time.
whorl::GradientResponse eddy_currents(const whorl::Context& ctx, double part, double time_us) {
  whorl::GradientResponse response;
  constexpr double spacing_hz = 25;
  const auto count = static_cast<whorl::Index>(1e6 / dwell_us / 2 / spacing_hz) + 2;
  response.gradient = whorl::zeros<Complex>(ctx, {count, 3, 3});
  for (whorl::Index i = 0; i < count; ++i) {
    const double hertz = spacing_hz * static_cast<double>(i);
    const Complex rate{0, 2e-6 * std::numbers::pi * hertz * time_us};
    response.frequencies_hz.push_back(hertz);
    for (whorl::Index axis = 0; axis < 3; ++axis) {
      response.gradient.view<3>()(i, axis, axis) = 1.0 - part * rate / (1.0 + rate);
    }
  }
  return response;
}

whorl::Picture panel(const whorl::Context& ctx, const whorl::Array<float>& image, const std::string& caption) {
  const whorl::Picture picture =
      whorl::montage_picture(ctx, image, {.window = whorl::default_window(ctx, image), .zoom = 384 / image.extent(-1)});
  return whorl::with_caption(picture, {caption});
}

void correct(whorl::Index n, const char* picture) {
  const whorl::Context ctx;
  constexpr whorl::Index arms = 8;
  whorl::DesignOptions design;
  design.limits.pixel_mm = 220.0 / static_cast<double>(n);
  design.dwell_us = dwell_us;
  const double turns = static_cast<double>(n) / 2 / static_cast<double>(arms);
  const auto nominal =
      std::make_shared<whorl::Trajectory>(whorl::designed_spiral(ctx, arms, turns, 1, design).trajectory);

  whorl::Scan scan;
  scan.matrix = {n, n, 1};
  scan.dwell_us = dwell_us;
  scan.frames.emplace_back().trajectory = nominal;
  scan.frames.front().geometry.field_of_view_mm = {220, 220, 5};
  // What the scanner does: it plays the response, and the object is measured there.
  const whorl::GradientResponse response = eddy_currents(ctx, 0.08, 200);
  whorl::play_gradients(ctx, scan, response);
  scan = whorl::phantom_scan(ctx, whorl::brain_phantom(2), std::move(scan),
                             {.coils = 0, .noise_standard_deviation = 0.02, .seed = 1});
  // What its file says: the spirals that were asked for.
  scan.frames.front().trajectory = nominal;

  const auto image_of = [&](const whorl::Scan& of) {
    whorl::Array<float> magnitude = whorl::magnitude(ctx, whorl::reconstruct(ctx, of, {}).images);
    magnitude.reshape({n, n});
    return magnitude;
  };
  const whorl::Array<float> truth = whorl::rasterize<float>(ctx, whorl::brain_phantom(2), {n, n, 1}, 8);
  const auto error_of = [&](const whorl::Array<float>& image) {
    return std::to_string(whorl::scaled_error(ctx, image, truth).nrmse).substr(0, 5);
  };
  const whorl::Array<float> before = image_of(scan);
  whorl::play_gradients(ctx, scan, response);
  const whorl::Array<float> after = image_of(scan);
  std::cout << "error with the nominal spiral: " << error_of(before) << ", with the response: " << error_of(after)
            << '\n';
  const std::vector<whorl::Picture> panels{panel(ctx, truth, "the object"),
                                           panel(ctx, before, "nominal spiral: error " + error_of(before)),
                                           panel(ctx, after, "with the response: error " + error_of(after))};
  whorl::write_picture(ctx, picture, whorl::in_rows(panels, 3, 8));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_gradient_response MATRIX PICTURE.png\n";
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
