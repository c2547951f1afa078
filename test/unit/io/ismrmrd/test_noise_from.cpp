// The noise scan of another file or group.
#include <algorithm>
#include <cmath>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

using test::cfloat;
using test::has_note;
using test::message_of;
using test::readout;
using ::testing::HasSubstr;

class NoiseFrom : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    test::write_by_library(folder / "scan.h5", xml, {readout(16, 2, 0), readout(16, 2, 0.25F)});
  }
  static ISMRMRD::Acquisition noise(std::uint16_t samples, std::uint16_t channels, float scale, bool flagged) {
    ISMRMRD::Acquisition acquisition(samples, channels, 0);
    if (flagged) acquisition.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
    acquisition.sample_time_us() = 7;
    for (std::uint16_t channel = 0; channel < channels; ++channel) {
      for (std::uint16_t i = 0; i < samples; ++i) acquisition.data(i, channel) = scale * value(channel, i);
    }
    return acquisition;
  }
  static cfloat value(Index channel, Index i) {
    return std::polar(1.0F, static_cast<float>(i * i + 3 * channel));  // no peak
  }
  Scan read(const std::string& from) {
    ScanReadOptions options;
    options.noise_from = from;
    return read_scan(ctx, folder / "scan.h5", options);
  }
  std::string file(const std::string& name) const { return (folder / name).string(); }

  std::string xml = test::to_xml(test::small_header(16, 12));
};

TEST_F(NoiseFrom, AnotherFile) {
  test::write_by_library(folder / "noise.h5", xml, {noise(30, 2, 1, true), readout(16, 2, 0), noise(10, 3, 9, true)});
  const Scan scan = read(file("noise.h5"));
  ASSERT_EQ(scan.noise.shape(), (Shape{2, 30}));
  EXPECT_EQ(scan.noise.view<2>()(1, 29), value(1, 29));
  EXPECT_EQ(scan.noise_dwell_us, 7);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 32}));
  EXPECT_TRUE(has_note(scan, "1 acquisition flagged as noise of group dataset"));
}

// Readouts of an image, which no flag tells apart: eight with four times the mean power at their center.
TEST_F(NoiseFrom, ReadoutsWithAnEchoAreNoNoise) {
  std::vector<ISMRMRD::Acquisition> image(16, noise(30, 2, 1, false));
  for (ISMRMRD::Acquisition& readout : image) {
    for (const std::uint16_t channel : {0, 1}) readout.data(15, channel) *= 3;
  }
  test::write_by_library(folder / "image.h5", xml, image);
  EXPECT_THAT(message_of<ValueError>([&] { read(file("image.h5")); }), HasSubstr("have an echo"));
  image.resize(15);  // too few to tell
  test::write_by_library(folder / "few.h5", xml, image);
  EXPECT_EQ(read(file("few.h5")).noise.shape(), (Shape{2, 450}));
}

TEST_F(NoiseFrom, AnotherGroupWithoutFlags) {
  test::write_by_library(folder / "scan.h5", "<any/>", {noise(20, 2, 2, false), noise(20, 2, 2, false)}, "noise");
  const Scan scan = read(file("scan.h5") + ":noise");
  ASSERT_EQ(scan.noise.shape(), (Shape{2, 40}));
  EXPECT_EQ(scan.noise.view<2>()(0, 21), 2.0F * value(0, 1));
  EXPECT_TRUE(has_note(scan, "none of which is flagged"));
}

TEST_F(NoiseFrom, AnArray) {
  Array<cfloat> samples(ctx, {2, 5, 4});
  for (Index i = 0; i < samples.size(); ++i) samples.data()[i] = value(i / 20, i % 20);
  write_array(ctx, folder / "noise.npy", {"noise", std::move(samples)});
  const Scan scan = read(file("noise.npy"));
  EXPECT_EQ(scan.noise.view<2>()(1, 19), value(1, 19));
}

TEST_F(NoiseFrom, AnArrayWithItsCoilsElsewhere) {
  Array<cfloat> samples(ctx, {5, 2, 4});
  for (Index i = 0; i < samples.size(); ++i) samples.data()[i] = value(i / 4 % 2, i / 8 * 4 + i % 4);
  write_array(ctx, folder / "noise.npy", {"noise", std::move(samples)});
  const Scan scan = read(file("noise.npy"));
  EXPECT_EQ(scan.noise.view<2>()(1, 19), value(1, 19));
  // BART's dimensions 1 and 3, and files that are no scans
  for (const char* name : {"noise.cfl", "noise.npz"}) {
    Array<cfloat> barts(ctx, {2, 1, 20, 1});
    for (Index i = 0; i < barts.size(); ++i) barts.data()[i] = value(i / 20, i % 20);
    write_array(ctx, folder / name, {"noise", std::move(barts)});
    const Scan taken = read(file(name));
    EXPECT_EQ(taken.noise.view<2>()(1, 19), value(1, 19)) << name;
  }
}

TEST_F(NoiseFrom, WhatIsNoNoiseIsRefused) {
  EXPECT_THAT(message_of<IoError>([&] { read(file("none.h5")); }), HasSubstr("none.h5"));
  test::write_by_library(folder / "three.h5", xml, {noise(30, 3, 1, true)});
  EXPECT_THAT(message_of<ShapeError>([&] { read(file("three.h5")); }), HasSubstr("noise of 2 channels"));
  ISMRMRD::Acquisition image(512, 2, 0);
  for (std::uint16_t i = 0; i < 512; ++i) image.data(i, 0) = image.data(i, 1) = i == 256 ? 1000.0F : 1.0F;
  test::write_by_library(folder / "image.h5", xml, {image});
  EXPECT_THAT(message_of<ValueError>([&] { read(file("image.h5")); }), HasSubstr("no noise scan"));
}

}  // namespace
}  // namespace whorl
