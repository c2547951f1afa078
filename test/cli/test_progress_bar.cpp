#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "cli/output/progress_bar.hpp"

namespace whorl::cli {
namespace {

// A progress bar whose clock stands still until it is moved.
struct Bench {
  explicit Bench(bool terminal, bool verbose = false, int width = 80)
      : bar(out, {terminal, verbose, width, [this] { return now; }}) {}
  std::string take() {
    std::string text = out.str();
    out.str({});
    return text;
  }
  double now = 100;
  std::ostringstream out;
  ProgressBar bar;
};

TEST(ProgressBar, ALogGetsALineEveryTenSecondsAndAtTheEnd) {
  Bench bench(false);
  bench.bar.begin("reading", 10);
  EXPECT_EQ(bench.take(), "");
  bench.now += 9;
  bench.bar.update(4, "");
  EXPECT_EQ(bench.take(), "");
  bench.now += 1;
  bench.bar.update(5, "slice 3");
  // 5 of 10 steps in 10 s: 0.5 a second, and as long again.
  EXPECT_EQ(bench.take(), "reading:  50 %, 0.5/s, 0:10 left, slice 3\n");
  bench.now += 5;
  bench.bar.update(7, "");
  EXPECT_EQ(bench.take(), "");
  bench.bar.end();
  EXPECT_EQ(bench.take(), "reading: done in 15.0 s\n");
}

TEST(ProgressBar, InnerStagesAreForTheVerbose) {
  for (const bool verbose : {false, true}) {
    Bench bench(false, verbose);
    bench.bar.begin("frames", 2);
    bench.bar.begin("solving", 5);
    bench.bar.end();
    bench.now += 72;
    bench.bar.end();
    EXPECT_EQ(bench.take(), verbose ? "frames ...\n  solving ...\n  solving: done in 0.0 s\nframes: done in 1:12\n"
                                    : "frames: done in 1:12\n");
  }
}

TEST(ProgressBar, AShortStageLeavesNoLine) {
  for (const bool terminal : {false, true}) {
    Bench bench(terminal);
    bench.bar.begin("read", 1);
    bench.now += 0.9;
    bench.take();
    bench.bar.end();
    EXPECT_EQ(bench.take(), terminal ? "\r\x1b[K" : "");
  }
}

// One bar with the time that is left, whatever goes on within a step.
TEST(ProgressBar, ALoopShowsItsCountAndTheTimeLeft) {
  Bench bench(true, false, 100);
  bench.bar.begin("reconstruction", 1);
  bench.bar.begin("choice of weights", 4);
  bench.bar.begin("weight 0.1", 500);
  bench.now += 30;
  bench.bar.update(20, "residual 0.1");
  bench.bar.end();
  bench.bar.update(1, "");
  bench.take();
  bench.bar.begin("weight 0.01", 500);
  bench.now += 30;
  bench.bar.update(40, "residual 0.2");
  // One of four weights is done after 60 s: three more take 180 s.
  EXPECT_EQ(bench.take(),
            "\r\x1b[Kchoice of weights  [======                  ] 2 of 4, 3:00 left; weight 0.01 8 %, residual 0.2");
}

TEST(ProgressBar, AnUnknownNumberOfStepsIsCounted) {
  Bench bench(false);
  bench.bar.begin("reading", 0);
  bench.take();
  bench.now += 20;
  bench.bar.update(30, "");
  EXPECT_EQ(bench.take(), "reading: 30 done, 1.5/s\n");
}

TEST(ProgressBar, ATerminalGetsABarTenTimesASecond) {
  Bench bench(true);
  bench.bar.begin("reading", 4);
  EXPECT_EQ(bench.take(), "\r\x1b[Kreading  [                        ]   0 %");
  bench.now += 0.09;
  bench.bar.update(1, "");
  EXPECT_EQ(bench.take(), "");
  bench.now += 59.91;
  bench.bar.update(3, "");
  EXPECT_EQ(bench.take(), "\r\x1b[Kreading  [==================      ]  75 %, 0.05/s, 0:20 left");
  bench.bar.end();
  EXPECT_EQ(bench.take(), "\r\x1b[Kreading: done in 1:00\n");
}

TEST(ProgressBar, InnerStagesOnATerminalAreDrawnAndVanish) {
  Bench bench(true);
  bench.bar.begin("frames", 1);
  bench.now += 1;
  bench.bar.begin("solving", 0);
  bench.take();
  bench.now += 1;
  bench.bar.update(2, "residual 0.1");
  EXPECT_EQ(bench.take(), "\r\x1b[Ksolving  2 done, 2/s, residual 0.1");
  bench.bar.end();
  EXPECT_EQ(bench.take(), "\r\x1b[K");
}

TEST(ProgressBar, ALineDoesNotWrap) {
  Bench bench(true, false, 20);
  bench.bar.begin("a stage with a long name", 4);
  EXPECT_EQ(bench.take(), "\r\x1b[Ka stage with a long");
}

TEST(ProgressBar, AStageThatIsGivenUpIsNotCalledDone) {
  for (const bool terminal : {false, true}) {
    Bench bench(terminal);
    try {
      struct Stage {
        explicit Stage(ProgressBar& owner) : bar(owner) { bar.begin("solving", 3); }
        Stage(const Stage&) = delete;
        Stage& operator=(const Stage&) = delete;
        ~Stage() { bar.end(); }
        ProgressBar& bar;
      };
      const Stage stage(bench.bar);
      bench.take();
      throw std::runtime_error("no");
    } catch (const std::runtime_error&) {
      EXPECT_EQ(bench.take(), terminal ? "\r\x1b[K" : "");
    }
  }
}

TEST(ProgressBar, CallsWithoutAStageAreHarmless) {
  Bench bench(true);
  bench.bar.update(1, "");
  bench.bar.end();
  EXPECT_EQ(bench.take(), "");
}

TEST(FormatDuration, HoursMinutesSeconds) {
  EXPECT_EQ(format_duration(6.6), "0:07");
  EXPECT_EQ(format_duration(754), "12:34");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(-1), "0:00");
}

}  // namespace
}  // namespace whorl::cli
