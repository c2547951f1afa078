// Measured scans: the shipped one, and those of other authors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numbers>

#include "broken_scans.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;

fs::path others() {
  const char* folder = std::getenv("WHORL_TEST_DATA");
  return folder == nullptr ? fs::path() : fs::path(folder) / "mri";
}

Scan shipped(const Context& ctx) { return read_scan(ctx, fs::path(WHORL_DATA_FOLDER) / "brain_radial_4ch.h5"); }

// "fault check" or "note check" of each finding.
std::vector<std::string> names_of(const Diagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const Finding& finding : diagnosis.findings) {
    names.push_back((finding.is_fault ? "fault " : "note ") + finding.check);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ExamineMeasured, TheShippedScanHasNoFault) {
  const Context ctx({.threads = 2});
  const Diagnosis diagnosis = examine(ctx, shipped(ctx));
  EXPECT_TRUE(diagnosis.findings.empty()) << test::text_of(diagnosis);
}

TEST(ExamineMeasured, TheShippedScanBrokenInEveryWay) {
  const Context ctx({.threads = 2});
  std::vector<test::Damage> damages = test::damages_of_values(ctx);
  for (test::Damage& damage : test::damages_of_trajectory(ctx, "radial")) damages.push_back(std::move(damage));
  const Scan good = shipped(ctx);
  for (const test::Damage& damage : damages) {
    SCOPED_TRACE(damage.name);
    Scan scan = clone(ctx, good);
    damage.apply(scan);
    const Diagnosis diagnosis = examine(ctx, scan);
    EXPECT_TRUE(std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(), [&](const Finding& finding) {
      return finding.check == damage.check && finding.is_fault == damage.is_fault;
    })) << test::text_of(diagnosis);
    for (const Finding& finding : diagnosis.findings) {
      EXPECT_TRUE(!finding.is_fault || finding.check == damage.check) << test::text_of(diagnosis);
    }
  }
}

TEST(ExamineMeasured, ASpiralOfAScanner) {
  if (others().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: the spiral of EE369C is not there";
  const Context ctx({.threads = 2});
  ConvertOptions options;
  options.matrix = {128, 128, 1};
  const Diagnosis diagnosis = examine(ctx, convert_scan(ctx, {others() / "rt_spiral_03.mat"}, options));
  EXPECT_EQ(names_of(diagnosis), Names()) << test::text_of(diagnosis);
}

// Readouts whose strength changes by a tenth, and a phase of 1.8 cycles over the image: notes.
TEST(ExamineMeasured, SpiralsOfALiver) {
  if (others().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: the spirals of a liver are not there";
  const Context ctx({.threads = 2});
  ConvertOptions options;
  options.matrix = {256, 256, 1};
  options.readout_length = 2250;
  const Scan scan = convert_scan(ctx,
                                 {others() / "liver.trj", others() / "liver.0.data", others() / "liver.1.data",
                                  others() / "liver.2.data", others() / "liver.3.data"},
                                 options);
  const Diagnosis diagnosis = examine(ctx, scan);
  EXPECT_EQ(names_of(diagnosis), Names({"note noise scan", "note k-space shift", "note contradiction"}))
      << test::text_of(diagnosis);
}

TEST(ExamineMeasured, SimulationsOfOthers) {
  if (others().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: simulations of others are not there";
  const Context ctx({.threads = 2});
  ConvertOptions radial;
  radial.matrix = {256, 256, 1};
  const Diagnosis spokes = examine(ctx, convert_scan(ctx, {others() / "phantom_radial.mat"}, radial));
  EXPECT_EQ(names_of(spokes), Names()) << test::text_of(spokes);
  ConvertOptions spiral;
  spiral.matrix = {64, 64, 1};
  spiral.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  spiral.center = ImageCenter::middle;
  const fs::path folder = others() / "powergrid_spiral_fieldmap";
  const Diagnosis arm = examine(
      ctx, convert_scan(ctx, {folder / "kx_sp.mat", folder / "ky_sp.mat", folder / "data_onecoil.mat"}, spiral));
  EXPECT_EQ(names_of(arm), Names()) << test::text_of(arm);
}

// PowerGrid's four coils, [coil, sample]. Those with a field contradict themselves: an image for each coil leaves 24 and 22 %
// of the samples of the first two, 0.2 % of the others, and the phases of the field are below a turn. So there is a
// contradiction, and no fault may be made of it.
TEST(ExamineMeasured, CoilsOfPowerGrid) {
  if (others().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: PowerGrid's simulation is not there";
  const Context ctx({.threads = 2});
  const fs::path folder = others() / "powergrid_spiral_fieldmap";
  ConvertOptions options;
  options.matrix = {64, 64, 1};
  options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  options.center = ImageCenter::middle;
  Scan scan = convert_scan(ctx, {folder / "kx_sp.mat", folder / "ky_sp.mat", folder / "data_onecoil.mat"}, options);
  for (const auto& [name, expected] : {std::pair<const char*, Names>{"data_sense.mat", {"note noise scan"}},
                                       {"data_sense_FM.mat", {"note noise scan", "note contradiction"}}}) {
    const auto values = converted<std::complex<float>>(ctx, read_array(ctx, folder / name).values, name);
    scan.coils = 4;
    scan.frames.front().data = clone(ctx, values.ref());
    scan.frames.front().data.reshape({4, 4010});
    // Coordinate 0 lies between two pixels.
    const auto k = scan.frames.front().trajectory->points.view<2>();
    for (Index i = 0; i < 4 * 4010; ++i) {
      scan.frames.front().data.data()[i] *=
          std::complex<float>(std::polar(1.0, std::numbers::pi * (k(i % 4010, 0) + k(i % 4010, 1))));
    }
    const Diagnosis diagnosis = examine(ctx, scan);
    EXPECT_EQ(names_of(diagnosis), expected) << name << test::text_of(diagnosis);
  }
}

}  // namespace
}  // namespace whorl
