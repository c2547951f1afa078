// What the papers say: each number or statement of theirs that a study or its page shows, and the line that it is from.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace whorl::studies {

struct Citation {
  std::string_view study;
  const char* text;        ///< as the study or its page shows it
  std::string_view paper;  ///< the text's file; empty: `words` says why there is no line
  std::string_view words;  ///< a piece of its line, which has every number of the text
  double unit = 1;         ///< of the line's numbers in the text's: 0.001 for milliseconds shown as seconds
};

namespace papers {
inline constexpr std::string_view chapter = "quantitative_mri_chapter.txt";
inline constexpr std::string_view slides = "fhd_slides.txt";
inline constexpr std::string_view report = "mri_q_report.txt";
inline constexpr std::string_view gridding = "gridding_on_gpus.txt";
inline constexpr std::string_view team = "image_filters_project.txt";
}  // namespace papers

inline constexpr double milli = 1e-3;
inline constexpr double percents = 1e-2;

/// Test test_cited.cpp finds each of them in its line, where the papers are there.
inline constexpr std::array citations{
    // Figure 7.20 by rows: Q in minutes and Gflop/s, F^H d in both, minutes of the solver and in all.
    Citation{"quantitative_mri", "0.39", papers::slides, "Gridding + FFT (CPU, DP)"},
    Citation{"quantitative_mri", "4009.0 0.3 518.0 0.4 1.59 519.59", papers::slides, "LS (CPU, DP)"},
    Citation{"quantitative_mri", "2678.7 0.5 342.3 0.7 1.61 343.91", papers::slides, "LS (CPU, SP)"},
    Citation{"quantitative_mri", "260.2 5.1 41.0 5.4 1.65 42.65", papers::slides, "LS (GPU, Na"},
    Citation{"quantitative_mri", "72.0 18.6 9.8 22.8 1.57 11.37", papers::slides, "LS (GPU, CMem)"},
    Citation{"quantitative_mri", "13.6 98.2 2.4 92.2 1.60 4.00", papers::slides, "LS (GPU, CMem, SFU)"},
    Citation{"quantitative_mri", "7.5 178.9 1.5 144.5 1.69 3.19", papers::slides, "LS (GPU, CMem, SFU, Exp)"},
    Citation{"quantitative_mri", "357, 228 and 108", papers::slides, "357X"},
    Citation{"quantitative_mri", "357 and 228", papers::slides, "357X"},
    // Figure 7.19. Its percent errors are in the picture alone: 20 log10(41.7 / 12.1) = 27.6 - 16.8 to the digits given.
    Citation{"quantitative_mri", "16.8", papers::chapter, "has an SNR of only"},
    Citation{"quantitative_mri", "27.6", papers::chapter, "implementation both achieve"},
    Citation{"quantitative_mri", "27.5", papers::chapter, "of SNR, from"},
    Citation{"quantitative_mri", "41.7", "", "figure 7.19, a picture"},
    Citation{"quantitative_mri", "12.1", "", "figure 7.19, a picture"},
    Citation{"quantitative_mri", "284,592 samples", papers::chapter, "scan of a phantom image"},
    Citation{"quantitative_mri", "60 iterations", papers::chapter, "GPU version of the linear solver"},
    Citation{"fhd", "518 min", papers::slides, "LS (CPU, DP)"},
    Citation{"fhd", "342.3 min", papers::slides, "LS (CPU, SP)"},
    Citation{"fhd", "41.0 min", papers::slides, "LS (GPU, Na"},
    Citation{"fhd", "9.8 min", papers::slides, "LS (GPU, CMem)"},
    Citation{"fhd", "2.4 min", papers::slides, "LS (GPU, CMem, SFU)"},
    Citation{"fhd", "1.5 min", papers::slides, "LS (GPU, CMem, SFU, Exp)"},
    Citation{"fhd", "about 20 %", papers::chapter, "by systematically searching"},
    Citation{"fhd", "published 20 %", papers::chapter, "by systematically searching"},
    Citation{"fhd", "284,592", papers::chapter, "scan of a phantom image"},
    Citation{"fhd", "14", papers::chapter, "memory access done by each iteration"},
    Citation{"fhd", "7", papers::chapter, "memory access done by each iteration"},
    Citation{"fhd", "2", papers::chapter, "the final number of memory accesses"},
    Citation{"fhd", "32 to 512", papers::chapter, "of number of threads per block"},
    Citation{"fhd", "32 to 4096", papers::chapter, "Some possible numbers"},
    Citation{"mri_q", "92 s less at 128^3", papers::report, "does speed up"},
    Citation{"mri_q", "nearly as shared memory", papers::report, "saving time is nearly the same"},
    Citation{"mri_q", "slower than global memory", papers::report, "even slow than directly"},
    Citation{"mri_q", "faster", papers::report, "really speeds up"},
    Citation{"mri_q", "35 s less than two at 128^3", papers::report, "shorter than solution 4"},
    Citation{"mri_q", "faster than from constant memory", papers::report, "same optimization on global memory"},
    Citation{"mri_q", "not tried", papers::report, "How about 8 times"},
    Citation{"gridding_2d", "+40 %", papers::gridding, "40%"},
    Citation{"gridding_2d", "+70 %", papers::gridding, "the baseline performance by"},
    Citation{"gridding_2d", "+20 %", papers::gridding, "20%"},
    Citation{"gridding_2d", "+310 %", papers::gridding, "310%"},
    Citation{"gridding_2d", "+35 % over one block", papers::gridding, "large performance increase of"},
    Citation{"gridding_2d", "114 x", papers::gridding, "implementation showed a"},
    Citation{"gridding_2d", "17.5 x", papers::gridding, "17.5X"},
    Citation{"gridding_2d", "3 x shared memory at random addresses, as fast at one", papers::gridding,
             "slower than shared memory when"},
    Citation{"gridding_2d", "256", papers::gridding, "for a convolution window size of 16"},
    Citation{"gridding_2d", "six times", papers::chapter, "six times longer than that of Cartesian"},
    Citation{"gridding_2d", "5000", papers::gridding, "used a pool of"},
    Citation{"gridding_2d", "512 x 512", papers::gridding, "uniformly distributed on"},
    Citation{"gridding_2d", "8 cells", papers::gridding, "with a window size of"},
    Citation{"gridding_2d", "10 entries per cell", papers::gridding, "oversampling"},
    Citation{"gridding_2d", "8192", papers::gridding, "NUM_SAMPLES 8192"},
    Citation{"gridding_2d", "32 x 32", papers::gridding, "that can fit in this area"},
    Citation{"gridding_2d", "48 x 48", papers::gridding, "sector which could accommodate"},
    Citation{"energy", "6.5", papers::gridding, "times slower than the 8800"},
    Citation{"energy", "16 multiprocessors", papers::gridding, "(SPs) grouped into"},
    Citation{"image_filters", "45.8 s", papers::team, "Gauss_filter::smooth_ord(Matrix"},
    Citation{"image_filters", "45.8 s, small", papers::team, "Gauss_filter::smooth_ord(Matrix"},
    Citation{"image_filters", "45.8 s on a CPU, profiled; 'dramatic'", papers::team, "Gauss_filter::smooth_ord(Matrix"},
    Citation{"image_filters", "0.458 s", papers::team, "458.44 unsharp", milli},
    Citation{"image_filters", "0.458 s on a CPU, profiled", papers::team, "458.44 unsharp", milli},
    Citation{"image_filters", "0.218 s", papers::team, "218.45 Use_kernel", milli},
    Citation{"image_filters", "0.218 s each on a CPU, profiled", papers::team, "218.45 Use_kernel", milli},
    Citation{"image_filters", "656,096 pixels", papers::team, "1.92 0.03 656096"},
    // Shares of the profile in percent: the profiler's own two functions, and the filter's without what it calls.
    Citation{"image_filters", "44.81 31.92 4.85", papers::team, "Gauss_filter::smooth_ord(Matrix"},
    Citation{"image_filters", "44.44 27.31 7.41", papers::team, "458.44 unsharp"},
    Citation{"image_filters", "53.61 28.21 4.39", papers::team, "218.45 Use_kernel"},
    Citation{"image_filters", "filters are convolved", papers::team, "regularly convolved to form"},
    Citation{"image_filters", "gains everywhere", papers::team, "improved performance everywhere"},
    Citation{"image_filters", "dramatic (Gaussian)", papers::team, "dramatic increase in Gaussian"},
    Citation{"image_filters", "among the greatest gains", papers::team, "greatest gains were made in"},
    Citation{"image_filters", "among the greatest", papers::team, "greatest gains were made in"},
    Citation{"image_filters", "four conflicts", papers::team, "cause a 4 way bank conflict"},
    Citation{"image_filters", "no conflict", papers::team, "bank conflicts are eliminated"},
    Citation{"image_filters", "not done", "", "the report has one pass alone"},
    Citation{"image_filters", "four paths to two", papers::team, "from four paths to two"},
    Citation{"image_filters", "minimal", papers::team, "minimal gains in grey world"},
    Citation{"image_filters", "none", papers::team, "no gains in resize"},
    Citation{"image_filters", "2.5 x slower", papers::team, "performance decrease", percents},
    Citation{"image_filters", "none; shared memory 2.5 x slower", papers::team, "performance decrease", percents},
    Citation{"image_filters", "a gain", papers::team, "Constant memory use improved"},
    Citation{"image_filters", "no option", papers::team, "shared memory was not an option"},
    Citation{"image_filters", "not tried", "", "the report says nothing of it"},
    Citation{"heat", "0.913", papers::team, "S1920 ="}, Citation{"heat", "0.913 x at best", papers::team, "S1920 ="},
    Citation{"heat", "0.087", papers::team, "S1920 ="}, Citation{"heat", "1920", papers::team, "S1920 ="},
    Citation{"heat", "15", papers::team, "Explicit from -15 to +15"},
    Citation{"heat", "1496502", papers::team, "heatFunction(double, double)"},
    Citation{"heat", "0.23 s", papers::team, "Heat::solveEquation"},
    Citation{"heat", "26 %", papers::team, "Heat::solveEquation"},
    Citation{"heat", "8.7 %", papers::team, "of the time is spent"},
    // The profile: reads of vectors, the steps, the plot; then the profiler's own two functions.
    Citation{"heat", "8.70 4.35 26.09", papers::team, "Heat::solveEquation"},
    Citation{"heat", "34.78 26.09", papers::team, "Heat::solveEquation"},
    Citation{"sha1_search", "387659012", papers::team, "SHA1::ProcessMessageBlock()"},
    Citation{"sha1_search", "387,659,012 strings", papers::team, "SHA1::ProcessMessageBlock()"},
    Citation{"sha1_search", "132 s", papers::team, "The total runtime for this test"},
    Citation{"sha1_search", "131.94", papers::team, "SHA1::ProcessMessageBlock()"},
    // Shares of the profile, by functions that are called once a string or a letter.
    Citation{"sha1_search", "83.38 8.77 4.01 1.48 1.19 0.73 0.36", papers::team, "SHA1::ProcessMessageBlock()"},
    Citation{"sha1_search", "83.38 %", papers::team, "SHA1::ProcessMessageBlock()"},
    Citation{"sha1_search", "5.94 times from 384", papers::team, "S384 ="},
    Citation{"sha1_search", "5.9393", papers::team, "S384 ="},
    Citation{"sha1_search", "6.00 from 2304", papers::team, "S2304 ="},
    Citation{"sha1_search", "6.004", papers::team, "S2304 ="},
    Citation{"sha1_search", "at most 6.0 x one thread", papers::team, "S2304 ="}};

/// What a paper says, which only the list above can say.
class Cited {
 public:
  /// Nothing.
  constexpr Cited() = default;
  /// Does not compile where the list has no such text for the study.
  consteval Cited(std::string_view study, std::string_view text) : text_(find(study, text).text) {}

  constexpr bool empty() const { return *text_ == '\0'; }
  constexpr const char* text() const { return text_; }

 private:
  static consteval const Citation& find(std::string_view study, std::string_view text) {
    for (const Citation& one : citations) {
      if (one.study == study && one.text == text) return one;
    }
    throw std::invalid_argument("no such citation");
  }

  const char* text_ = "";
};

/// The numbers of a text: "4009.0 0.3" gives both. Does not compile where the list has no such text, or other counts.
template <std::size_t Count>
consteval std::array<double, Count> cited_numbers(std::string_view study, std::string_view text) {
  const std::string_view rest = Cited(study, text).text();
  std::array<double, Count> numbers{};
  std::size_t at = 0;
  for (double& number : numbers) {
    double power = 0;
    double digits = 0;
    for (; at < rest.size() && rest[at] != ' '; ++at) {
      if (rest[at] == '.') {
        power = 1;
      } else if (rest[at] >= '0' && rest[at] <= '9') {
        digits = 10 * digits + (rest[at] - '0');
        power *= 10;
      } else {
        throw std::invalid_argument("no number");
      }
    }
    number = power > 1 ? digits / power : digits;
    ++at;
  }
  if (at < rest.size()) throw std::invalid_argument("more numbers");
  return numbers;
}

/// A text that is one number.
consteval double cited_number(std::string_view study, std::string_view text) {
  return cited_numbers<1>(study, text)[0];
}

}  // namespace whorl::studies
