// Mistakes in the command line: what was meant, and the command to copy.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/app.hpp"
#include "cli/help/mistake.hpp"

namespace whorl {
namespace {

// `line` has words separated by blanks.
void expect_mistake(const std::string& line, const std::string& expected) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  cli::Program program(cli::commands());
  try {
    static_cast<void>(program.help_asked_for(words, 0));
    program.parse(words);
    ADD_FAILURE() << line;
  } catch (const CLI::ParseError& error) {
    const std::string said = cli::describe_mistake(program, error, words);
    EXPECT_NE(said.find(expected), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(Mistakes, AWrongCommandIsCorrected) {
  expect_mistake("recn scan.h5 -o a.nii", "did you mean recon: whorl recon scan.h5 -o a.nii)");
  expect_mistake("Recon", "did you mean recon");
  expect_mistake("traj radail", "did you mean radial: whorl traj radial)");
  expect_mistake("radial --matrix 8", "did you mean traj radial");
  expect_mistake("help recn", "did you mean recon");
  expect_mistake("--hlep", "did you mean --help: whorl --help)");
  expect_mistake("recon --help colis", "did you mean coils: whorl recon --help coils)");
}

TEST(Mistakes, AWrongOptionIsCorrectedWithItsValue) {
  expect_mistake("recon scan.h5 -o a.nii --lamda 1", "did you mean --lambda: whorl recon scan.h5 -o a.nii --lambda 1)");
  expect_mistake("recon scan.h5 -o a.nii --iteration=3", "whorl recon scan.h5 -o a.nii --iterations=3)");
  expect_mistake("recon scan.h5 -o a.nii --spokes_per_frame 3", "did you mean --spokes-per-frame: ");
  expect_mistake("recon scan.h5 --regularise tv:1 -o a.nii", "did you mean --regularize: ");
  expect_mistake("filter a.png b.png --blur 3", "did you mean --gaussian: whorl filter a.png b.png --gaussian 3)");
  expect_mistake("info a.h5 b.h5", "not expected: b.h5; see whorl info --help");
}

TEST(Mistakes, AWrongWordOfAnOptionIsCorrected) {
  expect_mistake("recon scan.h5 -o a.nii --regularize TV",
                 "did you mean tv: whorl recon scan.h5 -o a.nii --regularize tv)");
  expect_mistake("recon scan.h5 -o a.nii --regularize TV:0.5,unit=noise", "--regularize tv:0.5,unit=noise)");
  expect_mistake("recon scan.h5 -o a.nii --regularize tv=0.01",
                 "did you mean tv:0.01,unit=largest: whorl recon scan.h5 -o a.nii --regularize tv:0.01,unit=largest)");
  expect_mistake("recon scan.h5 -o a.nii --regularize tv=2,axes=xy", "did you mean tv:2,axes=xy: ");
  expect_mistake("recon scan.h5 -o a.nii --regularize tv:1,axis=xy",
                 "did you mean axes: whorl recon scan.h5 -o a.nii --regularize tv:1,axes=xy)");
  expect_mistake("recon scan.h5 -o a.nii --method NLINV",
                 "did you mean nlinv: whorl recon scan.h5 -o a.nii --method nlinv)");
  expect_mistake("filter a.png b.png blur", "did you mean gaussian: whorl filter a.png b.png gaussian)");
  expect_mistake("phantom brian -t t.h5 -o a.h5", "is 'brian', expected shepp-logan, brain");
  expect_mistake("phantom brian -t t.h5 -o a.h5", "did you mean brain: whorl phantom brain -t t.h5 -o a.h5)");
  expect_mistake("density a.h5 -o b.h5 --method piep-menon", "did you mean pipe-menon: ");
  expect_mistake("convert a.mat -o b.h5 --kind spirl", "did you mean spiral: ");
  expect_mistake("filter a.png b.png Gausian", "did you mean gaussian: ");
  expect_mistake("recon scan.h5 -o a.nii --regularize tv:mediun",
                 "did you mean medium: whorl recon scan.h5 -o a.nii --regularize tv:medium)");
  expect_mistake("recon scan.h5 -o a.nii --regularize wavelet:agto,taps=4", "did you mean auto: ");
  expect_mistake("recon scan.h5 -o a.nii --regularize tgb:weak", "regularizer 'tgb:weak': kind is 'tgb', expected tv");
  expect_mistake("recon scan.h5 -o a.nii --lambda gvc", "did you mean gcv: whorl recon scan.h5 -o a.nii --lambda gcv)");
  expect_mistake("recon scan.h5 a.nii", "did you mean --output=a.nii: whorl recon scan.h5 --output=a.nii)");
}

// The library names options as programs do; on the command line they are typed with dashes.
TEST(Mistakes, MessagesNameOptionsAsTheyAreTyped) {
  cli::Program program(cli::commands());
  program.parse({"convert", "a.mat", "-o", "a.h5", "--matrix", "8", "8"});
  const auto typed = [&](const std::string& message) { return cli::with_typed_options(program, message); };
  EXPECT_EQ(typed("say what the axes are by data-axes"), "say what the axes are by --data-axes");
  EXPECT_EQ(typed("name it by the option data, there are 2"), "name it by the option --data, there are 2");
  EXPECT_EQ(typed("by the options data-axes and trajectory-axes."),
            "by the options --data-axes and --trajectory-axes.");
  EXPECT_EQ(typed("state trajectory-unit; by data and matrix"), "state --trajectory-unit; by data and matrix");
  EXPECT_EQ(typed("as --trajectory-from"), "as --trajectory-from");
}

TEST(Mistakes, WhatIsMissingIsSaidWithTheWholeCommand) {
  expect_mistake("recon scan.h5", "for several scans: whorl recon scan.h5 --output image.nii.gz; see");
  expect_mistake("traj radial -o t.h5", "--matrix is required: whorl traj radial -o t.h5 --matrix 192; see");
  expect_mistake("phantom brain -o p.h5",
                 "requires --trajectory: whorl phantom brain -o p.h5 --trajectory spiral.h5; ");
  expect_mistake("info", "is required, such as: whorl info scan.h5; see");
}

}  // namespace
}  // namespace whorl
