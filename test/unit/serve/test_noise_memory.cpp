// Noise scans on the disk: whole or not there, whatever happens to server and disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>

#include "serve/noise_memory.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class KeptNoise : public ::testing::Test {
 protected:
  // All samples of a scan are its number, so that one that is made of two parts is seen.
  NoiseScan noise(int number, Index samples = 64) const {
    NoiseScan made{Array<std::complex<float>>(ctx, {3, samples}), static_cast<double>(number)};
    std::fill(made.samples.span().begin(), made.samples.span().end(), static_cast<float>(number));
    return made;
  }
  // 0: there is none, -1: parts of several.
  static int number_of(const NoiseScan& found) {
    if (found.samples.size() == 0) return 0;
    for (const std::complex<float> value : found.samples.span()) {
      if (value != std::complex<float>(static_cast<float>(found.dwell_us))) return -1;
    }
    return static_cast<int>(found.dwell_us);
  }
  fs::path only_file() const { return fs::directory_iterator(folder_.path())->path(); }

  Context ctx{Context::Options{.threads = 1}};
  test::TemporaryFolder folder_;
};

TEST_F(KeptNoise, ThoseThatWereUsedLastStay) {
  for (const std::string& folder : {folder_.path().string(), std::string()}) {
    NoiseMemory memory(folder, 3);
    for (int i = 1; i <= 3; ++i) EXPECT_THAT(memory.keep(ctx, std::to_string(i), noise(i)), IsEmpty());
    EXPECT_EQ(number_of(memory.find(ctx, "1")), 1);
    EXPECT_THAT(memory.keep(ctx, "4", noise(4)), IsEmpty());
    EXPECT_EQ(number_of(memory.find(ctx, "1")), 1);
    EXPECT_EQ(number_of(memory.find(ctx, "2")), 0);
    EXPECT_EQ(number_of(memory.find(ctx, "4")), 4);
  }
  EXPECT_EQ(folder_.entries(), 3);
}

TEST_F(KeptNoise, WhatTheDiskDoesNotTakeStaysInMemory) {
  NoiseMemory memory(folder_.path().string(), 3);
  EXPECT_THAT(memory.keep(ctx, "a", noise(1)), IsEmpty());
  {
    const test::FileSizeLimit full(100);
    EXPECT_THAT(memory.keep(ctx, "a", noise(2)), HasSubstr("cannot write"));
  }
  EXPECT_EQ(number_of(memory.find(ctx, "a")), 2);
  EXPECT_EQ(folder_.entries(), 1);  // the older one, whole, and no part of the newer one
  EXPECT_EQ(number_of(NoiseMemory(folder_.path().string(), 3).find(ctx, "a")), 1);
  // The disk has room again, and then the folder is gone.
  EXPECT_THAT(memory.keep(ctx, "a", noise(3)), IsEmpty());
  EXPECT_EQ(number_of(NoiseMemory(folder_.path().string(), 3).find(ctx, "a")), 3);
  fs::remove_all(folder_.path());
  EXPECT_THAT(memory.keep(ctx, "b", noise(4)), HasSubstr("cannot write"));
  EXPECT_EQ(number_of(memory.find(ctx, "b")), 4);
  EXPECT_EQ(number_of(memory.find(ctx, "a")), 0);
}

// A process writes one scan over the other and is killed at any time. What a later one finds is whole.
TEST_F(KeptNoise, AServerThatIsKilledLeavesWholeFiles) {
  NoiseMemory(folder_.path().string(), 3).keep(ctx, "a", noise(1, 4096));
  for (int round = 0; round < 8; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      NoiseMemory memory(folder_.path().string(), 3);
      for (int i = 1;; i = 3 - i) memory.keep(ctx, "a", noise(i, 4096));
    }
    ASSERT_GT(child, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 3 * round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_THAT(number_of(NoiseMemory(folder_.path().string(), 3).find(ctx, "a")), ::testing::AnyOf(1, 2)) << round;
  }
}

TEST_F(KeptNoise, WhatTheKilledLeftIsRemoved) {
  for (const char* name : {".whorl-1-0.tmp", ".whorl-2-0.tmp", "notes.txt"}) std::ofstream(folder_ / name) << "part";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  fs::last_write_time(folder_ / ".whorl-1-0.tmp", long_ago);
  fs::last_write_time(folder_ / "notes.txt", long_ago);
  NoiseMemory(folder_.path().string(), 3).keep(ctx, "a", noise(1));
  EXPECT_FALSE(fs::exists(folder_ / ".whorl-1-0.tmp"));
  EXPECT_TRUE(fs::exists(folder_ / ".whorl-2-0.tmp"));  // another server may be writing it
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
}

// Each removes what is beyond the limit while the other writes and reads.
TEST_F(KeptNoise, TwoServersUseOneFolder) {
  const auto serve = [&](int first) {
    NoiseMemory memory(folder_.path().string(), 2);
    const Context own{Context::Options{.threads = 1}};
    for (int i = first; i < 60; i += 2) {
      EXPECT_THAT(memory.keep(own, std::to_string(i % 5), noise(i)), IsEmpty());
      EXPECT_NE(number_of(memory.find(own, std::to_string((i + 1) % 5))), -1);
    }
  };
  std::thread other(serve, 2);
  serve(1);
  other.join();
  EXPECT_LE(folder_.entries(), 3);  // two, and one that the other had not seen
}

TEST_F(KeptNoise, FilesOfAnotherFormAreAsNone) {
  NoiseMemory memory(folder_.path().string(), 3);
  static_cast<void>(memory.keep(ctx, "a", noise(1)));
  const fs::path path = only_file();
  const auto found_after = [&](NamedArray samples, Array<double> dwell, const std::string& name = "noise") {
    samples.name = name;
    const std::array arrays{std::move(samples), NamedArray{"dwell_us", std::move(dwell), {}}};
    write_arrays(ctx, path, arrays);
    return number_of(memory.find(ctx, "a"));
  };
  const auto dwell = [&](Index count) {
    Array<double> made(ctx, {count});
    std::fill(made.span().begin(), made.span().end(), 1.0);
    return made;
  };
  const auto samples = [&](const Shape& shape) {
    Array<std::complex<float>> made(ctx, shape);
    std::fill(made.span().begin(), made.span().end(), 1.0F);
    return NamedArray{"noise", std::move(made), {}};
  };
  EXPECT_EQ(found_after(samples({3, 8}), dwell(1)), 1);
  EXPECT_EQ(found_after(samples({3, 8}), dwell(1), "samples"), 0);
  EXPECT_EQ(found_after(samples({2, 3, 8}), dwell(1)), 0);
  EXPECT_EQ(found_after(samples({3, 8}), dwell(2)), 0);
  static_cast<void>(memory.keep(ctx, "a", noise(1)));
  fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_EQ(number_of(memory.find(ctx, "a")), 0);
  EXPECT_THAT(memory.keep(ctx, "a", noise(2)), IsEmpty());
  EXPECT_EQ(number_of(memory.find(ctx, "a")), 2);
}

}  // namespace
}  // namespace whorl::serve
