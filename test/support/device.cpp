#include "support/device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "whorl/core/error.hpp"

namespace whorl::test {

namespace {

std::string wanted_device() {
  const char* name = std::getenv("WHORL_TEST_DEVICE");
  return name == nullptr ? "cpu" : name;
}

// Skips all tests of the program where the device is not there, and says why.
class DeviceIsThere final : public testing::Environment {
 public:
  void SetUp() override {
    try {
      parse_device(wanted_device());
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

[[maybe_unused]] const testing::Environment* const there = testing::AddGlobalTestEnvironment(new DeviceIsThere);

}  // namespace

Context device_context(int threads) { return Context({.device = parse_device(wanted_device()), .threads = threads}); }

}  // namespace whorl::test
