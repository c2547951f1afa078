// Ten and more wrong files of every format: one clear line that names the file, exit code 1, and nothing written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "cli/files/wrong_files.hpp"
#include "io/numpy/npz.hpp"
#include "io/scans/scan_arrays.hpp"
#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using test::bytes_of;
using test::nan_value;
using test::read_file;
using test::with;
using test::with_text;
using test::write_file;
using test::WrongFiles;
using Complex = std::complex<float>;

std::string npy(const std::string& dictionary, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes.append(dictionary).append(data);
}

std::string npy_of(const std::string& type, const std::string& shape, const std::string& data) {
  return npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}", data);
}

TEST_F(WrongFiles, NumPyArray) {
  const std::string good = npy_of("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  refuse("a.npy", "", "empty");
  refuse("a.npy", good.substr(0, 9), "ends early");
  refuse("a.npy", good.substr(0, 30), "header is said to have");
  refuse("a.npy", good.substr(0, good.size() - 1), "ends early");
  refuse("a.npy", good + "x", "longer than its array");
  refuse("a.npy", with<char>(good, 6, 9), "version");
  refuse("a.npy", npy_of("<U7", "(2,)", "abc"), "type '<U7'");
  refuse("a.npy", npy_of("|O", "(2,)", "abc"), "type '|O'");
  refuse("a.npy", npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", "12345678"),
         "records of several fields");
  refuse("a.npy", npy_of("<i8", "(1,)", bytes_of<std::int64_t>({9007199254740993})), "loses digits");
  refuse("a.npy", npy_of("<f4", "(1000000000, 1000000)", "abcd"), "more than the file can hold");
  refuse("a.npy", npy_of("<f4", "(4611686018427387904, 8)", "abcd"), "not a valid .npy");
  refuse("a.npy", npy_of("<f4", "(-2,)", "abcd"), "expected an extent");
  refuse("a.npy", npy("{'shape': (2,)", "abcd"), "not a valid .npy");
  refuse("a.npy", npy("{'shape': \n\x1b[2J(2,)", "abcd"), "\\x1b");
  refuse("a.npy", npy_of("<f4", "(2,)", bytes_of<float>({1, nan_value})), "not finite");
}

TEST_F(WrongFiles, NumPyArchive) {
  // What numpy.savez writes of nothing: the end of an archive.
  refuse("a.npz", std::string("PK\x05\x06", 4) + std::string(18, '\0'), "empty archive");
  const Scan scan = test::make_small_scan(ctx_);
  const io::ScanArrays parts = io::scan_to_arrays(ctx_, scan);
  const auto archive = [&](const std::string& header, const char* without = "", const NamedArray* other = nullptr) {
    std::vector<NamedArray> arrays;
    io::ScanArrays made = io::scan_to_arrays(ctx_, scan);
    for (NamedArray& array : made.arrays) {
      if (array.name != without) arrays.push_back(std::move(array));
    }
    if (other != nullptr) {
      auto values = converted<std::complex<double>>(ctx_, other->values, "other");
      if (!is_complex(other->values)) values.data()[0] = {0, 1};
      arrays.push_back({other->name, std::move(values)});
    }
    io::write_npz(ctx_, folder_ / "a.npz", arrays, header);
  };
  archive(parts.header);
  const std::string good = read_file(folder_ / "a.npz");
  refuse("a.npz", good.substr(0, good.size() / 2), "truncated");
  refuse("a.npz", good.substr(0, good.size() - 3), "truncated");
  refuse("a.npz", with_text(good, "\x93NUMPY", "\x93NUMPX"), "not a .npy");
  refuse("a.npz", with_text(good, "'<c8'", "'<c9'"), "type '<c9'");
  refuse("a.npz", with_text(with_text(good, "noise.npy", "noise\nnpy"), "noise.npy", "noise\nnpy"), "noise\\x0anpy");
  archive("{}");
  expect_refusal("a.npz", "scan header");
  constexpr std::size_t deep = 200000;
  archive("{\"whorl_scan\":" + std::string(deep, '[') + std::string(deep, ']') + "}");
  expect_refusal("a.npz", "more than 32 levels");
  archive(with_text(parts.header, "\"whorl_scan\":1", "\"whorl_scan\":7"));
  expect_refusal("a.npz", "version 7");
  archive(with_text(parts.header, "\"readout_lengths\":[12]", "\"readout_lengths\":[12,12,12,12,12,12,12,12]"));
  expect_refusal("a.npz", "contradict");
  archive(with_text(parts.header, "\"matrix\":[20,", "\"matrix\":[99999999999,"));
  expect_refusal("a.npz", "contradict");
  // Modulo 2^32 these would be counters of 1.
  archive(with_text(parts.header, "\"slice\":", "\"slice\":4294967297,\"slice_was\":"));
  expect_refusal("a.npz", "4294967297 is no whole number");
  archive(with_text(parts.header, "\"coils\":3", "\"coils\":3.5"));
  expect_refusal("a.npz", "3.5 is no whole number");
  archive(with_text(parts.header, "\"readout_lengths\":[12]", "\"readout_lengths\":[7]"));
  expect_refusal("a.npz", "whole number of readouts");
  archive(parts.header, "trajectory");
  expect_refusal("a.npz", "no array trajectory");
  NamedArray other{"trajectory", zeros<double>(ctx_, {60, 2})};
  archive(parts.header, "trajectory", &other);
  expect_refusal("a.npz", "expected real values");
  other = {"data", zeros<Complex>(ctx_, {6, 3, 59})};
  archive(parts.header, "data", &other);
  expect_refusal("a.npz", "data of shape");
  NamedArray large{"noise", zeros<std::complex<double>>(ctx_, {3, 4})};
  std::get<3>(large.values).data()[5] = 1e300;
  archive(parts.header, "noise", &large);
  expect_refusal("a.npz", "noise: its largest number is 1e+300");
  other = {"noise", zeros<Complex>(ctx_, {3, 4})};
  std::get<2>(other.values).data()[5] = {0, nan_value};
  archive(parts.header, "noise", &other);
  expect_refusal("a.npz", "not finite");
}

/// A pair of BART's.
std::string hdr(const std::string& dimensions) {
  std::string text = "# Dimensions\n";
  return text.append(dimensions).append("\n");
}

TEST_F(WrongFiles, BartArray) {
  const auto pair = [&](const std::string& header, const std::string& data, const std::string& reason) {
    write_file(folder_ / "a.cfl", data);
    refuse("a.hdr", header, reason);
  };
  const std::string data = bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8});
  pair("", data, "no section '# Dimensions'");
  pair("# Dimensions\n", data, "expected 1 to 16 dimensions");
  pair(hdr("2 two"), data, "expected dimensions");
  pair(hdr("2 0 2"), data, "expected dimensions");
  pair(hdr("2 -2"), data, "expected dimensions");
  pair(hdr("2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"), data, "got 17");
  pair(hdr("4294967296 4294967296 4294967296"), data, "expected dimensions");
  pair(hdr("2 1000000000000"), data, "truncated");
  pair(hdr("2 2"), data.substr(0, 31), "truncated");
  pair(hdr("2 1"), data, "another header");
  pair(hdr("2 2"), bytes_of<float>({1, 2, 3, nan_value, 5, 6, 7, 8}), "not finite");
  pair(hdr("2 2") + "# Whorl\n{\"whorl_scan\": 1}\n", data, "scan header");
  std::filesystem::remove(folder_ / "a.cfl");
  refuse("a.hdr", hdr("2 2"), "of no format");
}

TEST_F(WrongFiles, NiftiImage) {
  const NamedArray image{"image", zeros<float>(ctx_, {2, 3, 4}), Affine()};
  write_array(ctx_, folder_ / "a.nii", image);
  const std::string good = read_file(folder_ / "a.nii");
  refuse("a.nii", good.substr(0, good.size() - 1), "truncated");
  refuse("a.nii", good.substr(0, 350), "truncated");
  refuse("a.nii", with<std::int16_t>(good, 40, 9), "1 to 7 dimensions");
  refuse("a.nii", with<std::int16_t>(good, 42, -4), "dimension 1 is -4");
  refuse("a.nii", with<std::int16_t>(good, 44, 0), "dimension 2 is 0");
  refuse("a.nii", with<std::int16_t>(with<std::int16_t>(good, 44, 32767), 46, 32767), "more than the file can hold");
  refuse("a.nii", with<std::int16_t>(good, 70, 128), "data type 128");
  refuse("a.nii", with<float>(good, 108, 1e14F), "more than the file has");
  refuse("a.nii", with<float>(good, 108, -5.0F), "its data begins");
  refuse("a.nii", with<float>(good, 280, nan_value), "orientation");
  refuse("a.nii", with<char>(good, 345, 'i'), "pair (.hdr and .img)");
  refuse("a.nii", with<float>(good, 360, nan_value), "not finite");
  write_array(ctx_, folder_ / "a.nii.gz", image);
  const std::string packed = read_file(folder_ / "a.nii.gz");
  refuse("a.nii.gz", packed.substr(0, packed.size() - 12), "");
  refuse("a.nii.gz", with<std::uint32_t>(packed, packed.size() - 8, 0), "damaged");  // the checksum
}

/// A variable of a MATLAB file, version 5: flags, dimensions, name, real part (and imaginary part) in elements of a
/// type, a length and data that is filled up to 8 bytes.
std::string mat_variable(const std::string& name, const std::vector<std::int32_t>& dimensions,
                         const std::vector<double>& real, const std::vector<double>& imaginary = {},
                         std::uint32_t kind = 6) {
  const auto element = [](std::uint32_t type, std::string data) {
    const std::string made = bytes_of<std::uint32_t>({type, static_cast<std::uint32_t>(data.size())});
    data.resize((data.size() + 7) / 8 * 8);
    return made + data;
  };
  std::string body = element(6, bytes_of<std::uint32_t>({kind | (imaginary.empty() ? 0U : 1U << 11U), 0}));
  body += element(5, bytes_of(dimensions)) + element(1, name) + element(9, bytes_of(real));
  if (!imaginary.empty()) body += element(9, bytes_of(imaginary));
  return bytes_of<std::uint32_t>({14, static_cast<std::uint32_t>(body.size())}) + body;
}

std::string mat_file(const std::string& variables) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4) + variables;
}

TEST_F(WrongFiles, MatlabFile) {
  const std::vector<std::string> scan{"--matrix", "8", "8", "--trajectory-unit", "cycles/pixel"};
  const std::vector<double> four{0.1, 0.2, 0.3, 0.4};
  const std::string data = mat_variable("d", {4, 1}, four, four);
  const std::string good = mat_file(data + mat_variable("k", {4, 1}, four, four));
  refuse("a.mat", good.substr(0, good.size() - 5), "truncated", scan);
  refuse("a.mat", good.substr(0, 100), "not a MATLAB file", scan);
  refuse("a.mat", mat_file(""), "no numeric variable", scan);
  refuse("a.mat", std::string(300, 'x'), "not a MATLAB file", scan);
  refuse("a.mat", mat_file(data), "no trajectory for the data", scan);
  refuse("a.mat", mat_file(data + mat_variable("k", {3, 1}, {1, 2, 3}, {1, 2, 3})), "do not have the same readouts",
         scan);
  refuse("a.mat", mat_file(data + mat_variable("k", {4, 1}, four)), "may be x, y(, z)", scan);
  refuse("a.mat", mat_file(data + mat_variable("k", {4, 1}, {0.1, 0.2, 0.3, 0.9}, four)), "expected |k| <= 0.5", scan);
  refuse("a.mat", mat_file(data + mat_variable("k", {4, 1}, {0.1, nan_value, 0.3, 0.4}, four)), "not finite", scan);
  refuse("a.mat", mat_file(data + mat_variable("k", {2000000000, 2000000000}, four)), "", scan);
  refuse("a.mat", mat_file(mat_variable("k", {-4, 1}, four)), "", scan);
}

TEST_F(WrongFiles, ReproducibilityChallenge) {
  const std::vector<std::string> scan{"--matrix", "16", "16"};
  const auto make = [&](const Shape& raw, const Shape& trajectory, double k, float sample, bool complex) {
    std::vector<NamedArray> arrays;
    if (complex) {
      arrays.push_back({"rawdata", zeros<Complex>(ctx_, raw)});
      std::get<2>(arrays[0].values).data()[0] = sample;
    } else {
      arrays.push_back({"data", zeros<float>(ctx_, raw)});
    }
    arrays.push_back({"trajectory", zeros<double>(ctx_, trajectory)});
    std::get<1>(arrays[1].values).data()[0] = k;
    write_arrays(ctx_, folder_ / "a.h5", arrays);
  };
  const auto file = [&](const Shape& raw, const Shape& trajectory, const std::string& reason,
                        const std::vector<std::string>& more, double k = 1, bool complex = true) {
    make(raw, trajectory, k, 1, complex);
    expect_refusal("a.h5", reason, more);
  };
  file({1, 5, 4, 2}, {3, 5, 4}, "does not say the image's matrix", {});
  file({1, 5, 4}, {3, 5, 4}, "rawdata of shape", scan);
  file({2, 5, 4, 2}, {3, 5, 4}, "rawdata of shape", scan);
  file({1, 5, 6, 2}, {3, 5, 4}, "rawdata of shape", scan);
  file({1, 5, 4, 2}, {2, 5, 4}, "expected [3, readout, shot]", scan);
  file({1, 5, 4, 2}, {3, 20}, "expected [3, readout, shot]", scan);
  file({1, 5, 4, 2}, {3, 5, 4}, "expected |k| <= 0.5", scan, 9);
  // Nothing that whorl writes is NaN: other numbers are replaced.
  make({1, 5, 4, 2}, {3, 5, 4}, 0.4375, 0.6875, true);
  test::replace_number<double>(folder_ / "a.h5", 0.4375, static_cast<double>(nan_value));
  expect_refusal("a.h5", "not finite", scan);
  make({1, 5, 4, 2}, {3, 5, 4}, 0.4375, 0.6875, true);
  test::replace_number<float>(folder_ / "a.h5", 0.6875F, nan_value);
  expect_refusal("a.h5", "not finite", scan);
  // No rawdata: arrays of any program.
  file({1, 5, 4, 3}, {3, 5, 4}, "are real", scan, 1, false);
  Scan made = test::make_small_scan(ctx_);
  made.frames.resize(1);
  write_scan(ctx_, made, folder_ / "a.h5", "challenge");
  const std::string good = read_file(folder_ / "a.h5");
  refuse("a.h5", good.substr(0, good.size() / 2), "truncated");
  refuse("a.h5", with_text(good, "\"whorl_scan\":1", "\"whorl_scan\":2"), "version 2");
  refuse("a.h5", with_text(good, "\"coils\":3", "\"coils\":4"), "");
}

TEST_F(WrongFiles, IsmrmrdFile) {
  write_scan(ctx_, test::make_small_scan(ctx_), folder_ / "a.h5");
  const std::string good = read_file(folder_ / "a.h5");
  refuse("a.h5", good.substr(0, 8), "");
  refuse("a.h5", good.substr(0, 1000), "");
  refuse("a.h5", good.substr(0, good.size() / 2), "truncated");
  refuse("a.h5", good.substr(0, good.size() - 1), "truncated");
  refuse("a.h5", with_text(good, "<x>20</x>", "<x>-2</x>"), "");
  refuse("a.h5", with_text(good, "<encoding>", "<encodinx>"), "");
  refuse("a.h5", with_text(good, "<x>20</x>", "<x>00</x>"), "");
  refuse("a.h5", good, "encoding", {"--encoding", "7"});
  refuse("a.h5", good, "the file has 2", {"--trajectory-columns", "xyzw"});
  refuse("a.h5", good.substr(0, 40) + std::string(200, '\xff') + good.substr(240), "");
  refuse("a.h5", good, "group", {"--group", "dataset/data"});
}

TEST_F(WrongFiles, MriQ) {
  const std::vector<float> numbers(5 * 2 + 3 * 3, 0.5F);
  const std::string input = bytes_of<std::int32_t>({2, 3}) + bytes_of(numbers);
  const std::string output = bytes_of<std::int32_t>({2}) + bytes_of<float>({1, 2, 3, 4});
  const std::string unknown = "of no format that whorl reads";
  refuse("a.bin", input.substr(0, input.size() - 4), unknown);
  refuse("a.bin", input + "1234", unknown);
  refuse("a.bin", with<std::int32_t>(input, 0, 0), unknown);
  refuse("a.bin", with<std::int32_t>(input, 0, -1), unknown);
  refuse("a.bin", with<std::int32_t>(input, 4, 0x7fffffff), unknown);
  refuse("a.bin", with<float>(input, 20, nan_value), "not finite");
  refuse("a.bin", with<float>(input, input.size() - 4, nan_value), "not finite");
  refuse("a.out", output.substr(0, output.size() - 1), unknown);
  refuse("a.out", with<std::int32_t>(output, 0, 3), unknown);
  refuse("a.out", with<std::int32_t>(output, 0, -2), unknown);
  refuse("a.out", with<float>(output, 4, nan_value), "not finite");
}

TEST_F(WrongFiles, MriGridding) {
  const std::string good =
      "aquisition.numsamples=2\naquisition.kmax=150.0 150.0 150.0\naquisition.matrixSize=60 60 60\n"
      "reconstruction.matrixSize=60 60 60\n";
  const std::string data = bytes_of<float>({1, 2, 150, -75, 100, 0.5F, 3, 4, 0, 30, -50, 2});
  const auto pair = [&](const std::string& header, const std::string& samples, const std::string& reason) {
    write_file(folder_ / "a.uks.data", samples);
    refuse("a.uks", header, reason);
  };
  pair(with_text(good, "kmax", "kmix"), data, "after aquisition.kmax");
  pair(with_text(good, "=150.0 150.0 150.0", "=150.0 150.0"), data, "3 number(s)");
  pair(with_text(good, "=150.0 ", "=0.0 "), data, "from 1e-12");
  pair(with_text(good, "=150.0 ", "=nan "), data, "expected a number");
  pair(with_text(good, "=60 60 60", "=60 60 sixty"), data, "expected a number");
  pair(with_text(good, "reconstruction.matrixSize=60", "reconstruction.matrixSize=900000"), data, "to 65536");
  pair(with_text(good, "numsamples=2", "numsamples=20000000000"), data, "its header says");
  pair(with_text(good, "numsamples=2", "numsamples=0"), data, "from 1 to");
  pair(good, data.substr(0, 30), "its header says");
  pair(good, with<float>(data, 0, nan_value), "not finite");
  pair(good, with<float>(data, 8, 200), "expected |k| <= 0.5");
  pair(good, with<float>(data, 20, -1), "weight of sample 0 is -1");
  std::filesystem::remove(folder_ / "a.uks.data");
  refuse("a.uks", good, "No such file");
}

}  // namespace
}  // namespace whorl
