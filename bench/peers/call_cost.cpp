// The time of one small call, for bench/peers/python_calls.py: the forward transform of 16 x 16 pixels to 300 samples, waited
// for. Prints the median of 5000 in microseconds.
//
//     whorl_call_cost DEVICE [THREADS]
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

int main(int argc, char** argv) {
  try {
    whorl::Context::Options options{.device = whorl::parse_device(argc > 1 ? argv[1] : "cpu")};
    if (argc > 2) options.threads = static_cast<int>(std::strtol(argv[2], nullptr, 10));
    const whorl::Context ctx(options);
    const whorl::Trajectory trajectory = whorl::random_trajectory(ctx.host(), 300, 2, whorl::RandomRegion::box, 1);
    const whorl::Nufft<float> nufft(ctx, trajectory.points, {16, 16}, 1);
    whorl::Array<std::complex<float>> x(ctx, nufft.domain());
    whorl::Array<std::complex<float>> y(ctx, nufft.range());
    whorl::fill<std::complex<float>>(ctx, x, 1.0F);
    std::vector<double> times;
    for (int i = 0; i < 5200; ++i) {
      const auto start = std::chrono::steady_clock::now();
      nufft.forward(ctx, x, y);
      ctx.synchronize();
      const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
      if (i >= 200) times.push_back(passed.count());
    }
    const auto middle = times.begin() + std::ssize(times) / 2;
    std::nth_element(times.begin(), middle, times.end());
    std::printf("%.3f\n", *middle);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "whorl_call_cost: %s\n", error.what());
    return 1;
  }
}
