// Scans through every pair of formats that hold them.
#include <gtest/gtest.h>

#include "support/file_content.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using test::TemporaryFolder;
using Complex = std::complex<float>;

struct ScanFormat {
  std::string file;
  std::string name;
};

const std::vector<ScanFormat> formats{
    {"scan.h5", "ismrmrd"}, {"scan.npz", "npz"}, {"scan.cfl", "cfl"}, {"scan.h5", "challenge"}};

/// Positions are multiples of 1/128, which float holds, as it does their products with the matrix (24, 20, 6): then
/// no format rounds, and equality is exact.
std::shared_ptr<Trajectory> make_trajectory(const Context& ctx, int dim, std::uint64_t step, Index readout_length) {
  constexpr Index samples = 30;
  auto trajectory = std::make_shared<Trajectory>();
  trajectory->points = Array<double>(ctx, {samples, dim});
  trajectory->readout_length = readout_length;
  for (Index i = 0; i < samples * dim; ++i) {
    trajectory->points.data()[i] = static_cast<double>((step * static_cast<std::uint64_t>(i) + 5) % 129) / 128 - 0.5;
  }
  return trajectory;
}

Array<Complex> random(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<Complex> array(ctx, shape);
  fill_random_normal<float>(array, seed);
  return array;
}

Scan make_scan(const Context& ctx, int dim, Index coils, int frames) {
  Scan scan;
  scan.source = "made";
  scan.system = "Maker";
  scan.matrix = {24, 20, dim == 3 ? 6 : 1};
  scan.coils = coils;
  scan.trajectory_kind = "rosette";  // no kind of ISMRMRD's
  scan.dwell_us = 2.5;
  scan.readout_start_us = -7.5;
  scan.echo_times_ms = {1.25, 3.5};
  if (coils > 0) {
    scan.noise_dwell_us = 5;
    scan.noise = random(ctx, {coils, 11}, 3);
    scan.coil_maps = random(ctx, {coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]}, 4);
  }
  const auto shared = make_trajectory(ctx, dim, 29, 10);
  auto weights = std::make_shared<Array<float>>(zeros<float>(ctx, {30}));
  for (Index i = 0; i < 30; ++i) weights->data()[i] = 0.25F * static_cast<float>(i);
  for (int i = 0; i < frames; ++i) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index.repetition = i;
    frame.index.slice = i == 2 ? 1 : 0;
    frame.trajectory = i == 1 ? make_trajectory(ctx, dim, 31, 10) : shared;
    frame.weights = weights;
    frame.data = random(ctx, {coils, 30}, 10 + static_cast<std::uint64_t>(i));
    frame.geometry.field_of_view_mm = {240, 200, 12};
    frame.geometry.position_mm = {1.5, -2, 0.5 * frame.index.slice};
  }
  return scan;
}

template <class T>
bool same(ArrayRef<const T> a, ArrayRef<const T> b) {
  return a.shape() == b.shape() && std::equal(a.span().begin(), a.span().end(), b.span().begin());
}

void expect_same(const Scan& a, const Scan& b) {
  EXPECT_EQ(a.system, b.system);
  EXPECT_EQ(a.matrix, b.matrix);
  EXPECT_EQ(a.coils, b.coils);
  EXPECT_EQ(a.trajectory_kind, b.trajectory_kind);
  EXPECT_EQ(a.dwell_us, b.dwell_us);
  EXPECT_EQ(a.readout_start_us, b.readout_start_us);
  EXPECT_EQ(a.echo_times_ms, b.echo_times_ms);
  EXPECT_EQ(a.noise_dwell_us, b.noise_dwell_us);
  EXPECT_TRUE(same<Complex>(a.noise, b.noise));
  EXPECT_TRUE(same<Complex>(a.coil_maps, b.coil_maps));
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (const ScanFrame& x : a.frames) {
    // ISMRMRD's reader orders frames by their counters.
    const auto found =
        std::find_if(b.frames.begin(), b.frames.end(), [&](const ScanFrame& y) { return x.index == y.index; });
    ASSERT_NE(found, b.frames.end());
    EXPECT_TRUE(same<double>(x.trajectory->points, found->trajectory->points));
    EXPECT_EQ(x.trajectory->readout_length, found->trajectory->readout_length);
    ASSERT_EQ(x.weights == nullptr, found->weights == nullptr);
    EXPECT_TRUE(!x.weights || same<float>(*x.weights, *found->weights));
    EXPECT_EQ(x.data.size(), found->data.size());
    EXPECT_TRUE(x.data.size() == 0 || same<Complex>(x.data, found->data));
    EXPECT_EQ(x.geometry.field_of_view_mm, found->geometry.field_of_view_mm);
    EXPECT_EQ(x.geometry.position_mm, found->geometry.position_mm);
    EXPECT_EQ(x.geometry.slice_direction, found->geometry.slice_direction);
  }
}

void expect_round_trips(const Context& ctx, const Scan& scan, bool single) {
  for (const ScanFormat& first : formats) {
    for (const ScanFormat& second : formats) {
      if (!single && (first.name == "challenge" || second.name == "challenge")) continue;
      SCOPED_TRACE(first.name + " -> " + second.name);
      const TemporaryFolder from;
      const TemporaryFolder to;
      write_scan(ctx, scan, from / first.file, first.name);
      const FileDescription file = describe_file(from / first.file);
      EXPECT_EQ(file.format, first.name);
      EXPECT_TRUE(file.holds_scan);
      write_scan(ctx, read_scan(ctx, from / first.file), to / second.file, second.name);
      expect_same(scan, read_scan(ctx, to / second.file));
    }
  }
}

TEST(ScanRoundTrip, EveryPairOfFormatsKeepsEverything) {
  const Context ctx;
  for (const int dim : {2, 3}) {
    for (const Index coils : {Index{0}, Index{3}}) {
      expect_round_trips(ctx, make_scan(ctx, dim, coils, 1), true);
      expect_round_trips(ctx, make_scan(ctx, dim, coils, 3), false);
    }
  }
}

TEST(ScanRoundTrip, WithoutWeightsNoiseMapsAndReadouts) {
  const Context ctx;
  Scan scan = make_scan(ctx, 2, 2, 1);
  scan.noise = {};
  scan.noise_dwell_us = 0;
  scan.coil_maps = {};
  scan.readout_start_us = 0;  // of readouts
  scan.frames[0].weights = nullptr;
  scan.frames[0].trajectory = make_trajectory(ctx, 2, 29, 0);
  expect_round_trips(ctx, scan, true);
}

TEST(ScanRoundTrip, FramesOfDifferentLengths) {
  const Context ctx;
  const TemporaryFolder folder;
  Scan scan = make_scan(ctx, 2, 2, 2);
  auto shorter = std::make_shared<Trajectory>();
  shorter->points = zeros<double>(ctx, {20, 2});
  shorter->readout_length = 10;
  scan.frames[1].trajectory = shorter;
  scan.frames[1].weights = nullptr;
  scan.frames[1].data = random(ctx, {2, 20}, 9);
  write_scan(ctx, scan, folder / "a.npz");
  expect_same(scan, read_scan(ctx, folder / "a.npz"));
  EXPECT_THROW(write_scan(ctx, scan, folder / "a.cfl"), ShapeError);
  EXPECT_THROW(write_scan(ctx, scan, folder / "b.h5", "challenge"), ShapeError);
  EXPECT_THROW(write_scan(ctx, scan, folder / "a.npy"), ValueError);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(ScanRoundTrip, EqualScansMakeEqualArchives) {
  const Context ctx;
  const TemporaryFolder folder;
  const Scan scan = make_scan(ctx, 2, 2, 3);
  write_scan(ctx, scan, folder / "a.npz");
  write_scan(ctx, read_scan(ctx, folder / "a.npz"), folder / "b.npz");
  EXPECT_EQ(test::read_file(folder / "a.npz"), test::read_file(folder / "b.npz"));
}

TEST(ScanRoundTrip, AStopLeavesNothing) {
  const Context ctx;
  const TemporaryFolder folder;
  const Scan scan = make_scan(ctx, 2, 2, 1);
  ctx.request_cancel();
  for (const ScanFormat& format : formats) {
    EXPECT_THROW(write_scan(ctx, scan, folder / format.file, format.name), Cancelled) << format.name;
  }
  EXPECT_EQ(folder.entries(), 0);
}

// The coil maps take 7680 bytes. BART's files of the weights and the trajectory, 720 bytes each, come first.
TEST(ScanRoundTrip, AFullDiskLeavesNothing) {
  const Context ctx;
  const TemporaryFolder folder;
  const Scan scan = make_scan(ctx, 2, 2, 1);
  for (const ScanFormat& format : formats) {
    const test::FileSizeLimit limit(4096);
    EXPECT_THROW(write_scan(ctx, scan, folder / format.file, format.name), IoError) << format.name;
  }
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace whorl
