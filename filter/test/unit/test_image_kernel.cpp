// Kernels as text, and what is refused of them.
#include "whorl/filter/windows/image_kernel.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/windows/custom.hpp"

namespace whorl {
namespace {

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string error_of_text(std::string_view text) {
  return error_of([&] { parse_kernel(text); });
}

TEST(ImageKernel, IsReadRowByRow) {
  const ImageKernel kernel = parse_kernel(" 1, -2.5 ,+3e2; 4,5,.5;\n7,8,9\n");
  EXPECT_EQ(kernel.width, 3);
  EXPECT_EQ(kernel.height, 3);
  EXPECT_EQ(kernel.values, (std::vector<double>{1, -2.5, 300, 4, 5, 0.5, 7, 8, 9}));
  EXPECT_EQ(parse_kernel("1,2,3").height, 1);
  EXPECT_EQ(parse_kernel("1;2;3;4;5").height, 5);
}

TEST(ImageKernel, NamesTheRowAndEntryAtFault) {
  EXPECT_EQ(error_of_text("1,2,3;4,x,6;7,8,9"),
            "kernel: row 2, entry 2 is 'x', expected a number of at most 1000000000 in magnitude");
  EXPECT_EQ(error_of_text("1,2,nan"),
            "kernel: row 1, entry 3 is 'nan', expected a number of at most 1000000000 in magnitude");
  EXPECT_EQ(error_of_text("1,,3"),
            "kernel: row 1, entry 2 is '', expected a number of at most 1000000000 in magnitude");
  EXPECT_EQ(error_of_text("1,2,3;4,5;7,8,9"), "kernel: row 2 has 2 entries, expected 3 as in row 1");
  EXPECT_EQ(error_of_text("1,2,3;;7,8,9"), "kernel: row 2 is empty");
  EXPECT_EQ(error_of_text("1,2;3,4"), "kernel: width 2, expected an odd number from 1 to 255");
  EXPECT_EQ(error_of_text("1;3"), "kernel: height 2, expected an odd number from 1 to 255");
  EXPECT_EQ(error_of_text(" ;\n"), "kernel: no numbers, expected rows like 'a,b,c;d,e,f;g,h,i'");
  std::string row = "1";
  for (int i = 0; i < 300; ++i) row += ",1";
  EXPECT_EQ(error_of_text(row), "kernel: more than 255 entries in a row");
}

TEST(ImageKernel, IsReadFromAFileThatIsNotTrusted) {
  const std::string folder = testing::TempDir();
  EXPECT_NE(error_of([&] { read_kernel(folder + "/no-such-kernel"); }).find("can not be read"), std::string::npos);
  EXPECT_NE(error_of([&] { read_kernel(folder); }).find("can not be read"), std::string::npos);
  const std::string path = folder + "/wrong-kernel.txt";
  std::ofstream(path) << "1,2,3\n4,five,6\n7,8,9\n";
  EXPECT_EQ(error_of([&] { read_kernel(path); }),
            path + ": kernel: row 2, entry 2 is 'five', expected a number of at most 1000000000 in magnitude");
  std::ofstream(path) << std::string(3'000'000, ' ');
  EXPECT_NE(error_of([&] { read_kernel(path); }).find("larger than"), std::string::npos);
}

TEST(ImageKernel, IsCheckedByCustom) {
  CustomOptions options;
  options.kernel = {3, 3, {1, 2, 3}};
  EXPECT_EQ(error_of([&] { make_custom(options); }), "custom: kernel: 3 values, expected 9 (3 rows of 3)");
  options.kernel = {};
  options.divisor = 0;
  EXPECT_EQ(error_of([&] { make_custom(options); }),
            "custom: divisor is 0, expected a number, -1000000000 to 1000000000, of at least 1e-9 in magnitude");
  options.divisor = 1;
  options.offset = 2e9;
  EXPECT_EQ(error_of([&] { make_custom(options); }),
            "custom: offset is 2000000000, expected a number, -1000000000 to 1000000000");
}

TEST(ImageKernel, IsNamedByCustomsText) {
  EXPECT_EQ(error_of([] { Pipeline::parse("custom"); }),
            "custom: kernel must be given (rows of numbers, 'a,b,c;d,e,f;g,h,i', of odd extents), or file");
  EXPECT_EQ(error_of([] { Pipeline::parse("custom 1 file=x"); }),
            "custom: kernel and file are given, expected one of them");
  EXPECT_EQ(error_of([] { Pipeline::parse("custom 1,2"); }),
            "custom: kernel: width 2, expected an odd number from 1 to 255");
}

}  // namespace
}  // namespace whorl
