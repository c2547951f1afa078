// The steps of the ladder on a CPU: the kernels with their data.
#include <limits>

#include "studies/fhd/cpu/kernels.hpp"
#include "studies/fhd/sized.hpp"

namespace whorl::studies::fhd {

namespace {

using Image = std::array<Index, 3>;

constexpr int one_chunk = 1 << 30;  // more samples than a scan has
constexpr int small_chunk = 512;    // 10 KB
constexpr int four_vectors = 4;

// Some seconds of one thread each.
constexpr double loop_terms = 2e8;
constexpr double vector_terms = 2e9;

/// A kernel after the loop that computes Mu.
template <class Real, class Kernel>
auto after_mu(const Kernel& kernel) {
  return [kernel](const Context& ctx, const Problem<Real>& problem, ArrayRef<Real> sums) {
    const Sums<Real> s = sums_of(problem, sums);
    Array<Real> memory(ctx, {2, s.samples});
    const cpu::Mu<Real> mu{memory.data(), memory.data() + s.samples};
    cpu::compute_mu(s, mu);
    kernel(ctx, problem.image, s, mu);
  };
}

template <class Real>
auto interchanged(bool all_threads) {
  return after_mu<Real>(
      [all_threads](const Context& ctx, const Image& /*image*/, const Sums<Real>& s, const cpu::Mu<Real>& mu) {
        cpu::interchange(s, mu, all_threads ? ctx.threads() : 1);
      });
}

template <class Real>
auto in_blocks(int samples, int vectors, bool all_threads) {
  return after_mu<Real>([=](const Context& ctx, const Image& /*image*/, const Sums<Real>& s, const cpu::Mu<Real>& mu) {
    cpu::blocks(s, mu, {samples, vectors, all_threads ? ctx.threads() : 1});
  });
}

constexpr Index every_sample = std::numeric_limits<Index>::max();

/// All threads, and half of them: two threads of one core may be no faster than one.
std::vector<int> numbers_of_threads(const Context& ctx) {
  std::vector<int> threads{ctx.threads()};
  if (ctx.threads() > 1) threads.push_back(ctx.threads() / 2);
  return threads;
}

template <class Real>
SizedKernel<Real> sized_blocks() {
  constexpr Index trial_terms = Index{1} << 24;  // some hundredths of a second
  return {.run =
              [](const Context& ctx, const Tuning& tuning, const Problem<Real>& problem, ArrayRef<Real> sums) {
                after_mu<Real>(
                    [&](const Context& /*ctx*/, const Image& /*image*/, const Sums<Real>& s, const cpu::Mu<Real>& mu) {
                      cpu::blocks(s, mu, {tuning.chunk, tuning.unroll, tuning.threads});
                    })(ctx, problem, sums);
              },
          .candidates =
              [](const Context& ctx) {
                return combinations(numbers_of_threads(ctx), {256, small_chunk, 2048, one_chunk}, {1, 2, four_vectors});
              },
          .most_samples = every_sample,
          .most_terms = trial_terms};
}

/// A loop over voxels, whose only size is the number of threads.
template <class Real>
SizedKernel<Real> sized_loop() {
  constexpr Index trial_terms = Index{1} << 20;
  return {.run =
              [](const Context& ctx, const Tuning& tuning, const Problem<Real>& problem, ArrayRef<Real> sums) {
                after_mu<Real>([&](const Context& /*ctx*/, const Image& /*image*/, const Sums<Real>& s,
                                   const cpu::Mu<Real>& mu) { cpu::interchange(s, mu, tuning.threads); })(ctx, problem,
                                                                                                          sums);
              },
          .candidates = [](const Context& ctx) { return combinations(numbers_of_threads(ctx), {0}, {0}); },
          .most_samples = every_sample,
          .most_terms = trial_terms};
}

}  // namespace

std::vector<Step<double>> double_cpu_steps() {
  const auto scatter = [](const Context& /*ctx*/, const Problem<double>& problem, ArrayRef<double> sums) {
    cpu::scatter(sums_of(problem, sums));
  };
  const auto fission = after_mu<double>([](const Context& /*ctx*/, const Image& /*image*/, const Sums<double>& s,
                                           const cpu::Mu<double>& mu) { cpu::scatter_mu(s, mu); });
  return {{"scatter, double", scatter, {}, loop_terms},
          {"loop fission", fission, {}, loop_terms},
          {"loop interchange", interchanged<double>(false), {}, loop_terms}};
}

std::vector<Step<float>> single_cpu_steps(Tuner& tuner) {
  const auto vectors = after_mu<float>([](const Context& /*ctx*/, const Image& /*image*/, const Sums<float>& s,
                                          const cpu::Mu<float>& mu) { cpu::vectors(s, mu); });
  return {{"single precision", interchanged<float>(false), {}, loop_terms},
          {"vectors of voxels, own sin/cos", vectors, {}, vector_terms},
          {"four vectors a step", in_blocks<float>(one_chunk, four_vectors, false), {}, vector_terms},
          {"chunks of samples", in_blocks<float>(small_chunk, four_vectors, false), {}, vector_terms},
          {"all threads", in_blocks<float>(small_chunk, four_vectors, true), {}, vector_terms},
          tuned<float>(tuner, sized_blocks<float>(), {.name = tuned_kernel, .most_terms = vector_terms}),
          {"recurrence along x", after_mu<float>(cpu::recurrence)},
          {"separable", after_mu<float>(cpu::separable)}};
}

Step<float> shared_cpu_step() {
  return {"vectors, chunks of samples", in_blocks<float>(small_chunk, four_vectors, true)};
}

template <>
Step<double> cpu_baseline(Tuner& tuner) {
  return tuned<double>(tuner, sized_loop<double>(), {.name = "CPU, double, scalar loop", .most_terms = loop_terms});
}
template <>
Step<float> cpu_baseline(Tuner& tuner) {
  return tuned<float>(tuner, sized_loop<float>(), {.name = "CPU, single, scalar loop", .most_terms = loop_terms});
}

template <>
Step<double> cpu_chapter_step(Tuner& tuner) {
  return tuned<double>(tuner, sized_blocks<double>(),
                       {.name = "CPU, double, vectors", .published = {"fhd", "518 min"}, .most_terms = vector_terms});
}
template <>
Step<float> cpu_chapter_step(Tuner& tuner) {
  return tuned<float>(tuner, sized_blocks<float>(),
                      {.name = "CPU, single, vectors", .published = {"fhd", "342.3 min"}, .most_terms = vector_terms});
}

}  // namespace whorl::studies::fhd
