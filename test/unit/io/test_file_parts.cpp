#include "whorl/io/file_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::UnorderedElementsAreArray;

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

TEST(FileParts, AreThoseThatAScanOfBartIsWrittenAs) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const auto path = folder / "scan.v2.cfl";
  Scan scan = test::make_small_scan(ctx);  // with noise
  const auto expect_read = [&] {
    for (const char* name : {"scan.v2.cfl", "scan.v2.hdr", "scan.v2"}) {
      EXPECT_THAT(files_to_read(folder / name), UnorderedElementsAreArray(files_in(folder.path()))) << name;
    }
    EXPECT_THAT(files_of_scan(path), IsSupersetOf(files_in(folder.path())));
  };
  scan.coil_maps = zeros<std::complex<float>>(ctx, {3, 1, 16, 20});
  for (ScanFrame& frame : scan.frames) {
    frame.weights = std::make_shared<const Array<float>>(zeros<float>(ctx, {frame.trajectory->samples()}));
  }
  write_scan(ctx, scan, path);
  EXPECT_EQ(folder.entries(), 10);  // data, trajectory, weights, noise, maps
  expect_read();
  for (const fs::path& file : files_in(folder.path())) fs::remove(file);
  scan.coil_maps = {};
  scan.noise = {};
  for (ScanFrame& frame : scan.frames) frame.weights = nullptr;
  write_scan(ctx, scan, path);
  EXPECT_EQ(folder.entries(), 4);
  expect_read();
}

TEST(FileParts, OfOtherFormatsAreTheFile) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "image.npy", "");
  EXPECT_THAT(files_to_read(folder / "image.npy"), ElementsAre(folder / "image.npy"));
  EXPECT_THAT(files_to_read(folder / "none.cfl"), ElementsAre(folder / "none.cfl"));
  EXPECT_THAT(files_of_arrays("a/image.npy"), ElementsAre("a/image.npy"));
  EXPECT_THAT(files_of_arrays("a/image.cfl"), ElementsAre("a/image.cfl", "a/image.hdr"));
  EXPECT_THAT(files_of_scan("a/scan.h5"), ElementsAre("a/scan.h5"));
}

TEST(FileParts, OfADamagedHeaderAreThePair) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "scan.cfl", "");
  test::write_file(folder / "scan.hdr", "# Dimensions\nmany\n");
  EXPECT_THAT(files_to_read(folder / "scan"), ElementsAre(folder / "scan.cfl", folder / "scan.hdr"));
}

TEST(FileName, OfAnArrayInAFile) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a:b", "x");
  EXPECT_EQ(file_of(folder / "c.npz:maps"), folder / "c.npz");
  EXPECT_EQ(file_of(folder / "a:b"), folder / "a:b");
  EXPECT_EQ(file_of("plain.npy"), "plain.npy");
}

}  // namespace
}  // namespace whorl
