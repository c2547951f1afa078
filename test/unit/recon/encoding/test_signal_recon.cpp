// Reconstructions of signals that evolve during the readout. The data are exact sums with each pixel's own evolution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "unit/recon/encoding/evolving_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using test::Complex;
using test::image_error;
using test::map_image;
using test::scan_of;
using test::smoothed;
using test::to_double;

constexpr double turn = 2 * std::numbers::pi;

constexpr std::array<Index, 3> matrix{56, 48, 1};

// A brain through 4 coils along a spiral of 8 arms and 12 ms, in the field and with the decay of the phantom: the image
// itself is the object, so that the model, not the resolution, is what the error is of.
class SignalRecon : public testing::Test {
 protected:
  SignalRecon() {
    const Phantom brain = brain_phantom(2);
    field = field_map(ctx, brain, matrix);
    r2_star = r2_star_map(ctx, brain, matrix);
    image = smoothed(ctx, to_double(ctx, rasterize<float>(ctx, brain, matrix, 8)));
    maps = to_double(ctx, phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, matrix, 4)));
    // with sum |s|^2 = 1, as reconstruct makes them
    const Index pixels = image.size();
    for (Index r = 0; r < pixels; ++r) {
      double sum = 0;
      for (Index c = 0; c < 4; ++c) sum += std::norm(maps.data()[c * pixels + r]);
      for (Index c = 0; c < 4; ++c) maps.data()[c * pixels + r] /= std::sqrt(sum);
    }
    trajectory = std::make_shared<const Trajectory>(spiral_trajectory(ctx, 8, 1200, 4));
  }

  Scan scan(bool in_field, bool decays) const {
    ExponentialSignal evolution;
    if (in_field || decays) {
      evolution = exponential_signal(ctx, decays ? r2_star.ref() : ArrayRef<const float>(),
                                     in_field ? field.ref() : ArrayRef<const float>());
    }
    return scan_of(ctx, image, maps, evolution, trajectory, 10, 0);
  }
  SignalOptions signal(bool in_field, bool decays) const {
    SignalOptions options;
    if (in_field) options.field_map = map_image(ctx, "field.nii", field, matrix);
    if (decays) options.r2_star = map_image(ctx, "r2star.nii", r2_star, matrix);
    options.tolerance = 1e-4;
    return options;
  }
  // 0 to 130 Hz, without the steps at fat that the phantom's has.
  static double smooth_field(double x, double y) {
    return 130 * std::exp(-(std::pow(x - 20, 2) + std::pow(y - 30, 2)) / 300);
  }
  void use_smooth_field() {
    for (Index y = 0; y < matrix[1]; ++y) {
      for (Index x = 0; x < matrix[0]; ++x) {
        field.view<2>()(y, x) = static_cast<float>(smooth_field(double(x), double(y)));
      }
    }
  }
  // The penalty keeps the errors of the operator out of what is hardly measured, and takes 1e-3 of the object at most.
  static ReconOptions exact_options() {
    return {.prewhiten = false,
            .coil_maps = CoilMapMethod::file,
            .cg_sense = {.iterations = 60, .tolerance = 1e-6, .lambda = 1e-4},
            .nufft = {.tolerance = 1e-4}};
  }

  Context ctx{{.threads = 2}};
  Array<float> field;
  Array<float> r2_star;
  Array<Complex> image;
  Array<Complex> maps;
  std::shared_ptr<const Trajectory> trajectory;
};

// NUFFT and factors have a tolerance of 1e-4 of the data each. The image's relative error is this times the condition of
// the encoding in the directions that matter, some 10 for a fully sampled spiral, and what the penalty takes: below 5e-3.
// Tissue that decays fast has lost its high frequencies when they are sampled, 12 ms after time 0: no map gives back what
// the data do not hold. A sixth of what is left without the maps covers it.
TEST_F(SignalRecon, MapsGiveTheObjectBack) {
  for (const auto& [in_field, decays] : {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
    const Scan measured = scan(in_field, decays);
    ReconOptions options = exact_options();
    const double plain = image_error(reconstruct(ctx, measured, options), image);
    options.signal = signal(in_field, decays);
    const auto result = reconstruct(ctx, measured, options);
    const double corrected = image_error(result, image);
    std::printf("field %d, decay %d: error %.4f, corrected %.5f\n", in_field, decays, plain, corrected);
    EXPECT_GT(plain, 0.1);
    EXPECT_LT(corrected, decays ? plain / 6 : 5e-3);
    const bool said = std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
      return note.starts_with("Signal: ") && note.find(" factors, relative error ") != std::string::npos;
    });
    EXPECT_TRUE(said);
  }
}

// The exact transform takes the factors alike: both images are those of the model to their tolerances.
TEST_F(SignalRecon, ExactSumsGiveTheSameImage) {
  const Scan measured = scan(true, true);
  ReconOptions options = exact_options();
  options.cg_sense.iterations = 3;
  options.signal = signal(true, true);
  const auto fast = reconstruct(ctx, measured, options);
  options.transform = TransformMethod::exact;
  // Three steps amplify the tolerance of 1e-4 by less than the condition of what they solve, some 10.
  EXPECT_LT(test::relative_error(reconstruct(ctx, measured, options).images, fast.images), 1e-3);
}

TEST_F(SignalRecon, RegularizersTakeTheMaps) {
  const Scan measured = scan(true, false);
  ReconOptions options = exact_options();
  options.cg_sense.iterations = 40;
  options.regularized.terms = {parse_regularizer("tv:0.0005,unit=largest")};
  const double plain = image_error(reconstruct(ctx, measured, options), image);
  options.signal = signal(true, false);
  EXPECT_LT(image_error(reconstruct(ctx, measured, options), image), 0.3 * plain);
}

// Conjugate phase in a smooth field of 0 to 130 Hz, against the gridded image of the object without a field. It corrects the
// phase, and does not invert what the field does to the density of k-space; at the edge of fat, whose frequency differs
// from its neighbors', it does little.
TEST_F(SignalRecon, GriddingTakesTheMaps) {
  use_smooth_field();
  ReconOptions gridding{.method = ReconMethod::gridding,
                        .prewhiten = false,
                        .coil_maps = CoilMapMethod::file,
                        .gridding = {.combination = CombinationMethod::matched}};
  const auto resting = to_double(ctx, reconstruct(ctx, scan(false, false), gridding).images);
  const Scan measured = scan(true, false);
  const double blurred = image_error(reconstruct(ctx, measured, gridding), resting);
  gridding.signal = signal(true, false);
  const double corrected = image_error(reconstruct(ctx, measured, gridding), resting);
  std::printf("gridding: error %.4f, corrected %.4f\n", blurred, corrected);
  EXPECT_LT(corrected, 0.5 * blurred);
}

// A map on another grid, turned and finer, is that of the same places.
TEST_F(SignalRecon, MapsAreResampledByTheirPlace) {
  use_smooth_field();
  const std::array<Index, 3> fine{112, 96, 1};
  auto map = std::make_shared<ReferenceImage>();
  map->source = "fine.nii";
  // [x, y] in memory: columns and rows change places in the affine
  map->values = Array<float>(ctx, {fine[0], fine[1]});
  for (Index y = 0; y < fine[1]; ++y) {
    for (Index x = 0; x < fine[0]; ++x) {
      map->values.data()[x * fine[1] + y] = static_cast<float>(smooth_field(double(x) / 2, double(y) / 2));
    }
  }
  Geometry place;
  place.field_of_view_mm = {56, 48, 1};
  const Affine straight = voxel_affine(place, fine);
  map->affine = straight;
  for (std::size_t row = 0; row < 3; ++row) {
    std::swap(map->affine.matrix[row][0], map->affine.matrix[row][1]);
  }
  ReconOptions options = exact_options();
  options.signal = signal(true, false);
  const Scan measured = scan(true, false);
  const double plain = image_error(reconstruct(ctx, measured, exact_options()), image);
  options.signal.field_map = map;
  // The mean over a pixel of a field that bends is not that of its center: by less than 1 Hz here.
  EXPECT_LT(image_error(reconstruct(ctx, measured, options), image), 0.1 * plain);
}

// Another time 0 turns the image by what the signal does between the two: exp(-2 pi i f t).
TEST_F(SignalRecon, TheImageIsThatOfTimeZero) {
  use_smooth_field();
  const Scan measured = scan(true, false);
  ReconOptions options = exact_options();
  options.signal = signal(true, false);
  options.signal.readout_start_us = -3000;
  Array<Complex> later(ctx, image.shape());
  for (Index r = 0; r < image.size(); ++r) {
    later.data()[r] = image.data()[r] * std::polar(1.0, -turn * double{field.data()[r]} * 3e-3);
  }
  // The phase moves some of the object into the corners of k-space.
  EXPECT_LT(image_error(reconstruct(ctx, measured, options), later), 0.02);
}

TEST_F(SignalRecon, RefusesUnknownTimesAndUselessOptions) {
  const auto message = [&](const Scan& measured, const ReconOptions& options) {
    try {
      reconstruct(ctx, measured, options);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  Scan measured = scan(true, false);
  ReconOptions options = exact_options();
  options.signal = signal(true, false);
  measured.dwell_us = 0;
  EXPECT_NE(message(measured, options).find("give the dwell time"), std::string::npos);
  measured.dwell_us = 10;
  measured.readout_start_us = std::nan("");
  EXPECT_NE(message(measured, options).find("different sample times"), std::string::npos);
  options.signal.dwell_us = 10;
  options.signal.readout_start_us = 0;
  options.cg_sense.iterations = 1;
  EXPECT_EQ(message(measured, options), "nothing thrown");
  options.keep_normals = true;
  EXPECT_NE(message(measured, options).find("normal operator"), std::string::npos);
  options.keep_normals = false;
  options.signal.field_map = nullptr;
  EXPECT_NE(message(measured, options).find("without a field map"), std::string::npos);

  options.signal = signal(false, true);
  auto negative = std::make_shared<ReferenceImage>();
  negative->source = "bad.nii";
  negative->values = clone(ctx, r2_star.ref());
  negative->values.data()[77] = -5;
  negative->affine = options.signal.r2_star->affine;
  options.signal.r2_star = negative;
  options.signal.dwell_us = 10;
  options.signal.readout_start_us = 0;
  EXPECT_NE(message(measured, options).find("'bad.nii': its least value is -5 1/s"), std::string::npos);

  auto ragged = std::make_shared<Trajectory>();
  ragged->points = clone(ctx, trajectory->points.ref());
  measured.frames.front().trajectory = ragged;
  options.signal = signal(true, false);
  measured.readout_start_us = 0;
  EXPECT_NE(message(measured, options).find("unequal or unknown length"), std::string::npos);
}

}  // namespace
}  // namespace whorl
