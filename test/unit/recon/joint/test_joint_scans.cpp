// Several scans for one image: halves of a scan are the whole, what they gain, their places, memory and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Every second readout, from the given one on.
Scan half_of(const Context& ctx, const Scan& whole, Index first) {
  Scan half = clone(ctx, whole);
  for (ScanFrame& frame : half.frames) {
    const Trajectory& all = *frame.trajectory;
    const Index length = all.readout_length;
    const Index readouts = all.samples() / length / 2;
    auto some = std::make_shared<Trajectory>();
    some->readout_length = length;
    some->points = Array<double>(ctx, {readouts * length, all.dim()});
    Array<Complex> data(ctx, {half.coils, readouts * length});
    for (Index r = 0; r < readouts; ++r) {
      const Index from = (2 * r + first) * length;
      std::copy_n(all.points.data() + from * all.dim(), length * all.dim(),
                  some->points.data() + r * length * all.dim());
      for (Index c = 0; c < half.coils; ++c) {
        std::copy_n(frame.data.data() + c * all.samples() + from, length, data.data() + (c * readouts + r) * length);
      }
    }
    frame.trajectory = std::move(some);
    frame.data = std::move(data);
  }
  return half;
}

std::vector<JointScan> joint_with(Scan scan) { return {{std::make_shared<const Scan>(std::move(scan))}}; }

// |a - factor b| / |a|
double distance(const Reconstruction& a, const Reconstruction& b, double factor) {
  double square = 0;
  double size = 0;
  for (Index i = 0; i < a.images.size(); ++i) {
    const std::complex<double> value(a.images.data()[i]);
    square += std::norm(value - factor * std::complex<double>(b.images.data()[i]));
    size += std::norm(value);
  }
  return std::sqrt(square / size);
}

class JointScans : public testing::Test {
 protected:
  JointScans() : whole(test::make_test_scan(host, {.noise = 0.02})) {
    const ReconOptions maps{.keep_maps = true, .cg_sense = {.lambda = 1e-3}};
    whole.coil_maps = reconstruct(host, whole, maps).coil_maps;
    whole.coil_maps.reshape({whole.coils, 1, 40, 48});
    even = half_of(host, whole, 0);
    odd = half_of(host, whole, 1);
  }

  // The halves with the options, beside the whole.
  double distance_of_halves(ReconOptions options) const {
    const Reconstruction all = reconstruct(ctx, whole, options);
    options.joint = joint_with(clone(host, odd));
    return distance(reconstruct(ctx, even, options), all, std::sqrt(2.0));
  }

  Context host{{.threads = 2}};
  Context ctx = test::device_context();
  Scan whole;
  Scan even;
  Scan odd;
};

// The maps of both halves are those of the whole over sqrt(2), since sum |s|^2 = 1 over all coils: so A^H A is half of that of the
// whole, and the image, in units of its noise, sqrt(2) times it. Lambda, which is in units of A^H A, is the same. The solver's
// end (a tenth of the noise) is alike; its steps differ by rounding and by the tolerance of the transforms, 1e-3 at most.
TEST_F(JointScans, HalvesAreTheWhole) {
  const ReconOptions given{.coil_maps = CoilMapMethod::file, .cg_sense = {.lambda = 1e-3}};
  EXPECT_LT(distance_of_halves(given), 2e-3);
  ReconOptions regularized = given;
  regularized.cg_sense.lambda = 0;
  regularized.regularized.terms = {parse_regularizer("tv:medium")};
  EXPECT_LT(distance_of_halves(regularized), 5e-3);
}

// The power of the object is that of the whole, of which each half has its share.
TEST_F(JointScans, LambdaOfHalvesIsThatOfTheWhole) {
  ReconOptions chosen{.coil_maps = CoilMapMethod::file, .cg_sense = {.lambda_search = LambdaSearchOptions{}}};
  chosen.cg_sense.lambda_search->method = LambdaMethod::spectrum;
  const double expected = reconstruct(ctx, whole, chosen).lambdas.at(0).choice.lambda;
  chosen.joint = joint_with(clone(host, odd));
  // Edges of the noise and the eigenvalue (0.1 %) are found anew.
  EXPECT_NEAR(reconstruct(ctx, even, chosen).lambdas.at(0).choice.lambda / expected, 1, 0.02);
}

// Gain and phase of a scan are in the maps of ESPIRiT, which come from all scans.
TEST_F(JointScans, GainAndPhaseOfAScanDoNotMatter) {
  const Reconstruction alike =
      reconstruct(ctx, even, {.cg_sense = {.lambda = 1e-3}, .joint = joint_with(clone(host, odd))});
  Scan other = clone(host, odd);
  const Complex gain = std::polar(3.0F, 1.2F);
  for (Complex& value : other.frames[0].data.span()) value *= gain;
  for (Complex& value : other.noise.span()) value *= gain;
  const Reconstruction found =
      reconstruct(ctx, even, {.cg_sense = {.lambda = 1e-3}, .joint = joint_with(std::move(other))});
  // Prewhitened data are the same but for the phase, up to rounding, which may flip a voxel at ESPIRiT's threshold.
  EXPECT_LT(distance(alike, found, 1), 1e-2);
}

TEST_F(JointScans, FramesOfAllScansAreTheImages) {
  for (Scan* scan : {&whole, &even, &odd}) test::add_frame(host, *scan, {.repetition = 1}, {0, 2});
  odd.frames[1].index.repetition = 7;  // the second frame of the slice
  const ReconOptions given{.coil_maps = CoilMapMethod::file, .cg_sense = {.lambda = 1e-3}};
  EXPECT_LT(distance_of_halves(given), 2e-3);
  ReconOptions coupled = given;
  coupled.cg_sense.lambda = 0;
  coupled.regularized.terms = {parse_regularizer("tv:medium,axes=t")};
  EXPECT_LT(distance_of_halves(coupled), 5e-3);
}

TEST_F(JointScans, MemoryIsPredicted) {
  const ReconOptions options{.joint = joint_with(clone(host, odd))};
  const Context own = test::device_context();
  const auto predicted = static_cast<double>(reconstruction_memory(own, even, options));
  reconstruct(own, even, options);
  // Bounds as in test_memory.cpp; a CPU's plan has the caller's copy of the further scan, which is not in this pool.
  const auto peak = static_cast<double>(own.pool().statistics().peak);
  EXPECT_LE(peak, 1.1 * predicted);
  EXPECT_GE(peak, 0.5 * predicted);
}

TEST_F(JointScans, WhatDoesNotGoTogetherIsRefusedInOneLine) {
  const auto expect_refused = [&](const ReconOptions& given, const Scan& further, const std::string& words) {
    ReconOptions options = given;
    options.joint = joint_with(clone(host, further));
    try {
      reconstruct(ctx, even, options);
      ADD_FAILURE() << "not refused: " << words;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  };
  expect_refused({.method = ReconMethod::gridding}, odd, "joint scans: are not for gridding and nlinv; use cg-sense");
  expect_refused({.coil_maps = CoilMapMethod::walsh}, odd, "joint scans: are not for coil maps by walsh and nlinv");
  expect_refused({.keep_normals = true}, odd, "joint scans: are not for a saved normal operator");
  expect_refused({.certified_samples = 1000}, odd, "joint scans: are not for a certificate");
  ReconOptions factor;
  factor.error_bars.g_factor = true;
  expect_refused(factor, odd, "joint scans: are not for the g-factor");
  Scan elsewhere = clone(host, odd);
  elsewhere.frames[0].geometry.position_mm[0] += 1;
  expect_refused({}, elsewhere, "place than");
  Scan more = clone(host, odd);
  test::add_frame(host, more, {.repetition = 1}, 1);
  expect_refused({}, more, "has 2 frames of slice 0, expected 1");
  Scan unknown = clone(host, odd);
  unknown.noise = {};
  for (Index i = 0; i < unknown.frames[0].data.size(); ++i)
    unknown.frames[0].data.data()[i] = static_cast<float>(i % 97);
  expect_refused({}, unknown, "is not known, which weighs it beside the others");
}

}  // namespace
}  // namespace whorl
