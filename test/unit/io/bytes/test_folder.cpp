// Files in a folder that moves, and those of several processes that write the same names.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/bytes/folder.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::TemporaryFolder;

TEST(Folder, AFolderThatMovesTakesItsFileAlong) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "before");
  {
    AtomicFileGroup group;
    AtomicFile first(folder / "before/first");
    AtomicFile second(folder / "before/second");
    AtomicFile given_up(folder / "before/third");
    first.write("1", 1);
    second.write("22", 2);
    first.commit();
    fs::rename(folder / "before", folder / "after");
    second.commit();
    group.commit();
  }
  EXPECT_EQ(read_file(folder / "after/first"), "1");
  EXPECT_EQ(read_file(folder / "after/second"), "22");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "after"), fs::directory_iterator()), 2);
}

TEST(Folder, OneForAllFilesInIt) {
  const TemporaryFolder folder;
  fs::create_directory_symlink(folder.path(), folder / "link");
  const auto one = io::Folder::open(folder.path());
  EXPECT_EQ(one, io::Folder::open(folder / "link"));
  EXPECT_EQ(io::Folder::open(folder / "missing"), nullptr);
}

// Files that are written together under `names` have the same content.
void write_together(const fs::path& folder, const std::vector<std::string>& names, const std::string& content) {
  AtomicFileGroup group;
  // Qualified: other tests of the folder have a function of this name that writes in place.
  for (const std::string& name : names) whorl::write_file(folder / name, std::string_view(content));
  group.commit();
}

pid_t in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  work();
  ::_exit(0);
}

// Two processes leave the files of one of them. Without a lock some pair differs after a few of these rounds.
TEST(Folder, ProcessesThatWriteTheSameNamesDoNotMix) {
  const TemporaryFolder folder;
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  std::vector<pid_t> children;
  for (const char* who : {"first", "second"}) {
    children.push_back(in_child([&] {
      for (int round = 0; round < 100; ++round) write_together(folder.path(), names, who + std::to_string(round));
    }));
  }
  while (!fs::exists(folder / "f")) ::usleep(100);
  for (int look = 0; look < 100; ++look) {
    const io::NamesLock lock({io::Folder::open(folder.path())});
    std::set<std::string> contents;
    for (const std::string& name : names) contents.insert(read_file(folder / name));
    EXPECT_EQ(contents.size(), 1U);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folder.entries(), static_cast<std::ptrdiff_t>(names.size()));
}

TEST(Folder, ADeadProcessHoldsNoLock) {
  const TemporaryFolder folder;
  const fs::path held = folder / "held";
  const pid_t child = in_child([&] {
    const io::NamesLock lock({io::Folder::open(folder.path())});
    test::write_file(held, "x");
    for (;;) ::pause();
  });
  while (!fs::exists(held)) ::usleep(100);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  write_together(folder.path(), {"a", "b"}, "free");
  EXPECT_EQ(read_file(folder / "b"), "free");
}

}  // namespace
}  // namespace whorl
