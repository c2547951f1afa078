// What the files of Linux say about the memory that is left.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "backend/cpu/core/available_memory.hpp"
#include "support/temporary_folder.hpp"

namespace whorl::backend::cpu {
namespace {

namespace fs = std::filesystem;

// A machine with 1,000,000 KiB available and 24 of swap.
class AvailableMemory : public testing::Test {
 protected:
  AvailableMemory() { write("proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\nSwapFree: 24 kB\n"); }

  void write(const std::string& path, const std::string& text) const {
    const fs::path file = root() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  fs::path root() const { return folder_ / "root"; }
  std::size_t available() const { return available_memory(root()); }

  static constexpr std::size_t machine = std::size_t{1000024} * 1024;

 private:
  test::TemporaryFolder folder_;
};

TEST_F(AvailableMemory, WithoutGroupsIsThatOfTheMachine) { EXPECT_EQ(available(), machine); }

TEST_F(AvailableMemory, IsUnknownWithoutTheFiles) { EXPECT_GT(available_memory(root() / "nothing"), machine * 1000); }

TEST_F(AvailableMemory, OfTheUnifiedHierarchy) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "500000\n");
  write("sys/fs/cgroup/user.slice/job/memory.current", "90000\n");
  EXPECT_EQ(available(), 410000U);
  // Pages of files can be given up, active ones too. Other lines of the file are parts of these.
  write("sys/fs/cgroup/user.slice/job/memory.stat", "anon 60000\nfile 30000\ninactive_file 20000\nactive_file 4000\n");
  EXPECT_EQ(available(), 434000U);
  // Processes are held up above `high`.
  write("sys/fs/cgroup/user.slice/job/memory.high", "400000\n");
  EXPECT_EQ(available(), 334000U);
  // All processes of the group above have this limit together.
  write("sys/fs/cgroup/user.slice/memory.max", "700000\n");
  write("sys/fs/cgroup/user.slice/memory.current", "600000\n");
  EXPECT_EQ(available(), 100000U);
  write("sys/fs/cgroup/user.slice/memory.current", "800000\n");
  EXPECT_EQ(available(), 0U);
}

TEST_F(AvailableMemory, OfTheRootOfAContainer) {
  // With a namespace of groups the container's own is /; its files are where the hierarchy is mounted.
  write("proc/self/cgroup", "0::/\n");
  write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n");
  write("sys/fs/cgroup/memory.max", "123456\n");
  EXPECT_EQ(available(), 123456U);
}

TEST_F(AvailableMemory, OfTheFirstVersion) {
  write("proc/self/cgroup", "5:devices:/\n4:cpu,memory:/docker/12ab\n0::/\n");
  write("proc/self/mountinfo",
        "34 31 0:31 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n"
        "33 31 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory,cpu\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available(), machine);
  write("sys/fs/cgroup/memory/docker/12ab/memory.limit_in_bytes", "800000\n");
  write("sys/fs/cgroup/memory/docker/12ab/memory.usage_in_bytes", "300000\n");
  // Groups below count in the total.
  write("sys/fs/cgroup/memory/docker/12ab/memory.stat",
        "inactive_file 1000\nactive_file 1000\ntotal_inactive_file 70000\ntotal_active_file 30000\n");
  EXPECT_EQ(available(), 600000U);
  // The second version's hierarchy is mounted too, without memory: it sets no limit.
  write("proc/self/mountinfo",
        "33 31 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory,cpu\n"
        "35 31 0:40 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(available(), 600000U);
}

TEST_F(AvailableMemory, OfAContainerWithoutANamespaceOfGroups) {
  // The container sees its own group where the hierarchy is mounted, under the name that it has outside.
  write("proc/self/cgroup", "4:memory:/docker/12ab/part\n");
  write("proc/self/mountinfo", "33 31 0:30 /docker/12ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "800000\n");
  write("sys/fs/cgroup/memory/part/memory.limit_in_bytes", "600000\n");
  EXPECT_EQ(available(), 600000U);
  // A group elsewhere: of what is mounted, the limit at its top holds.
  write("proc/self/cgroup", "4:memory:/other\n");
  EXPECT_EQ(available(), 800000U);
}

}  // namespace
}  // namespace whorl::backend::cpu
