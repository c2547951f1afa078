#include "cli/options/byte_size.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::cli {
namespace {

TEST(ByteSize, NumbersAndUnits) {
  const std::vector<std::pair<std::string, std::size_t>> sizes{{"0", 0},
                                                               {"0.0GB", 0},
                                                               {"1000", 1000},
                                                               {"1000B", 1000},
                                                               {"1000.0", 1000},
                                                               {"512 KiB", 512 << 10},
                                                               {"8gb", std::size_t{8} << 30},
                                                               {"1.5k", 1536},
                                                               {"0.25Mi", 1 << 18},
                                                               {"1.75 GiB", std::size_t{7} << 28},
                                                               // 1.7 * 2^30 = 1825361100.8
                                                               {"1.7GB", 1825361100},
                                                               {"1.0000000000000000000001kB", 1024},
                                                               {"7.5EB", std::size_t{15} << 59},
                                                               {"9223372036854775807", 9223372036854775807},
                                                               // Its decimals round to a unit: 2^63 - 1 is the most.
                                                               {"7.99999999999999999999EB", 9223372036854775807}};
  for (const auto& [text, bytes] : sizes) EXPECT_EQ(byte_size(text), bytes) << text;
}

TEST(ByteSize, AnythingElseIsRefused) {
  const std::string tiny = "0." + std::string(400, '0') + "1EB";
  for (const std::string& text :
       {std::string(), std::string("GB"), std::string("."), std::string("1."), std::string(".5GB"), std::string("1.GB"),
        std::string("1.2.3GB"), std::string("1..5GB"), std::string("1,5GB"), std::string("1.5 XB"),
        std::string("1.5GBs"), std::string("-1.5GB"), std::string("+1.5GB"), std::string("1e3"), std::string("1.5e3"),
        std::string("0x10"), std::string("inf"), std::string("nan"), std::string(" 1GB"), std::string("1.5 G B"),
        // Parts of a byte: a number without its unit, most likely.
        std::string("1.5"), std::string("0.3B"), std::string("0.0001kB"), tiny,
        // Too many.
        std::string("8EB"), std::string("8.5EB"), std::string("18446744073709551616.5"),
        std::string("99999999999999999999GB")}) {
    EXPECT_THROW(byte_size(text), ValueError) << text;
  }
}

}  // namespace
}  // namespace whorl::cli
