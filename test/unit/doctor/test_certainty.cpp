// What the doctor must not be sure of, and fields that vary.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>

#include "broken_scans.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/doctor/k_space_center.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/test_objects.hpp"
#include "whorl/trajectory/cartesian.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/rosette.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

constexpr std::array<Index, 3> matrix{64, 72, 1};

Scan measured(const Context& ctx, Trajectory places, const PhantomScanOptions& options) {
  return phantom_scan(ctx, brain_phantom(2),
                      test::make_trajectory_scan(std::make_shared<const Trajectory>(std::move(places)), matrix),
                      options);
}

std::string findings_of(const Diagnosis& diagnosis) {
  std::string names;
  for (const Finding& finding : diagnosis.findings) names += finding.check + ";";
  return names;
}

// 25 spokes lie 1.5 cycles per field of view apart at the edge of the fit: an object that is 1.3 fields of view long is
// no image of the field of view, and none of the spokes is wrong.
TEST(DoctorCertainty, FewSpokesOfALargeObjectAreNoContradiction) {
  const Context ctx({.threads = 2});
  const Trajectory nominal = radial_trajectory(ctx, 25, 128, SpokeOrder::golden_angle);
  Trajectory wide{clone(ctx, nominal.points.ref()), nominal.readout_length};
  for (double& k : wide.points.span()) k = std::clamp(1.3 * k, -k_limit, k_limit);
  Scan scan = measured(ctx, std::move(wide), {.coils = 8, .noise_standard_deviation = 0.03});
  scan.frames.front().trajectory =
      std::make_shared<const Trajectory>(Trajectory{clone(ctx, nominal.points.ref()), nominal.readout_length});
  const Diagnosis diagnosis = examine(ctx, scan);
  EXPECT_EQ(findings_of(diagnosis), "") << test::text_of(diagnosis);
}

// 21 spokes without oversampling of an object as large as the field of view: 3.4 turns make the gridded image cover 3 % less,
// and the spokes contradict each other more. Where the object is off resonance by as much, they do less.
TEST(DoctorCertainty, FewSpokesWithoutOversamplingTellNoFrequency) {
  const Context ctx({.threads = 2});
  constexpr std::array<Index, 3> square{64, 64, 1};
  const auto nominal =
      std::make_shared<const Trajectory>(radial_trajectory(ctx, 21, square[0], SpokeOrder::golden_angle));
  Trajectory wide{clone(ctx, nominal->points.ref()), nominal->readout_length};
  for (double& k : wide.points.span()) k = std::clamp(1.15 * k, -k_limit, k_limit);
  const PhantomScanOptions options{.coils = 0, .noise_standard_deviation = 0.02};
  Scan scan =
      phantom_scan(ctx, geometric_phantom(2),
                   test::make_trajectory_scan(std::make_shared<const Trajectory>(std::move(wide)), square), options);
  scan.frames.front().trajectory = nominal;
  const Diagnosis diagnosis = examine(ctx, scan);
  EXPECT_EQ(findings_of(diagnosis), "") << test::text_of(diagnosis);
  Scan off = phantom_scan(ctx, brain_phantom(2), test::make_trajectory_scan(nominal, square), options);
  for (Index j = 0; j < nominal->samples(); ++j) {
    const double time = static_cast<double>(j % square[0]) / static_cast<double>(square[0]);
    off.frames.front().data.data()[j] *= std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * 3.4 * time));
  }
  EXPECT_NE(findings_of(examine(ctx, off)).find("off-resonance"), std::string::npos);
}

// The scan, a copy of its frame or of half of it, and no more: limits of memory that leave room for reading leave it for this.
TEST(DoctorCertainty, TheCenterOfKSpaceTakesOneCopyOfAFrame) {
  const Context ctx({.threads = 2});
  const Scan scan = measured(ctx, radial_trajectory(ctx, 60, 128, SpokeOrder::golden_angle),
                             {.coils = 8, .noise_standard_deviation = 0.03});
  const Context small({.threads = 2, .max_memory = static_cast<std::size_t>(scan.frames.front().data.size() * 10)});
  EXPECT_LT(std::abs(k_space_center(small, scan)[0]), 1);
}

// At an SNR of 1000 the signal at the edge of the object is most of what differences of samples leave; the noise scan is
// right. One with a tenth of the noise (a hundredth of its variance) is found where differences are noise.
TEST(DoctorCertainty, SignalIsNotNoiseThatTheNoiseScanLacks) {
  const Context ctx({.threads = 2});
  const Diagnosis clean = examine(ctx, measured(ctx, radial_trajectory(ctx, 60, 128, SpokeOrder::golden_angle),
                                                {.coils = 8, .noise_standard_deviation = 7e-4}));
  EXPECT_EQ(findings_of(clean), "") << test::text_of(clean);
  Scan noisy = measured(ctx, radial_trajectory(ctx, 60, 128, SpokeOrder::golden_angle),
                        {.coils = 8, .noise_standard_deviation = 0.05});
  for (std::complex<float>& value : noisy.noise.span()) value *= 0.1F;
  const Diagnosis weak = examine(ctx, noisy);
  EXPECT_EQ(findings_of(weak), "noise scan;") << test::text_of(weak);
}

// Two small brains beside each other, whose frequencies differ by 1.4 turns during a readout: the parts of the image have a
// standard deviation of 0.7. At one frequency nothing is said; nor along a rosette, whose readouts pass the center many
// times: every frequency makes the image cover less there, since it cancels the signal.
TEST(DoctorCertainty, FieldsThatVaryAreNoted) {
  const Context ctx({.threads = 2});
  const Trajectory nominal = spiral_trajectory(ctx, 8, 1000, 5);
  Trajectory wide{clone(ctx, nominal.points.ref()), nominal.readout_length};
  for (double& k : wide.points.span()) k *= 0.45;
  for (const double turns : {0.7, 0.0}) {
    Scan scan = measured(ctx, Trajectory{clone(ctx, wide.points.ref()), nominal.readout_length},
                         {.coils = 0, .noise_standard_deviation = 0.02});
    for (Index j = 0; j < nominal.samples(); ++j) {
      const double time = static_cast<double>(j % 1000) / 1000;
      const double angle = 2 * std::numbers::pi * (14 * nominal.points.view<2>()(j, 0) + turns * time);
      scan.frames.front().data.data()[j] *= static_cast<float>(2 * std::cos(angle));
    }
    scan.frames.front().trajectory =
        std::make_shared<const Trajectory>(Trajectory{clone(ctx, nominal.points.ref()), nominal.readout_length});
    const Diagnosis diagnosis = examine(ctx, scan);
    const auto& found = diagnosis.findings;
    const auto note =
        std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.check == "off-resonance"; });
    ASSERT_EQ(note != found.end(), turns > 0) << test::text_of(diagnosis);
    EXPECT_FALSE(diagnosis.has_fault()) << test::text_of(diagnosis);
    // In steps of 0.25, of which no block takes one that is two steps off.
    if (turns > 0) {
      EXPECT_NEAR(note->value, turns, 0.25) << test::text_of(diagnosis);
    }
  }
  const Diagnosis none = examine(
      ctx, measured(ctx, rosette_trajectory(ctx, 40, 600, 10, 7), {.coils = 2, .noise_standard_deviation = 0.035}));
  EXPECT_FALSE(none.has_fault()) << test::text_of(none);
}

// Lines that all go the same way, sampled twice as densely as the field of view needs: a frequency moves the image along them,
// into the part of it that is cut off, and the image covers less. None is found.
TEST(DoctorCertainty, LinesThatGoOneWayTellNoFrequency) {
  const Context ctx({.threads = 2});
  const Array<std::uint8_t> all = cartesian_mask(ctx, {.matrix = matrix});
  const Diagnosis diagnosis = examine(ctx, measured(ctx, cartesian_trajectory(ctx, 2 * matrix[0], all.ref()),
                                                    {.coils = 4, .noise_standard_deviation = 0.02}));
  EXPECT_EQ(findings_of(diagnosis), "") << test::text_of(diagnosis);
}

// A second frame whose positions are 2 cycles per field of view off: neither center is that of the scan.
TEST(DoctorCertainty, FramesWithOtherCentersAreNotMoved) {
  const Context ctx({.threads = 2});
  Scan scan = test::good_scan(ctx, "radial");
  const Trajectory& nominal = *scan.frames.front().trajectory;
  EXPECT_LT(std::abs(k_space_center(ctx, scan)[0]), 0.5);
  Trajectory moved{clone(ctx, nominal.points.ref()), nominal.readout_length};
  for (Index j = 0; j < moved.samples(); ++j) {
    double& k = moved.points.view<2>()(j, 0);
    k = std::clamp(k + 2.0 / static_cast<double>(scan.matrix[0]), -k_limit, k_limit);
  }
  ScanFrame second;
  second.trajectory = std::make_shared<const Trajectory>(std::move(moved));
  second.data = clone(ctx, scan.frames.front().data.ref());
  scan.frames.push_back(std::move(second));
  EXPECT_THROW(k_space_center(ctx, scan), ValueError);
}

}  // namespace
}  // namespace whorl
