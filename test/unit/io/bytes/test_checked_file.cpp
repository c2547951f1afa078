#include "whorl/io/checked_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <vector>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {
namespace {

TEST(CheckedFile, SaysWhetherItIsWhole) {
  const test::TemporaryFolder folder;
  const auto path = folder / "file";
  EXPECT_FALSE(read_checked_file(path));
  const std::string bytes("some\0bytes\n", 11);
  write_checked_file(path, bytes);
  EXPECT_EQ(read_checked_file(path), bytes);
  // As sha256sum says: printf 'some\0bytes\n' | sha256sum
  EXPECT_EQ(test::read_file(path).substr(0, 65), "5f511b8f6111c5904f27c80bd5eba654de68fa0a6947ca93e2ae5a05fef491d2\n");

  const std::string whole = test::read_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    write_file(path, damaged);
    EXPECT_FALSE(read_checked_file(path)) << i;
    write_file(path, whole.substr(0, i));
    EXPECT_FALSE(read_checked_file(path)) << i;
  }
  write_checked_file(path, "");
  EXPECT_EQ(read_checked_file(path), "");
}

TEST(CheckedFile, HasItsNameAtOnceAlsoInAGroup) {
  const test::TemporaryFolder folder;
  {
    const AtomicFileGroup group;
    write_checked_file(folder / "checked", "1");
    write_file(folder / "other", "2");
    EXPECT_EQ(read_checked_file(folder / "checked"), "1");
  }
  EXPECT_EQ(folder.entries(), 1);
}

// Each change of what a reconstruction takes gives another fingerprint; copies, names and notes do not.
TEST(ScanFingerprint, FollowsFromWhatAReconstructionTakes) {
  const Context ctx;
  const auto scan = [&ctx] { return test::make_small_scan(ctx); };
  const auto moved_trajectory = [](Scan& s) {
    auto moved = std::make_shared<Trajectory>();
    const Trajectory& old = *s.frames[2].trajectory;
    moved->points = clone(Context(), old.points.ref());
    moved->readout_length = old.readout_length;
    moved->points.data()[7] += 1e-9;
    s.frames[2].trajectory = moved;
  };
  const std::vector<std::function<void(Scan&)>> changes{
      [](Scan& s) {
        s.matrix = {16, 20, 1};
      },
      [](Scan& s) { s.noise.data()[3] += 1.0F; },
      [](Scan& s) { s.dwell_us += 1; },
      [](Scan& s) { s.readout_start_us += 1; },
      [](Scan& s) { s.frames[1].index.slice = 5; },
      [](Scan& s) { s.frames[1].geometry.position_mm[2] += 1; },
      [](Scan& s) { s.frames[4].data.data()[11] += 1.0F; },
      [](Scan& s) { s.frames[4].weights = std::make_shared<const Array<float>>(zeros<float>(Context(), {60})); },
      [&ctx](Scan& s) {
        s.coil_maps = zeros<std::complex<float>>(ctx, {3, 1, 16, 20});
      },
      [](Scan& s) { std::swap(s.frames[0].data, s.frames[1].data); },
      [](Scan& s) { s.frames.pop_back(); },
      moved_trajectory,
  };
  std::set<std::string> found{scan_fingerprint(ctx, scan())};
  for (const auto& change : changes) {
    Scan changed = scan();
    change(changed);
    EXPECT_TRUE(found.insert(scan_fingerprint(ctx, changed)).second) << found.size();
  }
  Scan renamed = scan();
  renamed.source = "another name";
  renamed.notes.emplace_back("a note");
  EXPECT_FALSE(found.insert(scan_fingerprint(ctx, renamed)).second);
}

}  // namespace
}  // namespace whorl
