// Fields of others: another program's simulation, and a measured map.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include "support/compare.hpp"
#include "support/read_fld.hpp"
#include "unit/recon/encoding/evolving_scan.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using test::Complex;
using test::image_error;
using test::map_image;
using test::scan_of;
using test::smoothed;
using test::to_double;

constexpr double full_turn = 2 * std::numbers::pi;

// PowerGrid's simulation, another program's data: a field of up to some 100 Hz, a half-pixel center (test_signal_evolution
// has its formula).
TEST(SignalReconOfOthers, PowerGridsSpiralInAFieldGivesTheImageWithoutIt) {
  const char* data = std::getenv("WHORL_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: PowerGrid's simulation is not there";
  const Context ctx({.threads = 2});
  const auto read = [&]<class T>(const std::string& name) {
    const auto path = std::filesystem::path(data) / "mri" / "powergrid_spiral_fieldmap" / (name + ".mat");
    return converted<T>(ctx, read_array(ctx, path).values, name);
  };
  const auto kx = read.operator()<double>("kx_sp");
  const auto ky = read.operator()<double>("ky_sp");
  const Index samples = kx.size();
  // MATLAB's [row y, column x] is read as [x, y], whose last axis is y.
  auto trajectory = std::make_shared<Trajectory>();
  trajectory->points = Array<double>(ctx, {samples, 2});
  trajectory->readout_length = samples;
  for (Index j = 0; j < samples; ++j) {
    trajectory->points.data()[2 * j] = ky.data()[j] / 64;
    trajectory->points.data()[2 * j + 1] = kx.data()[j] / 64;
  }
  auto hertz = read.operator()<float>("FM");
  for (float& value : hertz.span()) value = static_cast<float>(value / full_turn);
  hertz.reshape({64, 64});

  const auto scan_from = [&](const char* name) {
    auto measured = read.operator()<Complex>(name);
    Scan scan = test::make_trajectory_scan(trajectory, {64, 64, 1});
    scan.coils = 1;
    scan.dwell_us = 5;
    ScanFrame& frame = scan.frames.front();
    frame.geometry.field_of_view_mm = {64, 64, 1};
    frame.data = Array<std::complex<float>>(ctx, {1, samples});
    // whorl's origin is pixel 32, PowerGrid's lies half a pixel before it; whorl's transform has 1/sqrt(voxels).
    for (Index j = 0; j < samples; ++j) {
      const double* k = trajectory->points.data() + 2 * j;
      frame.data.data()[j] =
          std::complex<float>(measured.data()[j] * std::polar(1.0 / 64, full_turn * 0.5 * (k[0] + k[1])));
    }
    return scan;
  };
  const Scan scan = scan_from("data_onecoil_FM");
  ReconOptions options{.prewhiten = false,
                       .cg_sense = {.iterations = 60, .tolerance = 1e-6, .lambda = 1e-4},
                       .nufft = {.tolerance = 1e-4}};
  options.signal.tolerance = 1e-4;
  // The phantom has edges, which a spiral does not give back alike with and without a field: without their finest parts
  // it is to be the image of the data without a field.
  const auto image_of = [&](const Scan& of) {
    Array<Complex> found = to_double(ctx, reconstruct(ctx, of, options).images);
    found.reshape({64, 64});
    return smoothed(ctx, found);
  };
  const Array<Complex> object = image_of(scan_from("data_onecoil"));
  const double plain = test::relative_error(image_of(scan), object);
  options.signal.field_map = map_image(ctx, "FM", hertz, {64, 64, 1});
  const double corrected = test::relative_error(image_of(scan), object);
  std::printf("PowerGrid: error %.4f, corrected %.5f\n", plain, corrected);
  EXPECT_GT(plain, 0.02);
  EXPECT_LT(corrected, 0.1 * plain);
  // the other sign is no correction
  for (float& value : hertz.span()) value = -value;
  options.signal.field_map = map_image(ctx, "-FM", hertz, {64, 64, 1});
  EXPECT_GT(test::relative_error(image_of(scan), object), plain);
}

// A measured field map of a brain (MIRT), -41 to 128 Hz, and the magnitude that came with it as the object.
TEST(SignalReconOfOthers, AMeasuredFieldOfABrainIsCorrected) {
  const char* data = std::getenv("WHORL_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: the measured field map is not there";
  const Context ctx({.threads = 2});
  const auto folder = std::filesystem::path(data) / "mri" / "mirt_fieldmap";
  const Array<float> field = test::read_fld(ctx, folder / "fieldmap128.fld");
  const Array<Complex> object = smoothed(ctx, to_double(ctx, test::read_fld(ctx, folder / "mag128.fld")));
  Array<Complex> coil(ctx, {1, 128, 128});
  fill<Complex>(coil, 1);
  const auto trajectory = std::make_shared<const Trajectory>(spiral_trajectory(ctx, 12, 3000, 6));
  // 3000 samples of 5 us: 15 ms, 2.5 turns between the ends of the field
  const Scan scan = scan_of(ctx, object, coil, exponential_signal(ctx, {}, field), trajectory, 5, 0);
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 40, .tolerance = 1e-6, .lambda = 1e-5}};
  const double plain = image_error(reconstruct(ctx, scan, options), object);
  options.signal.field_map = map_image(ctx, "field", field, {128, 128, 1});
  const double corrected = image_error(reconstruct(ctx, scan, options), object);
  std::printf("measured field: error %.4f, corrected %.5f\n", plain, corrected);
  EXPECT_LT(corrected, 0.1 * plain);
}

}  // namespace
}  // namespace whorl
