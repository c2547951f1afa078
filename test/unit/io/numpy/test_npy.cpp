#include <gtest/gtest.h>

#include <complex>
#include <numeric>

#include "io/bytes/printable.hpp"
#include "io/numpy/npy_header.hpp"
#include "support/file_content.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using test::write_file;

template <class T>
class NpyOf : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(NpyOf, Types);

TYPED_TEST(NpyOf, RoundTripOfEveryRank) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3, 4}, Shape{3, 0, 2}}) {
    Array<TypeParam> array(ctx, shape);
    TypeParam next(-2);
    for (TypeParam& element : array.span()) element = next += TypeParam(1);
    write_npy<TypeParam>(ctx, folder / "a.npy", array);
    const auto back = read_npy<TypeParam>(ctx, folder / "a.npy");
    EXPECT_EQ(back.shape(), shape);
    EXPECT_TRUE(std::equal(back.span().begin(), back.span().end(), array.span().begin(), array.span().end()));
  }
}

TEST(Npy, TheBytesAreThoseOfNumPy) {
  const Context ctx;
  const TemporaryFolder folder;
  Array<float> array(ctx, {2, 3});
  std::iota(array.span().begin(), array.span().end(), 0.0F);
  write_npy<float>(ctx, folder / "a.npy", array);
  // NEP 1, by hand: the header of 128 bytes is \x93NUMPY, 1.0, the length 118 and a text that blanks fill.
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  expected += '\n';
  const std::string bytes = test::read_file(folder / "a.npy");
  EXPECT_EQ(bytes.substr(0, 128), expected);
  EXPECT_EQ(bytes.size(), 128 + 6 * sizeof(float));
  EXPECT_EQ(bytes.substr(128 + 12, 4), std::string("\0\0\x40\x40", 4));  // 3.0F
}

TEST(Npy, HeadersOfOtherWritersAreRead) {
  const auto header =
      io::parse_npy_header("{\"shape\":(3,),\"descr\":\"<c8\",\n 'fortran_order' :True}  \n", "other.npy");
  EXPECT_EQ(header.shape, Shape{3});
  EXPECT_EQ(header.type, "<c8");
  EXPECT_TRUE(header.fortran_order);
}

TEST(Npy, BrokenHeadersAreRefused) {
  for (const std::string text :
       {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}",
        "{'descr': [('a', '<f4'), 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'color': '<f4', 'fortran_order': False, 'shape': ()}", "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        // What is quoted of a file must neither break the line nor reach the terminal as it is.
        "{'descr': '<f4', 'fortran_order': False, 'shape': \n2,)}", "{'descr': '<f4', 'fortran_order': \n\x1b[2J",
        "{'\x1b[2J\n': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (\x07)}"}) {
    const std::string message = error_of<IoError>([&] { io::parse_npy_header(text, "broken.npy"); });
    EXPECT_NE(message.find("broken.npy"), std::string::npos) << text;
    EXPECT_TRUE(io::is_printable(message)) << message;
  }
}

TEST(Npy, NoMoreAxesThanNumPyHas) {
  const auto header_of = [](int axes) {
    std::string shape;
    for (int i = 0; i < axes; ++i) shape += "1,";
    return "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + ")}";
  };
  EXPECT_EQ(io::parse_npy_header(header_of(64), "a.npy").shape.rank(), 64);
  const std::string message = error_of<IoError>([&] { io::parse_npy_header(header_of(65), "a.npy"); });
  EXPECT_NE(message.find("more than 64 axes"), std::string::npos) << message;
}

TEST(Printable, ControlCharactersAndLength) {
  EXPECT_EQ(io::printable("d\xc3\xa9j\xc3\xa0 vu"), "d\xc3\xa9j\xc3\xa0 vu");
  EXPECT_EQ(io::printable(std::string_view("a\n\0\x7f", 4)), "a\\x0a\\x00\\x7f");
  EXPECT_EQ(io::printable("abcdef", 6), "abcdef");
  EXPECT_EQ(io::printable("abcdefg", 6), "abcdef...");
  EXPECT_TRUE(io::is_printable("a b~"));
  EXPECT_FALSE(io::is_printable("a\tb"));
}

std::string file_of(const std::string& dictionary, std::size_t data_bytes, char major = 1) {
  std::string bytes = std::string("\x93NUMPY") + major + '\0' + static_cast<char>(dictionary.size()) + '\0';
  if (major == 2) bytes += std::string(2, '\0');
  return bytes + dictionary + std::string(data_bytes, '\0');
}

TEST(Npy, FilesThatAreNotWhatTheySayAreRefused) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    write_file(folder / "a.npy", bytes);
    return error_of<IoError>([&] { read_npy<float>(ctx, folder / "a.npy"); });
  };
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  write_file(folder / "a.npy", file_of(good, 24, 2));
  EXPECT_EQ(read_npy<float>(ctx, folder / "a.npy").shape(), (Shape{2, 3}));  // version 2 is read

  EXPECT_NE(refusal("").find("ends early"), std::string::npos);
  EXPECT_NE(refusal("GIF89a  ").find("not a .npy"), std::string::npos);
  EXPECT_NE(refusal(file_of(good, 24, 4)).find("version"), std::string::npos);
  EXPECT_NE(refusal(file_of(good, 0).substr(0, 40)).find("header is said to have"), std::string::npos);
  EXPECT_NE(refusal(file_of(good, 23)).find("ends early"), std::string::npos);
  EXPECT_NE(refusal(file_of(good, 25)).find("longer than its array"), std::string::npos);
  // 2^55 elements: refused by the file's size, before any memory is taken.
  EXPECT_NE(refusal(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (36028797018963968,)}", 24))
                .find("more than the file can hold"),
            std::string::npos);
  EXPECT_NE(refusal(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48)).find("astype"),
            std::string::npos);
  EXPECT_NE(refusal(file_of("{'descr': '<U4', 'fortran_order': False, 'shape': (2, 3), }", 96)).find("type '<U4'"),
            std::string::npos);
  // No byte order, and a boolean of 8 bytes.
  for (const std::string type : {"\033f4", "xf4", "|b8"}) {
    const std::string message =
        refusal(file_of("{'descr': '" + type + "', 'fortran_order': False, 'shape': (2, 3), }", 48));
    EXPECT_NE(message.find("elements of type"), std::string::npos) << message;
    EXPECT_TRUE(io::is_printable(message)) << message;
  }
  EXPECT_NE(error_of<IoError>([&] { read_npy<float>(ctx, folder.path()); }).find("folder"), std::string::npos);
  EXPECT_NE(error_of<IoError>([&] { read_npy<float>(ctx, folder / "b.npy"); }).find("No such file"), std::string::npos);
}

TEST(Npy, RecordsOfFieldsAreNamed) {
  const Context ctx;
  const TemporaryFolder folder;
  const std::string type = "[('a]', '<f4'), ('b', [('c', '<i2', (2,))])]";
  EXPECT_EQ(io::parse_npy_header("{'descr': " + type + ", 'fortran_order': False, 'shape': (2,)}", "a.npy").type, type);
  write_file(folder / "a.npy", file_of("{'descr': " + type + ", 'fortran_order': False, 'shape': (2,)}", 16));
  const std::string message = error_of<IoError>([&] { read_npy<float>(ctx, folder / "a.npy"); });
  EXPECT_NE(message.find("records of several fields"), std::string::npos) << message;
  EXPECT_EQ(message.find("not a valid"), std::string::npos) << message;
}

TEST(Npy, TooManyAxesAFullDiskAndAStopLeaveNothing) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto many = zeros<float>(ctx, Shape(std::vector<Index>(25000, 1)));
  EXPECT_THROW(write_npy<float>(ctx, folder / "a.npy", many), ShapeError);
  const auto array = zeros<double>(ctx, {100, 100});
  {
    const test::FileSizeLimit limit(4096);
    EXPECT_THROW(write_npy<double>(ctx, folder / "a.npy", array), IoError);
  }
  ctx.request_cancel();
  EXPECT_THROW(write_npy<double>(ctx, folder / "a.npy", array), Cancelled);
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace whorl
