// Reconstruction within a subspace: bases against their definitions, the T2 phantom against its truth.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/file_content.hpp"
#include "unit/recon/within_subspace.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace_basis.hpp"
#include "whorl/scan/regroup.hpp"
#include "whorl/scan/sample_weights.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;
using Exact = std::complex<double>;

constexpr Index echoes = 16;
constexpr double spacing_ms = 8;

std::vector<double> echo_times() {
  std::vector<double> times;
  for (Index t = 0; t < echoes; ++t) times.push_back(spacing_ms * static_cast<double>(t + 1));
  return times;
}

// A frame of `spokes` golden-angle spokes for each echo, 40 x 36 pixels, 4 coils, all spokes of an echo at its time.
Scan t2_scan(const Context& ctx, Index spokes, double noise) {
  Scan scan;
  scan.matrix = {40, 36, 1};
  scan.trajectory_kind = "radial";
  const Trajectory all = radial_trajectory(ctx, echoes * spokes, 80, SpokeOrder::golden_angle);
  for (Index t = 0; t < echoes; ++t) {
    auto own = std::make_shared<Trajectory>();
    own->points = Array<double>(ctx, {spokes * 80, 2});
    std::copy_n(all.points.data() + t * spokes * 160, spokes * 160, own->points.data());
    own->readout_length = 0;  // the frame is one time
    ScanFrame& frame = scan.frames.emplace_back();
    frame.trajectory = own;
    frame.index.repetition = static_cast<int>(t);
  }
  scan.readout_interval_ms = spacing_ms;
  return dynamic_phantom_scan(ctx, [](double time) { return t2_phantom(time + 1e-3 * spacing_ms); }, std::move(scan),
                              {.coils = 4, .noise_standard_deviation = noise});
}

// The images of the echoes with unit coil maps: the object times the root of the sum of squares of the coils.
Array<Complex> t2_truth(const Context& ctx) {
  const std::array<Index, 3> matrix{40, 36, 1};
  const auto maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, matrix, 4));
  Array<Complex> truth(ctx, {echoes, 1, 36, 40});
  for (Index t = 0; t < echoes; ++t) {
    const auto object = rasterize<float>(ctx, t2_phantom(1e-3 * spacing_ms * static_cast<double>(t + 1)), matrix, 8);
    for (Index r = 0; r < 36 * 40; ++r) {
      double square = 0;
      for (Index c = 0; c < 4; ++c) square += std::norm(Exact(maps.data()[c * 36 * 40 + r]));
      truth.data()[t * 36 * 40 + r] = static_cast<float>(object.data()[r] * std::sqrt(square));
    }
  }
  return truth;
}

// Error of magnitudes: coil maps leave the phase of the images open.
double magnitude_error(const Array<Complex>& images, const Array<Complex>& truth) {
  double difference = 0;
  double square = 0;
  for (Index i = 0; i < truth.size(); ++i) {
    const double wanted = std::abs(truth.data()[i]);
    difference += std::pow(std::abs(images.data()[i]) - wanted, 2);
    square += wanted * wanted;
  }
  return std::sqrt(difference / square);
}

SubspaceBasis t2_basis(const Context& ctx, Index rank) {
  return basis_of_signals(ctx, decay_signals(ctx, DecayKind::t2, {20, 300}, echo_times()), rank);
}

void expect_orthonormal(const SubspaceBasis& basis) {
  for (Index a = 0; a < basis.components(); ++a) {
    for (Index b = 0; b < basis.components(); ++b) {
      Exact sum = 0;
      for (Index t = 0; t < basis.frames(); ++t) {
        sum += std::conj(basis.vectors.data()[t * basis.components() + a]) *
               basis.vectors.data()[t * basis.components() + b];
      }
      EXPECT_NEAR(std::abs(sum - (a == b ? 1.0 : 0.0)), 0, 1e-12);
    }
  }
}

TEST(SubspaceBasis, SpansTheSignals) {
  const Context ctx;
  // Signals of three courses at random, complex: a rank of 3 has all of their energy, and each signal lies in it.
  Array<Exact> courses(ctx, {3, 10});
  Array<Exact> weights(ctx, {20, 3});
  fill_random_normal<double>(courses, 1);
  fill_random_normal<double>(weights, 2);
  Array<Exact> signals = zeros<Exact>(ctx, {20, 10});
  for (Index i = 0; i < 20; ++i) {
    for (Index k = 0; k < 3; ++k) {
      for (Index t = 0; t < 10; ++t)
        signals.data()[i * 10 + t] += weights.data()[i * 3 + k] * courses.data()[k * 10 + t];
    }
  }
  const SubspaceBasis basis = basis_of_signals(ctx, signals, 3);
  expect_orthonormal(basis);
  EXPECT_NEAR(basis.part, 1, 1e-12);
  for (Index i = 0; i < 20; ++i) {
    std::vector<Exact> left(signals.data() + i * 10, signals.data() + i * 10 + 10);
    for (Index k = 0; k < 3; ++k) {
      Exact part = 0;
      for (Index t = 0; t < 10; ++t) part += std::conj(basis.vectors.data()[t * 3 + k]) * signals.data()[i * 10 + t];
      for (Index t = 0; t < 10; ++t) left[static_cast<std::size_t>(t)] -= part * basis.vectors.data()[t * 3 + k];
    }
    for (const Exact& rest : left) EXPECT_LT(std::abs(rest), 1e-6);
  }
}

TEST(SubspaceBasis, FromVectorsAndDecays) {
  const Context ctx;
  Array<Exact> vectors(ctx, {7, 4});
  fill_random_normal<double>(vectors, 3);
  expect_orthonormal(basis_of_vectors(ctx, vectors, 3));
  const SubspaceBasis decays = t2_basis(ctx, 4);
  expect_orthonormal(decays);
  EXPECT_GT(decays.part, 0.9999);
  for (const Exact& value : decays.vectors.span()) EXPECT_EQ(value.imag(), 0);
  for (Index t = 0; t < 7; ++t) vectors.data()[t * 4 + 2] = vectors.data()[t * 4];
  EXPECT_THROW(basis_of_vectors(ctx, vectors, 3), ValueError);
  EXPECT_THROW(basis_of_vectors(ctx, vectors, 5), ValueError);
  EXPECT_THROW(basis_of_signals(ctx, vectors, 5), ValueError);
  EXPECT_THROW(decay_signals(ctx, DecayKind::t1, {100, 50}, echo_times()), ValueError);
}

// 6 spokes an echo are 96 for all: a subspace of 4 is sampled, single echoes are not. What is left is that of pixels with
// sharp edges, which least squares of each echo with 60 spokes has too; it is the measure.
TEST(SubspaceRecon, FewSpokesAnEchoAreAsGoodAsMany) {
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  ReconOptions options;
  options.prewhiten = false;
  options.calibration = 16;
  options.cg_sense.iterations = 40;
  options.cg_sense.lambda = 1e-4;
  const Array<Complex> truth = t2_truth(host);
  const SubspaceBasis basis = t2_basis(host, 4);
  const Reconstruction few = reconstruct(ctx, t2_scan(host, 6, 0), test::within(basis, options));
  ASSERT_EQ(few.images.shape(), (Shape{4, 1, 36, 40}));
  EXPECT_EQ(few.frames[2].index.contrast, 2);
  const double error = magnitude_error(subspace_frames(host, few.images, basis), truth);
  options.maps_from = CoilMapData::all_frames;
  const double many = magnitude_error(reconstruct(ctx, t2_scan(host, 60, 0), options).images, truth);
  const double alone = magnitude_error(reconstruct(ctx, t2_scan(host, 6, 0), options).images, truth);
  EXPECT_LT(error, 1.25 * many);
  EXPECT_GT(alone, 1.5 * error);
}

TEST(SubspaceRecon, BasisOfLowResolutionFramesDoesAsWell) {
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  ReconOptions options;
  options.prewhiten = false;
  options.calibration = 16;
  options.cg_sense.iterations = 40;
  const Scan scan = t2_scan(host, 20, 0);
  const Array<Complex> truth = t2_truth(host);
  const SubspaceBasis found = low_resolution_basis(host, scan, 3, 10);
  EXPECT_GT(found.part, 0.99);
  const SubspaceBasis known = t2_basis(host, 3);
  const auto error = [&](const SubspaceBasis& basis) {
    return magnitude_error(
        subspace_frames(host, reconstruct(ctx, clone(host, scan), test::within(basis, options)).images, basis), truth);
  };
  EXPECT_LT(error(found), 1.3 * error(known));
}

TEST(SubspaceRecon, TakesRegularizers) {
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  ReconOptions options;
  options.prewhiten = false;
  options.calibration = 16;
  options.cg_sense.iterations = 60;
  const SubspaceBasis basis = t2_basis(host, 3);
  const Array<Complex> truth = t2_truth(host);
  const Scan scan = t2_scan(host, 5, 0.1);
  const auto error = [&] {
    return magnitude_error(
        subspace_frames(host, reconstruct(ctx, clone(host, scan), test::within(basis, options)).images, basis), truth);
  };
  const double plain = error();
  options.cg_sense.lambda = 0;
  options.regularized.terms = {parse_regularizer("llr:0.01,unit=largest")};
  EXPECT_LT(error(), plain);
  // Weights in units of the noise, which the options know here; a large change ends the solver after few iterations.
  options.regularized.terms = {parse_regularizer("llr:medium")};
  options.noise = 0.1;
  const auto iterations = [&](double change) {
    options.regularized.change = change;
    return reconstruct(ctx, clone(host, scan), test::within(basis, options)).reports.front().iterations;
  };
  EXPECT_LT(iterations(0.5), iterations(0));
}

// A subspace has the maps that all frames of a slice give together.
TEST(SubspaceRecon, KeepsMaps) {
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  ReconOptions options;
  options.prewhiten = false;
  options.calibration = 16;
  options.cg_sense.iterations = 1;
  options.keep_maps = true;
  const Reconstruction within = reconstruct(ctx, t2_scan(host, 20, 0), test::within(t2_basis(host, 2), options));
  options.maps_from = CoilMapData::all_frames;
  const Reconstruction plain = reconstruct(ctx, t2_scan(host, 20, 0), options);
  ASSERT_EQ(within.coil_maps.shape(), (Shape{1, 1, 4, 1, 36, 40}));
  ASSERT_EQ(plain.coil_maps.shape(), within.coil_maps.shape());
  const auto bytes = static_cast<std::size_t>(plain.coil_maps.size()) * sizeof(Complex);
  EXPECT_EQ(std::memcmp(within.coil_maps.data(), plain.coil_maps.data(), bytes), 0);
}

// A weight of 2 is a sample measured twice, and one of 0 a sample that was not measured.
TEST(SubspaceRecon, WeightsCountSamples) {
  const Context ctx;
  const Context device = test::device_context();
  Scan scan = t2_scan(ctx, 6, 0.05);
  scan.coil_maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, scan.matrix, 4));
  scan.coil_maps.reshape({4, 1, 36, 40});
  constexpr Index samples = 6 * 80;
  Array<double> weights(ctx, {echoes * samples});
  for (Index j = 0; j < weights.size(); ++j) weights.data()[j] = static_cast<double>((j / 80) % 3);  // by spokes
  Scan repeated = clone(ctx, scan);
  for (Index t = 0; t < echoes; ++t) {
    ScanFrame& frame = repeated.frames[static_cast<std::size_t>(t)];
    std::vector<Index> counted;
    for (Index j = 0; j < samples; ++j) {
      const auto times = static_cast<int>(weights.data()[t * samples + j]);
      for (int n = 0; n < times; ++n) counted.push_back(j);
    }
    auto own = std::make_shared<Trajectory>();
    own->points = Array<double>(ctx, {std::ssize(counted), 2});
    Array<Complex> data(ctx, {4, std::ssize(counted)});
    for (std::size_t i = 0; i < counted.size(); ++i) {
      for (Index axis = 0; axis < 2; ++axis) {
        own->points.view<2>()(static_cast<Index>(i), axis) = frame.trajectory->points.view<2>()(counted[i], axis);
      }
      for (Index c = 0; c < 4; ++c) data.view<2>()(c, static_cast<Index>(i)) = frame.data.view<2>()(c, counted[i]);
    }
    frame.trajectory = own;
    frame.data = std::move(data);
  }
  ReconOptions options{.prewhiten = false,
                       .coil_maps = CoilMapMethod::file,
                       .cg_sense = {.iterations = 200, .tolerance = 1e-6, .lambda = 1e-2}};
  options.nufft.tolerance = 1e-5;
  const SubspaceBasis basis = t2_basis(ctx, 3);
  const auto expected = reconstruct(device, clone(ctx, repeated), test::within(basis, options)).images;
  const auto alike = reconstruct(device, clone(ctx, scan), test::within(basis, options)).images;
  options.signal.weights = weigh_samples(ctx, scan, weights);
  const auto found = reconstruct(device, clone(ctx, scan), test::within(basis, options)).images;
  // Transforms of 1e-5 and float, times the condition of the normal equations, 1 / lambda.
  EXPECT_LT(test::relative_error(found, expected), 1e-3);
  EXPECT_GT(test::relative_error(alike, expected), 1e-2);
}

// Blocks of memory are rounded up by as much as an eighth, most of them by less. On a CPU the scan is there already, from another pool.
TEST(SubspaceRecon, TakesThePredictedMemory) {
  const Scan scan = t2_scan(Context(), 6, 0.05);
  const SubspaceBasis basis = t2_basis(Context(), 4);
  for (const char* terms : {"", "llr:0.01,unit=largest", "wavelet:0.01,unit=largest", "tv:0.01,unit=largest"}) {
    ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 3}};
    if (*terms != '\0') options.regularized.terms = {parse_regularizer(terms)};
    const Context ctx = test::device_context(2);
    const bool on_host = ctx.device().kind == DeviceKind::cpu;
    double held = 0;
    for (const ScanFrame& frame : scan.frames) {
      held += on_host ? static_cast<double>(frame.data.size() * 8 + frame.trajectory->points.size() * 8) : 0;
    }
    const ReconPlan plan = plan_reconstruction(ctx, scan, test::within(basis, options));
    const auto predicted = static_cast<double>(plan.bytes);
    EXPECT_EQ(plan.bytes, reconstruction_memory(ctx, scan, test::within(basis, options)));
    reconstruct(ctx, clone(Context(), scan), test::within(basis, options));
    const double peak = held + static_cast<double>(ctx.pool().statistics().peak);
    std::printf("subspace, %s: predicted %.2f MB, peak %.2f MB\n", terms, 1e-6 * predicted, 1e-6 * peak);
    EXPECT_LE(peak, 1.1 * predicted) << terms;
    EXPECT_GE(peak, (on_host ? 0.9 : 0.75) * predicted) << terms;
  }
}

TEST(SubspaceRecon, SaysWhatIsWrong) {
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  ReconOptions options;
  options.prewhiten = false;
  Scan scan = t2_scan(host, 4, 0);
  scan.frames.pop_back();
  const SubspaceBasis basis = t2_basis(host, 3);
  EXPECT_NE(test::error_of<ValueError>([&] {
              reconstruct(ctx, clone(host, scan), test::within(basis, options));
            }).find("15 frames and the basis 16"),
            std::string::npos);
  options.method = ReconMethod::gridding;
  EXPECT_THROW(reconstruct(ctx, t2_scan(host, 4, 0), test::within(basis, options)), ValueError);
}

}  // namespace
}  // namespace whorl
