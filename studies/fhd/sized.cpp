#include "studies/fhd/sized.hpp"

#include <algorithm>
#include <memory>

#include "bench/timing.hpp"

namespace whorl::studies::fhd {

namespace {

/// The beginnings of planes.
template <class Real>
Array<Real> first_of(const Context& ctx, const Array<Real>& planes, Index count) {
  Array<Real> part(ctx, {planes.extent(0), count});
  for (Index i = 0; i < planes.extent(0); ++i) {
    const ArrayRef<const Real> from(planes.data() + i * planes.extent(1), {count}, planes.device());
    copy<Real>(ctx, from, part.slice(i));
  }
  return part;
}

template <class Real>
class Chosen {
 public:
  Chosen(Tuner& tuner, std::string name, const SizedKernel<Real>& kernel)
      : tuner_(tuner), name_(std::move(name)), kernel_(kernel) {}

  void choose(const Context& ctx, const Problem<Real>& problem) {
    const Index samples = std::min(kernel_.most_samples, problem.samples.extent(1));
    const Index voxels = std::clamp<Index>(kernel_.most_terms / samples, 1, problem.voxels.extent(1));
    const Problem<Real> part{problem.image, first_of(ctx, problem.samples, samples),
                             first_of(ctx, problem.voxels, voxels)};
    Array<Real> sums(ctx, {2, voxels});
    best_ = tuner_.choose(ctx, name_, kernel_.candidates(ctx), [&](const Tuning& tuning) {
      return bench::time_work(ctx, bench::Effort::brief, [&] { kernel_.run(ctx, tuning, part, sums); });
    });
  }

  void run(const Context& ctx, const Problem<Real>& problem, ArrayRef<Real> sums) {
    if (best_ == Tuning()) choose(ctx, problem);
    kernel_.run(ctx, best_, problem, sums);
  }

  KernelFacts facts(const Context& ctx) const { return kernel_.facts(ctx, best_); }

 private:
  Tuner& tuner_;
  std::string name_;
  SizedKernel<Real> kernel_;
  Tuning best_{};
};

}  // namespace

template <class Real>
Step<Real> tuned(Tuner& tuner, const SizedKernel<Real>& kernel, Step<Real> step) {
  const auto chosen = std::make_shared<Chosen<Real>>(tuner, step.name, kernel);
  step.run = [chosen](const Context& ctx, const Problem<Real>& problem, ArrayRef<Real> sums) {
    chosen->run(ctx, problem, sums);
  };
  step.choose = [chosen](const Context& ctx, const Problem<Real>& problem) { chosen->choose(ctx, problem); };
  if (kernel.facts) step.facts = [chosen](const Context& ctx) { return chosen->facts(ctx); };
  return step;
}

template Step<float> tuned(Tuner&, const SizedKernel<float>&, Step<float>);
template Step<double> tuned(Tuner&, const SizedKernel<double>&, Step<double>);

}  // namespace whorl::studies::fhd
