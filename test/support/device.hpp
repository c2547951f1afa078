// On which device the tests of a program run: that of the environment variable WHORL_TEST_DEVICE, else the CPU. A
// program that is compiled with this file runs on each device under ctest (whorl_device_test in test/CMakeLists.txt),
// and skips aloud where the device is not there.
#pragma once

#include "whorl/core/context.hpp"

namespace whorl::test {

/// A context on that device.
Context device_context(int threads = 2);

}  // namespace whorl::test
