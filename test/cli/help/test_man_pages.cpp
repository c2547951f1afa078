// Manual pages: what the formatters of such pages say of them, and that they hold what the help does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/help/man_page.hpp"
#include "cli/help/roff.hpp"
#include "help_words.hpp"
#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace whorl {
namespace {

using ::testing::HasSubstr;

bool installed(const std::string& program) {
  return test::run_process({"/bin/bash", "-c", "command -v " + program + " >/dev/null"}).exit_code == 0;
}

// The pages of the program, written as the build does.
class ManPages : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto result = test::run_process({WHORL_PROGRAM, "man", folder_.path()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
  }

  std::filesystem::path page(const test::HelpOfCommand& help) const {
    std::string name = "whorl";
    for (const std::string& word : help.words) name += "-" + word;
    return folder_ / (name + ".1");
  }

  test::ProcessResult run(const std::string& command, const std::filesystem::path& path) const {
    return test::run_process({"/bin/bash", "-c", command + " \"$1\"", "bash", path});
  }

  test::TemporaryFolder folder_;
};

TEST_F(ManPages, OnePerCommandWithAllItsOptions) {
  const auto all = test::all_help();
  EXPECT_EQ(folder_.entries(), static_cast<std::ptrdiff_t>(all.size()));
  for (const test::HelpOfCommand& help : all) {
    const std::string text = test::read_file(page(help));
    for (const std::string& option : help.options) EXPECT_THAT(text, HasSubstr(cli::roff(option))) << page(help);
    for (const std::string& command : help.commands) {
      EXPECT_THAT(text, HasSubstr("\\-" + cli::roff(command) + "\\fR(1)")) << page(help);
    }
  }
}

TEST_F(ManPages, GroffHasNothingToSay) {
  if (!installed("groff")) GTEST_SKIP() << "groff is not installed (Debian: groff-base)";
  for (const test::HelpOfCommand& help : test::all_help()) {
    const auto result = run("groff -man -ww -z -Tutf8", page(help));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out + result.err, "") << page(help);
  }
  const auto shown = run("GROFF_NO_SGR=1 groff -man -Tascii -P-bou", folder_ / "whorl-recon.1");
  EXPECT_THAT(shown.out, HasSubstr("whorl-recon - Reconstruct a scan"));
  EXPECT_THAT(shown.out, HasSubstr("whorl recon [OPTIONS] scan"));
  EXPECT_THAT(shown.out, HasSubstr("--iterations"));
  EXPECT_THAT(shown.out, HasSubstr("EXAMPLES\n       whorl recon scan.h5 -o image.nii.gz --png image.png\n"));
}

TEST_F(ManPages, MandocHasNothingToSay) {
  if (!installed("mandoc")) GTEST_SKIP() << "mandoc is not installed (Debian: mandoc)";
  for (const test::HelpOfCommand& help : test::all_help()) {
    // Its one finding is the date, which is left out so that the same source makes the same page.
    const auto result = run("mandoc -T lint -W warning", page(help));
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, HasSubstr("missing date")) << page(help);
  }
}

TEST_F(ManPages, AFolderThatIsNotThereIsAnError) {
  const auto result = test::run_process({WHORL_PROGRAM, "man", folder_ / "none"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("/none' (folder): there is no such folder; create it first"));
}

// Pages appear together: a few of them are longer.
TEST_F(ManPages, AFullDiskLeavesNoPage) {
  const test::TemporaryFolder folder;
  const auto result = test::run_process({WHORL_PROGRAM, "man", folder / "."}, {.file_bytes = 4000});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("whorl: error: cannot write"));
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Roff, NoLetterIsACommand) {
  EXPECT_EQ(cli::roff(".B it's \\n -x ~^`"), "\\&.B it\\(aqs \\(rsn \\-x \\(ti\\(ha\\(ga");
}

TEST(Roff, TheFootersParts) {
  const cli::RoffFooter footer = cli::roff_footer(R"(With k in cycles per pixel
and r in pixels:
  y = A x
Examples:
  whorl a b    explained at once
  whorl c
               explained
               below
The record lies beside it.)");
  EXPECT_EQ(footer.description,
            "With k in cycles per pixel and r in pixels:\n.nf\n  y = A x\n.fi\n.br\nThe record lies beside it.\n");
  EXPECT_EQ(footer.examples, ".TP\n.B whorl a b\nexplained at once\n.TP\n.B whorl c\nexplained below\n");
}

}  // namespace
}  // namespace whorl
