#include "scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/temporary_path.hpp"

namespace whorl {
namespace {

using test::message_of;
using ::testing::HasSubstr;

class TemporaryPathTest : public test::FolderTest {};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(TemporaryPathTest, AppearsWhenCommittedAndReplaces) {
  const auto target = folder / "out.txt";
  std::ofstream(target) << "old";
  {
    TemporaryPath temporary(target);
    EXPECT_EQ(temporary.path().parent_path(), folder);
    std::ofstream(temporary.path()) << "new";
    EXPECT_EQ(content(target), "old");
    temporary.commit();
  }
  EXPECT_EQ(content(target), "new");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(TemporaryPathTest, LeavesNothingWhenNotCommitted) {
  { const TemporaryPath temporary(folder / "out.txt"); }
  EXPECT_EQ(files_in_folder(), 0U);
}

TEST_F(TemporaryPathTest, TwoOfOneNameDoNotMeet) {
  const TemporaryPath one(folder / "out.txt");
  const TemporaryPath two(folder / "out.txt");
  EXPECT_NE(one.path(), two.path());
}

TEST_F(TemporaryPathTest, SaysWhyAFolderIsRefused) {
  EXPECT_THAT(message_of<IoError>([&] { TemporaryPath(folder / "missing" / "out.txt"); }),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(message_of<IoError>([&] { TemporaryPath(folder / ""); }), HasSubstr("no file name"));
}

TEST_F(TemporaryPathTest, RefusesToReplaceAFolder) {
  std::filesystem::create_directories(folder / "out" / "inner");
  EXPECT_THAT(message_of<IoError>([&] { TemporaryPath(folder / "out").commit(); }), HasSubstr("rename"));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(TemporaryPathTest, SaysThatTheTemporaryFileIsGone) {
  TemporaryPath temporary(folder / "out.txt");
  std::filesystem::remove(temporary.path());
  EXPECT_THAT(message_of<IoError>([&] { temporary.commit(); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace whorl
