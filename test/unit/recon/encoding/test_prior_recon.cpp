// The anatomical prior on a brain at low SNR: what it gains within a tissue, and what a wrong reference does.
#include <gtest/gtest.h>

#include <cmath>

#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/usual_lambda.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;
using References = std::vector<std::shared_ptr<const ReferenceImage>>;

constexpr std::array<Index, 3> matrix{64, 60, 1};
constexpr int repetitions = 8;

// A disk in white matter, in the picture on the right, behind the middle.
Region disk(double pixels, double intensity) {
  return {Solid{.center = {0.359, 0.2, 0}, .half_axes = {pixels / 32, pixels / 30, 1}}, {.intensity = intensity}};
}

// Mean and standard deviation of each pixel's real part over the repetitions.
struct Statistics {
  std::vector<double> mean;
  std::vector<double> deviation;
};

class PriorRecon : public testing::Test {
 protected:
  Array<float> raster(const Phantom& phantom) const { return rasterize<float>(ctx, phantom, matrix, 8); }

  // 40 spokes of 128 samples where 100 would be full, of one coil that sees everything alike.
  Scan scan_of(const Phantom& phantom) const {
    auto spokes = std::make_shared<Trajectory>(radial_trajectory(ctx, 40, 128, SpokeOrder::golden_angle));
    return phantom_scan(ctx, phantom, test::make_trajectory_scan(std::move(spokes), matrix), {.coils = 0});
  }

  // An image of another contrast, bright where the brain is dark, with noise of its own.
  std::shared_ptr<const ReferenceImage> reference_of(const Phantom& phantom) const {
    auto reference = std::make_shared<ReferenceImage>();
    reference->source = "proton.nii";
    reference->values = raster(phantom);
    for (Index i = 0; i < reference->values.size(); ++i) {
      float& value = reference->values.data()[i];
      if (value > 0.03F) value = 1.2F - value;
      value += static_cast<float>(0.01 * random_normal(77, static_cast<std::uint64_t>(i)));
    }
    Geometry place;
    place.field_of_view_mm = {64, 60, 1};
    reference->affine = voxel_affine(place, matrix);
    return reference;
  }

  // The reference moved by x and y pixels.
  std::shared_ptr<const ReferenceImage> moved(const ReferenceImage& reference, const char* source, double x,
                                              double y) const {
    auto there = std::make_shared<ReferenceImage>();
    there->source = source;
    there->values = clone(ctx, reference.values.ref());
    there->affine = reference.affine;
    for (auto& row : there->affine.matrix) row[3] += x * row[0] + y * row[1];
    return there;
  }

  Reconstruction reconstruct_with(const Scan& clean, double lambda, const References& references, int seed) const {
    ReconOptions options;
    options.cg_sense.lambda = lambda;
    return reconstruct_with(clean, options, references, seed);
  }

  Reconstruction reconstruct_with(const Scan& clean, ReconOptions options, const References& references,
                                  int seed) const {
    Scan scan = test::make_trajectory_scan(clean.frames[0].trajectory, matrix);
    scan.coils = 1;
    scan.frames[0].geometry = clean.frames[0].geometry;
    scan.frames[0].data = clone(ctx, clean.frames[0].data.ref());
    Array<Complex> noise(ctx, scan.frames[0].data.shape());
    fill_random_normal<float>(noise, static_cast<std::uint64_t>(100 + seed));
    for (Index i = 0; i < noise.size(); ++i) scan.frames[0].data.data()[i] += 0.2F * noise.data()[i];
    scan.coil_maps = Array<Complex>(ctx, {1, 1, matrix[1], matrix[0]});
    fill<Complex>(scan.coil_maps, 1);
    options.prewhiten = false;
    options.coil_maps = CoilMapMethod::file;
    options.cg_sense.iterations = 60;
    options.cg_sense.references = references;
    if (!references.empty()) options.cg_sense.penalty = PenaltyKind::prior;
    return reconstruct(ctx, std::move(scan), options);
  }

  Phantom with_disk(double intensity) const {
    Phantom phantom = brain;
    phantom.regions.push_back(disk(2.4, intensity));
    return phantom;
  }

  // The pixels within the disk, and those of white matter around it.
  std::pair<std::vector<Index>, std::vector<Index>> disk_and_ring() const {
    const Array<float> plain = raster(brain);
    const Array<float> within = raster({.name = "disk", .dim = 2, .regions = {disk(2.4, 1)}});
    const Array<float> around = raster({.name = "disk", .dim = 2, .regions = {disk(4.2, 1)}});
    std::pair<std::vector<Index>, std::vector<Index>> pixels;
    for (Index i = 0; i < plain.size(); ++i) {
      if (std::abs(plain.data()[i] - 1) > 1e-3F || around.data()[i] < 0.99F) continue;
      if (within.data()[i] > 0.99F) pixels.first.push_back(i);
      if (within.data()[i] == 0) pixels.second.push_back(i);
    }
    return pixels;
  }

  Statistics statistics(const Scan& clean, double lambda, const References& references) const {
    const auto pixels = static_cast<std::size_t>(matrix[0] * matrix[1]);
    Statistics result{std::vector<double>(pixels), std::vector<double>(pixels)};
    for (int seed = 0; seed < repetitions; ++seed) {
      const Reconstruction made = reconstruct_with(clean, lambda, references, seed);
      for (std::size_t i = 0; i < pixels; ++i) {
        const double value = made.images.span()[i].real();
        result.mean[i] += value / repetitions;
        result.deviation[i] += value * value;
      }
    }
    for (std::size_t i = 0; i < pixels; ++i) {
      result.deviation[i] =
          std::sqrt((result.deviation[i] - repetitions * result.mean[i] * result.mean[i]) / (repetitions - 1));
    }
    return result;
  }

  const Context ctx{{.threads = 2}};
  const Phantom brain = brain_phantom(2);
};

double mean_over(const std::vector<Index>& pixels, const std::vector<double>& values) {
  double sum = 0;
  for (const Index i : pixels) sum += values[static_cast<std::size_t>(i)];
  return sum / static_cast<double>(pixels.size());
}

double rms_over(const std::vector<Index>& pixels, std::vector<double> values) {
  for (double& value : values) value *= value;
  return std::sqrt(mean_over(pixels, values));
}

// Pixels of white matter (1) whose eight neighbors are, too.
std::vector<Index> white_matter(const Array<float>& truth) {
  std::vector<Index> pixels;
  for (Index y = 1; y + 1 < matrix[1]; ++y) {
    for (Index x = 1; x + 1 < matrix[0]; ++x) {
      bool pure = true;
      for (Index neighbor = 0; neighbor < 9; ++neighbor) {
        const Index i = (y + neighbor / 3 - 1) * matrix[0] + x + neighbor % 3 - 1;
        pure = pure && std::abs(truth.data()[i] - 1) < 1e-3F;
      }
      if (pure) pixels.push_back(y * matrix[0] + x);
    }
  }
  return pixels;
}

// The best lambda of Tikhonov's penalty is that of the least error over the image, of three in steps of 3. White matter
// has 69 pixels. Its deviation comes from 8 repetitions; neighbors are correlated over some 10 pixels, so that 7 times
// 7 numbers tell it to 1 / sqrt(2 * 49) = 10 %. The prior's was found to be 0.34 of Tikhonov's: a half is five times
// that error away. Means over white matter deviate by at most 0.05 / sqrt(8 * 7) = 0.007; 0.97 and 1.00 were found.
TEST_F(PriorRecon, HalvesTheNoiseWithinATissue) {
  const Scan clean = scan_of(brain);
  const Array<float> truth = raster(brain);
  const std::vector<Index> white = white_matter(truth);
  ASSERT_EQ(white.size(), 69U);
  const auto error_of = [&](const Statistics& found) {
    double sum = 0;
    for (std::size_t i = 0; i < found.mean.size(); ++i) {
      sum += std::pow(found.mean[i] - truth.span()[i], 2) + std::pow(found.deviation[i], 2);
    }
    return std::sqrt(sum);
  };
  const Statistics tikhonov = statistics(clean, 0.01, {});
  EXPECT_LT(error_of(tikhonov), error_of(statistics(clean, 0.003, {})));
  EXPECT_LT(error_of(tikhonov), error_of(statistics(clean, 0.03, {})));

  const Statistics prior = statistics(clean, 0.5, {reference_of(brain)});
  EXPECT_LT(rms_over(white, prior.deviation), 0.5 * rms_over(white, tikhonov.deviation));
  EXPECT_NEAR(mean_over(white, prior.mean), mean_over(white, tikhonov.mean), 0.05);
  EXPECT_NEAR(mean_over(white, prior.mean), 1, 0.05);
  EXPECT_LT(error_of(prior), 0.6 * error_of(tikhonov));
}

// A disk of 5 pixels in white matter that only the reference shows, and one that only the object has, 0.6 darker. A
// step between two means of some 8 pixels each, over 8 repetitions, deviates by at most 0.025 sqrt(2/8) = 0.012.
TEST_F(PriorRecon, AWrongEdgeIsNotInventedAndAMissingOneIsBlurred) {
  const Phantom with = with_disk(-0.6);
  const auto [inner, ring] = disk_and_ring();
  ASSERT_EQ(inner.size(), 8U);
  ASSERT_EQ(ring.size(), 10U);
  const auto step = [&](const Phantom& object, const Phantom& shown) {
    const Statistics found = statistics(scan_of(object), 0.5, {reference_of(shown)});
    return mean_over(ring, found.mean) - mean_over(inner, found.mean);
  };
  // An edge that the data do not have leaves pixels free to differ, and the data tell that they do not: -0.02 with the
  // right reference, -0.04 with the wrong one were found, where the reference has 0.6.
  EXPECT_LT(std::abs(step(brain, with)), 0.1);
  // What the reference hides is held to be one tissue: of the step of 0.6, 0.52 is there with the right reference, and
  // 0.27 with the one that lacks it.
  const double right = step(with, with);
  const double missing = step(with, brain);
  EXPECT_GT(right, 0.45);
  EXPECT_GT(missing, 0.2);
  EXPECT_LT(missing, 0.4);
}

TEST_F(PriorRecon, SaysWhatTheReferencesShow) {
  const Scan clean = scan_of(brain);
  const auto whole = reference_of(brain);
  const Reconstruction made = reconstruct_with(clean, 0.1, {whole, moved(*whole, "half.nii", 32, 0)}, 0);
  std::string said;
  for (const std::string& note : made.notes) said += note + "\n";
  EXPECT_NE(said.find("'proton.nii' covers 100.0 %"), std::string::npos) << said;
  EXPECT_NE(said.find("'half.nii' covers 50.0 %"), std::string::npos) << said;
  EXPECT_NE(said.find("count less than half"), std::string::npos) << said;
}

TEST_F(PriorRecon, LambdaIsChosenByCrossValidationButOfWeightedSamples) {
  ReconOptions usual{.cg_sense = {.penalty = PenaltyKind::prior}};
  use_usual_lambda(usual, false, false);
  Scan clean = scan_of(brain);
  const Reconstruction made = reconstruct_with(clean, usual, {reference_of(brain)}, 0);
  ASSERT_EQ(made.lambdas.size(), 1U);
  EXPECT_EQ(made.lambdas[0].choice.method, LambdaMethod::gcv);
  EXPECT_EQ(made.lambdas[0].choice.curve.points.size(), 21U);

  ReconOptions of_weights{.cg_sense = {.penalty = PenaltyKind::prior}};
  use_usual_lambda(of_weights, true, false);
  EXPECT_FALSE(of_weights.cg_sense.lambda_search);
  EXPECT_EQ(of_weights.cg_sense.lambda, usual_lambda_of_differences);
}

TEST_F(PriorRecon, DataThatAreZeroHaveAUsualLambda) {
  ReconOptions usual{.prewhiten = false, .coil_maps = CoilMapMethod::file, .cg_sense = {.penalty = PenaltyKind::prior}};
  use_usual_lambda(usual, false, false);
  usual.cg_sense.references = {reference_of(brain)};
  Scan scan = scan_of(brain);
  fill<Complex>(scan.frames[0].data, 0);
  scan.coil_maps = Array<Complex>(ctx, {1, 1, matrix[1], matrix[0]});
  fill<Complex>(scan.coil_maps, 1);
  const Reconstruction made = reconstruct(ctx, std::move(scan), usual);
  ASSERT_EQ(made.lambdas.size(), 1U);
  EXPECT_EQ(made.lambdas[0].choice.lambda, usual_lambda_of_differences);
  EXPECT_EQ(made.lambdas[0].choice.kind, NoteKind::doubt);
}

// The reference lies 3 pixels along x and -2 along y from where it belongs. Alignment finds it to a quarter of a pixel at an SNR of
// 10 (AlignReference), here at half of that: to half a pixel, a sixth of the 3.6 that it is off. The difference of two images grows
// with the distance of their references, and slower where edges no longer meet: a third of it at most is left.
TEST_F(PriorRecon, AMovedReferenceIsAligned) {
  const Scan clean = scan_of(brain);
  const auto right = reference_of(brain);
  const auto away = moved(*right, "moved.nii", 3, -2);
  const auto image = [&](const std::shared_ptr<const ReferenceImage>& reference, bool aligns) {
    ReconOptions options{.cg_sense = {.lambda = 0.5}};
    options.cg_sense.align_references = aligns;
    return reconstruct_with(clean, options, {reference}, 0);
  };
  const Reconstruction expected = image(right, false);
  const auto difference = [&](const Reconstruction& other) {
    double squares = 0;
    for (std::size_t i = 0; i < expected.images.span().size(); ++i) {
      squares += std::norm(std::complex<double>(other.images.span()[i] - expected.images.span()[i]));
    }
    return std::sqrt(squares);
  };
  EXPECT_LT(difference(image(away, true)), difference(image(away, false)) / 3);
}

TEST_F(PriorRecon, PenaltiesThatDoNotFitAreRefused) {
  const auto refused = [&](const ReconOptions& options) {
    EXPECT_THROW(reconstruct(ctx, scan_of(brain), options), ValueError);
  };
  refused({.cg_sense = {.penalty = PenaltyKind::prior}});
  refused({.cg_sense = {.references = {reference_of(brain)}}});
  refused({.cg_sense = {.penalty = PenaltyKind::prior, .references = {nullptr}}});
  refused({.method = ReconMethod::gridding, .cg_sense = {.penalty = PenaltyKind::smoothness}});
}

// Beside the same reconstruction with Tikhonov's penalty, by pairs of transforms: planning a convolution would take more
// than the iterations. The pool does not round the size of these arrays, 15 * 2^14
// bytes and twice that.
TEST_F(PriorRecon, TheMemoryOfAPenaltyIsAsPredicted) {
  double predicted_before = 0;
  double peak_before = 0;
  for (const PenaltyKind penalty : {PenaltyKind::tikhonov, PenaltyKind::smoothness, PenaltyKind::prior}) {
    const Context fresh({.threads = 2});
    Scan scan = test::make_phantom_scan(
        fresh, std::make_shared<Trajectory>(radial_trajectory(fresh, 30, 512, SpokeOrder::golden_angle)), {256, 240, 1},
        {.coils = 0});
    scan.coil_maps = Array<Complex>(fresh, {1, 1, 240, 256});
    fill<Complex>(scan.coil_maps, 1);
    ReconOptions options{
        .prewhiten = false, .coil_maps = CoilMapMethod::file, .cg_sense = {.iterations = 2, .penalty = penalty}};
    options.normal = NormalMethod::pair;
    if (penalty == PenaltyKind::prior) {
      auto reference = std::make_shared<ReferenceImage>();
      reference->values = Array<float>(fresh, {240, 256});
      for (Index i = 0; i < reference->values.size(); ++i) reference->values.data()[i] = static_cast<float>(1 + i % 5);
      reference->affine = voxel_affine(scan.frames[0].geometry, scan.matrix);
      options.cg_sense.references = {reference};
    }
    const auto predicted = static_cast<double>(reconstruction_memory(fresh, scan, options));
    reconstruct(fresh, std::move(scan), options);
    const auto peak = static_cast<double>(fresh.pool().statistics().peak);
    if (penalty == PenaltyKind::tikhonov) {
      predicted_before = predicted;
      peak_before = peak;
    }
    EXPECT_EQ(peak - peak_before, predicted - predicted_before);
  }
}

}  // namespace
}  // namespace whorl
