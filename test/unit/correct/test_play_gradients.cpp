// A spiral whose gradients have eddy currents: its image with the nominal trajectory, and with that of the response.
#include "whorl/correct/play_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

constexpr double dwell_us = 4;
constexpr std::array<Index, 3> matrix{64, 64, 1};

// g - part q^n * dg/dn: an eddy current of each axis, in time, as scanners have them.
struct Eddy {
  double part;
  double time_us;

  double decay() const { return std::exp(-dwell_us / time_us); }
  Complex transfer(double hertz) const {
    const Complex z = std::polar(1.0, -2e-6 * std::numbers::pi * hertz * dwell_us);
    return 1.0 - part * (1.0 - z) / (1.0 - decay() * z);
  }
};

constexpr std::array<Eddy, 2> eddies{{{0.06, 80}, {0.04, 150}}};

Trajectory truth_of(const Context& ctx, const Trajectory& nominal) {
  Trajectory made{clone(ctx, nominal.points.ref()), nominal.readout_length};
  const auto k = made.points.view<2>();
  const auto from = nominal.points.view<2>();
  for (Index first = 0; first < nominal.samples(); first += nominal.readout_length) {
    for (Index axis = 0; axis < 2; ++axis) {
      const Eddy& eddy = eddies[static_cast<std::size_t>(axis)];
      double current = 0;
      double before = 0;
      for (Index i = 0; i + 1 < nominal.readout_length; ++i) {
        const double step = from(first + i + 1, axis) - from(first + i, axis);
        current = eddy.decay() * current + step - before;
        before = step;
        k(first + i + 1, axis) = std::clamp(k(first + i, axis) + step - eddy.part * current, -0.5, 0.5);
      }
    }
  }
  return made;
}

GradientResponse response_of(const Context& ctx) {
  GradientResponse response;
  const auto count = static_cast<Index>(125000 / 25) + 2;
  response.gradient = zeros<Complex>(ctx, {count, 3, 3});
  for (Index i = 0; i < count; ++i) {
    response.frequencies_hz.push_back(25.0 * static_cast<double>(i));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Index>(axis);
      response.gradient.view<3>()(i, a, a) = axis < 2 ? eddies[axis].transfer(response.frequencies_hz.back()) : 1.0;
    }
  }
  return response;
}

double error_of(const Reconstruction& result, const Reconstruction& truth) {
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < truth.images.size(); ++i) {
    difference += std::norm(result.images.data()[i] - truth.images.data()[i]);
    total += std::norm(truth.images.data()[i]);
  }
  return std::sqrt(difference / total);
}

class PlayGradients : public testing::Test {
 protected:
  PlayGradients() {
    DesignOptions design;
    design.limits.pixel_mm = 220.0 / 64;
    design.dwell_us = dwell_us;
    nominal = std::make_shared<const Trajectory>(designed_spiral(ctx, 4, 8, 1, design).trajectory);
    true_one = std::make_shared<const Trajectory>(truth_of(ctx, *nominal));
  }

  // The phantom's exact samples at the true places.
  Scan measured() const {
    Scan scan = phantom_scan(ctx, brain_phantom(2), test::make_trajectory_scan(true_one, matrix), {.coils = 4});
    scan.dwell_us = dwell_us;
    scan.frames.front().geometry.field_of_view_mm = {220, 220, 5};
    return scan;
  }
  Scan as_nominal() const {
    Scan scan = measured();
    scan.frames.front().trajectory = nominal;
    return scan;
  }
  Reconstruction image(Scan scan) const {
    return reconstruct(ctx, std::move(scan),
                       {.prewhiten = false, .cg_sense = {.iterations = 40, .tolerance = 1e-6, .lambda = 1e-3}});
  }

  Context ctx{{.threads = 2}};
  std::shared_ptr<const Trajectory> nominal;
  std::shared_ptr<const Trajectory> true_one;
};

TEST_F(PlayGradients, GivesTheImageOfTheTrueTrajectory) {
  const Reconstruction truth = image(measured());
  const double before = error_of(image(as_nominal()), truth);
  Scan mended = as_nominal();
  play_gradients(ctx, mended, response_of(ctx));
  const double after = error_of(image(std::move(mended)), truth);
  std::printf("nominal trajectory: %.4f of the true trajectory's image, with the response: %.2e\n", before, after);
  EXPECT_GT(before, 0.1);
  // Positions are right within 1e-6 cycles per pixel (test_gradient_response.cpp), so that 32 pixels from the center
  // phases are within 2e-4; the inversion of a fully sampled spiral amplifies that by less than 10.
  EXPECT_LT(after, 2e-3);
}

TEST_F(PlayGradients, UndoesTheFieldOfTheResponse) {
  GradientResponse response = response_of(ctx);
  const auto count = static_cast<Index>(response.frequencies_hz.size());
  response.field = zeros<Complex>(ctx, {count, 3});
  for (Index i = 0; i < count; ++i) response.field.view<2>()(i, 0) = 2e-3;
  Scan scan = as_nominal();
  // A field in proportion to the gradient along x turns the signal by 2e-3 m times k: 2 mm of 220 / 64 mm.
  const auto k = nominal->points.view<2>();
  const auto data = scan.frames.front().data.view<2>();
  const Scan untouched = as_nominal();
  for (Index j = 0; j < data.extent(1); ++j) {
    const auto factor = std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * k(j, 0) * 2 * 64 / 220));
    for (Index c = 0; c < data.extent(0); ++c) data(c, j) *= factor;
  }
  play_gradients(ctx, scan, response);
  double worst = 0;
  double largest = 0;
  for (Index i = 0; i < scan.frames.front().data.size(); ++i) {
    largest = std::max<double>(largest, std::abs(untouched.frames.front().data.data()[i]));
    worst =
        std::max<double>(worst, std::abs(scan.frames.front().data.data()[i] - untouched.frames.front().data.data()[i]));
  }
  EXPECT_LT(worst, 1e-6 * largest) << "rounding of float, twice";

  Scan without_extent = as_nominal();
  without_extent.frames.front().geometry.field_of_view_mm = {0, 0, 0};
  EXPECT_THROW(play_gradients(ctx, without_extent, response), ValueError);
  Scan without_time = as_nominal();
  without_time.dwell_us = 0;
  EXPECT_THROW(play_gradients(ctx, without_time, response_of(ctx)), ValueError);
}

}  // namespace
}  // namespace whorl
