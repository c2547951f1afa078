// A child process of fork computes with one thread, or refuses a GPU: it never waits for threads that it does not have.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Calls work() in a child process. A child that hangs is ended by an alarm. 0: work() returned an empty text, which says
// that all is well.
template <class Work>
int status_of_child(const Work& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::string complaint;
    try {
      complaint = work();
    } catch (const std::exception& error) {
      complaint = error.what();
    }
    if (!complaint.empty()) std::fprintf(stderr, "child: %s\n", complaint.c_str());
    std::fflush(nullptr);
    _exit(complaint.empty() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

// Before the tests that start threads: ctest runs each test in a process of its own, and the program runs them in order.
TEST(Fork, TheChildOfAProcessOfOneThreadMayStartThreads) {
  const char* device = std::getenv("WHORL_TEST_DEVICE");
  if (device != nullptr && std::string(device) == "cuda") GTEST_SKIP() << "CUDA starts threads of its own";
  const Context ctx = Context({.threads = 3});
  ASSERT_EQ(threads_of_this_process(), 1);
  EXPECT_EQ(status_of_child([&] { return ctx.threads() == 3 ? "" : "not the threads that the context was given"; }), 0);
}

TEST(Fork, TheChildComputesWithOneThread) {
  const Context ctx({.threads = 4});
  const Nufft<float> nufft(ctx, test::random_points(ctx, 20000, 2), {96, 80}, 3);
  const Array<Complex> x = test::random_array<float>(ctx, nufft.domain(), 3);
  Array<Complex> expected(ctx, nufft.range());
  nufft.forward(ctx, x, expected);
  ASSERT_GT(threads_of_this_process(), 1);
  const auto compute = [&]() -> std::string {
    const Context fresh({.threads = 4});
    if (ctx.threads() != 1 || fresh.threads() != 1) return "more than one thread";
    // With the plan of the parent, and with one of the child.
    Array<Complex> y(ctx, nufft.range());
    nufft.forward(ctx, x, y);
    if (test::relative_error(y, expected) > 1e-6) return "the plan of the parent gives another result";
    const Nufft<float> own(fresh, test::random_points(fresh, 20000, 2), {96, 80}, 3);
    own.forward(fresh, x, y);
    if (test::relative_error(y, expected) > 1e-6) return "the plan of the child gives another result";
    return "";
  };
  EXPECT_EQ(status_of_child(compute), 0);
  // A child of the child.
  EXPECT_EQ(status_of_child([&]() -> std::string { return status_of_child(compute) == 0 ? "" : "its child failed"; }),
            0);
  // The parent goes on with its threads.
  EXPECT_EQ(ctx.threads(), 4);
  Array<Complex> y(ctx, nufft.range());
  nufft.forward(ctx, x, y);
  EXPECT_EQ(test::relative_error(y, expected), 0);
}

TEST(Fork, AGpuIsRefusedInTheChild) {
  const Context ctx = test::device_context();
  if (ctx.device().kind == DeviceKind::cpu) GTEST_SKIP() << "the CPU is not refused";
  const Array<float> array = zeros<float>(ctx, {1000});
  ctx.synchronize();
  const auto is_refused = [](const auto& work) {
    try {
      work();
    } catch (const DeviceError& error) {
      return std::string(error.what()).find("forked") != std::string::npos;
    }
    return false;
  };
  EXPECT_EQ(status_of_child([&]() -> std::string {
              if (!is_refused([&] { ctx.synchronize(); })) return "the context of the parent is not refused";
              if (!is_refused([&] { to_host(ctx, array); })) return "an array of the parent is not refused";
              if (!is_refused([&] { test::device_context(); })) return "a context of the child is not refused";
              return "";
            }),
            0);
  const Array<float> back = to_host(ctx, array);
  EXPECT_EQ(back.span()[999], 0);
}

}  // namespace
}  // namespace whorl
