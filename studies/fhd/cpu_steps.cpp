// The steps of the ladder on a CPU: the kernels with their data.
#include <algorithm>
#include <memory>

#include "bench/timing.hpp"
#include "studies/fhd/cpu/kernels.hpp"
#include "studies/fhd/steps.hpp"

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

/// Blocks with the sizes that are fastest on a part of the voxels.
class TunedBlocks {
 public:
  explicit TunedBlocks(Tuner& tuner) : tuner_(tuner) {}

  void choose(const Context& ctx, const Problem<float>& problem) {
    constexpr Index trial_terms = Index{1} << 24;  // some hundredths of a second
    Array<float> memory(ctx, {2, problem.voxels.extent(1)});
    std::vector<int> threads{ctx.threads()};
    if (ctx.threads() > 1) threads.push_back(ctx.threads() / 2);  // two threads of one core may be no faster
    const std::vector<Tuning> all = combinations(threads, {256, small_chunk, 2048, one_chunk}, {1, 2, four_vectors});
    const auto run =
        after_mu<float>([&](const Context& /*ctx*/, const Image& /*image*/, Sums<float> s, const cpu::Mu<float>& mu) {
          s.voxels = std::clamp<Index>(trial_terms / s.samples, 1, s.voxels);
          cpu::blocks(s, mu, sizes());
        });
    best_ = tuner_.choose(ctx, all, [&](const Tuning& tuning) {
      best_ = tuning;
      return bench::time_work(ctx, bench::Effort::brief, [&] { run(ctx, problem, memory); }).median_ms;
    });
  }

  void run(const Context& ctx, const Problem<float>& problem, ArrayRef<float> sums) {
    if (best_ == Tuning()) choose(ctx, problem);
    const auto kernel = [&](const Context& /*ctx*/, const Image& /*image*/, const Sums<float>& s,
                            const cpu::Mu<float>& mu) { cpu::blocks(s, mu, sizes()); };
    after_mu<float>(kernel)(ctx, problem, sums);
  }

 private:
  cpu::Blocks sizes() const { return {best_.chunk, best_.unroll, best_.threads}; }

  Tuner& tuner_;
  Tuning best_{};
};

Step<float> tuned_step(Tuner& tuner) {
  const auto blocks = std::make_shared<TunedBlocks>(tuner);
  return {.name = "sizes tuned together",
          .run = [blocks](const Context& ctx, const Problem<float>& problem,
                          ArrayRef<float> sums) { blocks->run(ctx, problem, sums); },
          .most_terms = vector_terms,
          .choose = [blocks](const Context& ctx, const Problem<float>& problem) { blocks->choose(ctx, problem); }};
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
          tuned_step(tuner),
          {"recurrence along x", after_mu<float>(cpu::recurrence)},
          {"separable", after_mu<float>(cpu::separable)}};
}

Step<float> shared_cpu_step() {
  return {"vectors, chunks of samples", in_blocks<float>(small_chunk, four_vectors, true)};
}

template <>
Step<double> cpu_baseline() {
  return {"CPU, double, scalar loop", interchanged<double>(true), {}, loop_terms};
}
template <>
Step<float> cpu_baseline() {
  return {"CPU, single, scalar loop", interchanged<float>(true), {}, loop_terms};
}

template <>
Step<double> cpu_chapter_step() {
  return {"CPU, double, vectors", in_blocks<double>(small_chunk, four_vectors, true), "518 min", vector_terms};
}
template <>
Step<float> cpu_chapter_step() {
  return {"CPU, single, vectors", in_blocks<float>(small_chunk, four_vectors, true), "342.3 min", vector_terms};
}

}  // namespace whorl::studies::fhd
