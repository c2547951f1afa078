#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "support/file_content.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::read_file;
using test::TemporaryFolder;
using test::write_file;

TEST(AtomicFile, AppearsOnCommitWithAllBytes) {
  const TemporaryFolder folder;
  const fs::path target = folder / "result.bin";
  {
    AtomicFile file(target);
    file.write("abc", 3);
    EXPECT_FALSE(fs::exists(target));
    EXPECT_EQ(folder.entries(), 1);  // the temporary file lies beside it
    file.write("defg", 4);
    file.commit();
  }
  EXPECT_EQ(read_file(target), "abcdefg");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, BytesAtAnyPlace) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "result.bin");
  file.write_at(5, "fg", 2);
  EXPECT_EQ(file.size(), 7U);
  file.write_at(1, "bc", 2);
  file.write("h", 1);  // after the last byte, not after the last write
  file.commit();
  EXPECT_EQ(read_file(folder / "result.bin"), std::string("\0bc\0\0fgh", 8));
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  const fs::path target = folder / "result.bin";
  write_file(target, "old");
  {
    AtomicFile file(target);
    file.write("new", 3);
  }
  EXPECT_EQ(read_file(target), "old");
  EXPECT_EQ(folder.entries(), 1);
  {
    AtomicFile file(target);
    file.write("new", 3);
    file.commit();
  }
  EXPECT_EQ(read_file(target), "new");
}

// Bits that the umask would take from a new file, and bits that it would leave.
TEST(AtomicFile, ReplacesAFileWithTheRightsThatItHad) {
  const TemporaryFolder folder;
  for (const auto mode : {fs::perms(0600), fs::perms(0640), fs::perms(0666), fs::perms(0755)}) {
    const fs::path target = folder / "result.bin";
    write_file(target, "old");
    fs::permissions(target, mode);
    AtomicFile file(target);
    file.write("new", 3);
    file.commit();
    EXPECT_EQ(fs::status(target).permissions(), mode);
    EXPECT_EQ(read_file(target), "new");
  }
}

TEST(AtomicFile, NewFilesObeyTheUmask) {
  const TemporaryFolder folder;
  for (const mode_t mask : {0022, 0027, 0077}) {
    const mode_t before = ::umask(mask);
    const fs::path target = folder / std::to_string(mask);
    AtomicFile file(target);
    file.commit();
    ::umask(before);
    EXPECT_EQ(fs::status(target).permissions(), fs::perms(0666 & ~mask));
  }
}

TEST(AtomicFile, OfALinkTheFileIsReplacedAndKeepsItsRights) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  fs::permissions(folder / "file", fs::perms(0600));
  fs::create_symlink("file", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new", 3);
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "file"), "new");
  EXPECT_EQ(fs::status(folder / "file").permissions(), fs::perms(0600));
}

TEST(AtomicFile, TwoWritersOfOneFolderDoNotMeet) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "a");
  AtomicFile second(folder / "b");
  first.write("first", 5);
  second.write("second", 6);
  second.commit();
  first.commit();
  EXPECT_EQ(read_file(folder / "a"), "first");
  EXPECT_EQ(read_file(folder / "b"), "second");
}

TEST(AtomicFile, AVanishedTemporaryFileIsAnError) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "result.bin");
  for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry);
  EXPECT_THROW(file.commit(), IoError);
}

TEST(AtomicFile, AFullDiskIsAnErrorThatNamesFileAndCause) {
  const TemporaryFolder folder;
  const fs::path target = folder / "result.bin";
  const std::string bytes(5000, 'x');
  const std::string message = error_of<IoError>([&] {
    const test::FileSizeLimit limit(4096);
    AtomicFile file(target);
    file.write(bytes.data(), bytes.size());
    file.commit();
  });
  EXPECT_NE(message.find(target.string()), std::string::npos) << message;
  EXPECT_NE(message.find("too large"), std::string::npos) << message;
  EXPECT_EQ(folder.entries(), 0);
}

void write_one(const fs::path& target, std::string_view bytes) {
  AtomicFile file(target);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

TEST(AtomicFileGroup, ItsFilesAppearTogether) {
  const TemporaryFolder folder;
  write_file(folder / "b", "old");
  AtomicFileGroup group;
  write_one(folder / "a", "1");
  write_one(folder / "b", "2");
  EXPECT_FALSE(fs::exists(folder / "a"));
  EXPECT_EQ(read_file(folder / "b"), "old");
  group.commit();
  EXPECT_EQ(read_file(folder / "a"), "1");
  EXPECT_EQ(read_file(folder / "b"), "2");
  EXPECT_EQ(folder.entries(), 2);
}

TEST(AtomicFileGroup, AFullDiskLeavesNoneOfThem) {
  const TemporaryFolder folder;
  write_file(folder / "b", "old");
  EXPECT_THROW(
      {
        const test::FileSizeLimit limit(4096);
        AtomicFileGroup group;
        write_one(folder / "a", "1");
        write_one(folder / "b", std::string(5000, 'x'));
        group.commit();
      },
      IoError);
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_EQ(read_file(folder / "b"), "old");
}

TEST(AtomicFileGroup, AFileWithoutANameTakesTheOthersBack) {
  const TemporaryFolder folder;
  {
    AtomicFileGroup group;
    write_one(folder / "a", "1");
    write_one(folder / "b", "2");
    write_one(folder / "c", "3");
    fs::create_directory(folder / "b");
    EXPECT_NE(error_of<IoError>([&] { group.commit(); }).find("rename"), std::string::npos);
  }
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_TRUE(fs::is_directory(folder / "b"));
}

TEST(AtomicFileGroup, AGroupWithinAGroupWaitsForIt) {
  const TemporaryFolder folder;
  AtomicFileGroup outer;
  {
    AtomicFileGroup inner;
    write_one(folder / "a", "1");
    inner.commit();
    EXPECT_FALSE(fs::exists(folder / "a"));
  }
  {
    const AtomicFileGroup dropped;
    write_one(folder / "b", "2");
  }
  outer.commit();
  EXPECT_EQ(read_file(folder / "a"), "1");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFileGroup, IsOfItsThread) {
  const TemporaryFolder folder;
  const AtomicFileGroup group;
  std::thread([&] { write_one(folder / "a", "1"); }).join();
  EXPECT_EQ(read_file(folder / "a"), "1");
}

TEST(AtomicFile, BadTargetsAreRefused) {
  const TemporaryFolder folder;
  const auto refusal = [](const fs::path& target) { return error_of<IoError>([&] { AtomicFile file(target); }); };
  EXPECT_NE(refusal(folder / "missing/result.bin").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).find("it is a folder"), std::string::npos);
  EXPECT_NE(refusal(folder / "").find("it is a folder"), std::string::npos);
  EXPECT_NE(refusal("/dev/full").find("not a regular file"), std::string::npos);
  // No process may make a file there, not even the superuser's.
  EXPECT_NE(refusal("/proc/self/result.bin").find("temporary file"), std::string::npos);
  write_file(folder / "kept", "kept");
  fs::permissions(folder / "kept", fs::perms::owner_read);
  EXPECT_NE(refusal(folder / "kept").find("write-protected"), std::string::npos);
  EXPECT_EQ(read_file(folder / "kept"), "kept");
}

TEST(AtomicFile, ATargetThatBecomesAFolderIsAnError) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "result.bin");
  fs::create_directory(folder / "result.bin");
  EXPECT_THROW(file.commit(), IoError);
}

TEST(AtomicFile, ASymbolicLinkIsFollowed) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "far");
  fs::create_symlink("far/result.bin", folder / "link");
  for (const std::string text : {"first", "second"}) {
    AtomicFile file(folder / "link");
    file.write(text.data(), text.size());
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "far/result.bin"), text);
  }
}

TEST(AtomicFile, ARelativeNameWithoutFolderWorks) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  {
    AtomicFile file("plain");
    file.write("x", 1);
    file.commit();
  }
  fs::current_path(before);
  EXPECT_EQ(read_file(folder / "plain"), "x");
}

}  // namespace
}  // namespace whorl
