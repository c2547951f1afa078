// Wrong pictures and raw files, as test_wrong_files.cpp has those of other formats.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "cli/files/wrong_files.hpp"
#include "support/file_content.hpp"

namespace whorl {
namespace {

using test::bytes_of;
using test::nan_value;
using test::with;
using test::write_file;
using test::WrongFiles;

std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto number = [](std::uint32_t value) {
    std::string bytes = bytes_of<std::uint32_t>({value});
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
  };
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return number(static_cast<std::uint32_t>(data.size())) + body + number(static_cast<std::uint32_t>(sum));
}

/// A gray PNG whose header says what it is told to.
std::string png(const std::string& width_height, const std::string& rest = std::string("\x08\x00\x00\x00\x00", 5)) {
  std::string packed(64, '\0');
  auto size = static_cast<uLongf>(packed.size());
  const std::string rows("\0\1\2\0\3\4", 6);
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
             static_cast<uLong>(rows.size()));
  packed.resize(size);
  return std::string("\x89PNG\r\n\x1a\n", 8) + png_chunk("IHDR", width_height + rest) + png_chunk("IDAT", packed) +
         png_chunk("IEND", "");
}

TEST_F(WrongFiles, Picture) {
  const std::string good = png(std::string("\0\0\0\2\0\0\0\2", 8));
  refuse("a.png", good.substr(0, 20), "not a valid PNG");
  refuse("a.png", good.substr(0, good.size() - 20), "not a valid PNG");
  refuse("a.png", with<char>(good, 19, 9), "not a valid PNG");  // breaks the checksum
  refuse("a.png", png(std::string("\0\0\0\0\0\0\0\2", 8)), "not a valid PNG");
  refuse("a.png", png(std::string("\0\0\0\2\x7f\xff\xff\xff", 8)), "");
  refuse("a.png", png(std::string("\0\xf0\0\0\0\xf0\0\0", 8)), "");
  refuse("a.png", png(std::string("\0\0\0\2\0\0\0\7", 8)), "not a valid PNG");
  refuse("a.png", png(std::string("\0\0\0\2\0\0\0\2", 8), std::string("\x05\x00\x00\x00\x00", 5)), "not a valid PNG");
  refuse("a.pgm", "P5\n3 2\n255\n12345", "truncated");
  refuse("a.pgm", "P5\n3 0\n255\n123456", "above 0");
  refuse("a.pgm", "P5\n3", "above 0");
  refuse("a.pgm", "P5\n3 2\n70000\n123456789012", "1 to 65535");
  refuse("a.bmp", "BM" + std::string(12, '\0') + "\x28" + std::string(5, '\0'), "truncated");
  refuse("a.bmp", "BM" + std::string(8, '\0') + "\x36" + std::string(3, '\0') + "\x28" + std::string(39, '\0'),
         "0 bits");
  refuse("a.ppm", "P6\n4000000000 4000000000\n255\n123456", "truncated");
}

TEST_F(WrongFiles, RawFiles) {
  const auto set = [&](const std::string& trajectory, const std::string& coil, const std::string& reason,
                       std::vector<std::string> more) {
    write_file(folder_ / "a.coil", coil);
    more.insert(more.begin(), folder_ / "a.coil");
    refuse("a.traj", trajectory, reason, more);
  };
  const std::vector<std::string> scan{"--matrix",          "8",           "8", "--trajectory-columns", "xy",
                                      "--trajectory-unit", "cycles/pixel"};
  const std::string k = bytes_of<float>({0.25F, 0.5F, -0.25F, 0.125F});
  const std::string samples = bytes_of<float>({1, 2, 3, 4});
  set(k.substr(0, 15), samples, "whole number of samples", scan);
  set(k, samples.substr(0, 12), "whole number of repetitions", scan);
  set(k, "", "whole number of repetitions", scan);
  set("", samples, "empty", scan);
  set(with<float>(k, 4, nan_value), samples, "finite", scan);
  set(with<float>(k, 4, 0.75F), samples, "expected |k| <= 0.5", scan);
  set(k, with<float>(samples, 8, nan_value), "finite", scan);
  set(k, samples, "do not fit a 2D matrix", {"--matrix", "8", "8", "--trajectory-columns", "xyz"});
  set(k, samples, "field of view", {"--matrix", "8", "8", "--trajectory-columns", "xy", "--trajectory-unit", "1/m"});
  set(k, samples, "readouts of 3", {"--matrix", "8", "8", "--trajectory-columns", "xy", "--readout-length", "3"});
}

}  // namespace
}  // namespace whorl
