// The normal operator of coils on radial spokes by both of its methods: by a pair of transforms, and as a convolution.
// What it prints is what the cost models of the devices are fitted to (backend/*/nufft/nufft_cost*).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "whorl/core/random.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace {

using namespace whorl;

Array<std::complex<float>> random_array(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<std::complex<float>> array(ctx.host(), shape);
  fill_random_normal<float>(ctx.host(), array, seed);
  return clone<const std::complex<float>>(ctx, array);
}

// Milliseconds of an application, and of the plan before it.
struct Times {
  double plan;
  double application;
};

Times time_method(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                  const Array<std::complex<float>>& maps, NormalMethod method) {
  NufftOptions options = same_on_every_device<float>(ctx, image, trajectory.samples(), {.tolerance = 1e-3});
  options.normal = method;
  const Index coils = maps.extent(0);
  const double plan = bench::time_work(ctx, bench::Effort::quick, [&] {
                        Nufft<float>(ctx, trajectory.points, image, coils, options);
                      }).median_ms;
  const SenseNufft<float> sense(Nufft<float>(ctx, trajectory.points, image, coils, options),
                                clone<const std::complex<float>>(ctx, maps));
  const Array<std::complex<float>> x = random_array(ctx, sense.domain(), 1);
  Array<std::complex<float>> z(ctx, sense.domain());
  return {plan, bench::time_work(ctx, bench::Effort::quick, [&] { sense.normal(ctx, x, z); }).median_ms};
}

void measure(const Context& ctx, const Trajectory& trajectory, const Shape& image, Index coils) {
  const auto maps = random_array(ctx, image.with_front(coils), 2);
  const Times pair = time_method(ctx, trajectory, image, maps, NormalMethod::pair);
  const Times convolution = time_method(ctx, trajectory, image, maps, NormalMethod::toeplitz);
  fmt::print("{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f}\n", image.rank(), image[0], coils, trajectory.samples(),
             pair.plan, pair.application, convolution.plan, convolution.application);
  std::fflush(stdout);
}

void measure_all(const Context& ctx) {
  fmt::print("axes,extent,coils,samples,pair plan ms,pair ms,convolution plan ms,convolution ms\n");
  for (const Index extent : {64, 128, 192, 256, 384, 512}) {
    for (const double part : {0.05, 0.15, 0.5, 1.0, 2.0}) {
      const auto spokes = static_cast<Index>(std::ceil(part * std::numbers::pi / 2 * static_cast<double>(extent)));
      const Trajectory trajectory = radial_trajectory(ctx.host(), spokes, 2 * extent, SpokeOrder::golden_angle);
      for (const Index coils : {1, 4, 12, 32}) measure(ctx, trajectory, {extent, extent}, coils);
    }
  }
  for (const Index extent : {64, 96, 128, 192}) {
    for (const double part : {0.02, 0.1, 0.5}) {
      const auto spokes =
          static_cast<Index>(std::ceil(part * std::numbers::pi / 2 * static_cast<double>(extent * extent)));
      const Trajectory trajectory = kooshball_trajectory(ctx.host(), spokes, 2 * extent);
      for (const Index coils : {1, 8}) measure(ctx, trajectory, {extent, extent, extent}, coils);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: whorl_normal_methods cpu|cuda\n");
    return 2;
  }
  try {
    measure_all(Context({.device = parse_device(argv[1])}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "whorl_normal_methods: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
