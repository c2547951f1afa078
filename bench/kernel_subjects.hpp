// What single kernels are run on, on either device: arrays of random numbers, and what comes out.
#pragma once

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "bench/parity.hpp"
#include "bench/timing.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/add_products.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/op/differences.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/op/subspace.hpp"
#include "whorl/op/wavelet.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/prox/infimal_function.hpp"
#include "whorl/prox/proximal_function.hpp"
#include "whorl/prox/total_variation.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl::bench::subjects {

template <class Real>
using ComplexOf = std::complex<Real>;

template <class Real>
Array<ComplexOf<Real>> random_array(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<ComplexOf<Real>> array(ctx.host(), shape);
  fill_random_normal<Real>(array, seed);
  return clone<ComplexOf<Real>>(ctx, array);
}

// ||a - b|| / ||b||
template <class Real>
double difference(const Context& ctx, ArrayRef<const ComplexOf<Real>> a, ArrayRef<const ComplexOf<Real>> b) {
  const Array<ComplexOf<Real>> here = to_host<const ComplexOf<Real>>(ctx, a);
  double square = 0;
  double total = 0;
  for (Index i = 0; i < b.size(); ++i) {
    square += std::norm(ComplexOf<double>(here.data()[i]) - ComplexOf<double>(b.data()[i]));
    total += std::norm(ComplexOf<double>(b.data()[i]));
  }
  return std::sqrt(square / total);
}

// One kernel with its arguments on a device.
template <class Real>
struct Subject {
  std::shared_ptr<void> arguments;
  std::function<void()> run;
  std::shared_ptr<Array<ComplexOf<Real>>> result;
};

template <class Real>
using Make = std::function<Subject<Real>(const Context&)>;

// Both devices get the same arguments; `terms` is the longest sum of products in the kernel. A sum of n products of
// random sign is off by some sqrt(n) roundings of a term, and so are both sides; 4 for the tail.
template <class Real>
Parity compare(const Context& ctx, double terms, const Make<Real>& make) {
  const Subject<Real> expected = make(ctx.host());
  const Subject<Real> found = make(ctx);
  expected.run();
  found.run();
  Parity parity;
  parity.error = difference<Real>(ctx, found.result->ref(), expected.result->ref());
  parity.allowed = 4 * std::sqrt(2 * terms) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  parity.median_ms = time_work(ctx, Effort::quick, found.run).median_ms;
  return parity;
}

template <class Real>
Subject<Real> subject_of(const Context& ctx, const Operator<Real>& op, Direction direction) {
  const Shape& from = direction == Direction::adjoint ? op->range() : op->domain();
  const Shape& to = direction == Direction::forward ? op->range() : op->domain();
  const auto input = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, from, 3));
  const auto output = std::make_shared<Array<ComplexOf<Real>>>(ctx, to);
  const auto run = [=] {
    if (direction == Direction::forward) return op->forward(ctx, *input, *output);
    if (direction == Direction::adjoint) return op->adjoint(ctx, *input, *output);
    op->normal(ctx, *input, *output);
  };
  return {nullptr, run, output};
}

template <class Real>
Subject<Real> axpby_subject(const Context& ctx, const Shape& shape) {
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, shape, 1));
  const auto y = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, shape, 2));
  return {x, [=] { axpby<Real>(ctx, {0.25, -1}, *x, {0.5, 0.25}, *y); }, y};
}

template <class Real>
Subject<Real> dot_subject(const Context& ctx, const Shape& shape) {
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, shape, 1));
  const auto result = std::make_shared<Array<ComplexOf<Real>>>(ctx, Shape{1});
  return {x, [=] { fill<ComplexOf<Real>>(ctx, *result, ComplexOf<Real>(dot<Real>(ctx, *x, *x))); }, result};
}

template <class Real, class Fill>
Subject<Real> random_subject(const Context& ctx, const Shape& shape, const Fill& fill_random) {
  const auto result = std::make_shared<Array<ComplexOf<Real>>>(ctx, shape);
  return {nullptr, [=] { fill_random(ctx, result->ref(), 11); }, result};
}

template <class Real>
Subject<Real> weights_subject(const Context& ctx, const Shape& shape) {
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, shape, 1));
  Array<Real> host(ctx.host(), {shape[-1]});
  for (std::size_t i = 0; i < host.span().size(); ++i) host.span()[i] = static_cast<Real>(random_uniform(5, i));
  const auto weights = std::make_shared<Array<Real>>(clone<Real>(ctx, host));
  const auto y = std::make_shared<Array<ComplexOf<Real>>>(ctx, shape);
  return {x, [=] { multiply_weights<Real>(ctx, *weights, *x, *y); }, y};
}

template <class Real>
Subject<Real> products_subject(const Context& ctx, const Shape& shape) {
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, shape, 1));
  const auto y = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, shape, 2));
  const auto sum = std::make_shared<Array<double>>(ctx, shape.tail());
  const auto result = std::make_shared<Array<ComplexOf<Real>>>(ctx, shape.tail());
  return {x,
          [=] {
            fill<double>(ctx, *sum, 0.25);
            add_products<Real>(ctx, *x, *y, *sum);
            const Array<double> here = to_host<double>(ctx, *sum);
            Array<ComplexOf<Real>> rounded(ctx.host(), here.shape());
            for (Index i = 0; i < here.size(); ++i) rounded.data()[i] = static_cast<Real>(here.data()[i]);
            copy<ComplexOf<Real>>(ctx, rounded, *result);
          },
          result};
}

template <class Real>
Subject<Real> fft_subject(const Context& ctx) {
  const Shape grid{60, 36, 50};
  const auto plan = make_fft_plan<Real>(ctx, grid);
  const auto input = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, grid.with_front(2), 1));
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(ctx, input->shape());
  return {input,
          [=] {
            copy<ComplexOf<Real>>(ctx, *input, *x);
            plan->execute(ctx, FftDirection::forward, x->data(), 2);
          },
          x};
}

template <class Real>
Subject<Real> sense_subject(const Context& ctx, const Shape& shape, Direction direction) {
  return subject_of<Real>(ctx, std::make_shared<Sense<Real>>(random_array<Real>(ctx, shape, 1)), direction);
}

// The grid's oversampling is given: that which a model of the cost would choose is another on every device.
template <class Real>
Subject<Real> sense_nufft_subject(const Context& ctx, const Shape& image, Direction direction, NormalMethod normal) {
  constexpr Index coils = 5;
  const Trajectory trajectory = random_trajectory(ctx.host(), 2000, image.rank(), RandomRegion::box, 7);
  const Nufft<Real> nufft(ctx, trajectory.points, image, coils,
                          {.tolerance = 1e-3, .oversampling = 2, .normal = normal});
  return subject_of<Real>(
      ctx, std::make_shared<SenseNufft<Real>>(nufft, random_array<Real>(ctx, image.with_front(coils), 1)), direction);
}

template <class Real>
Subject<Real> differences_subject(const Context& ctx, const Shape& shape, Direction direction) {
  Array<Real> host(ctx.host(), shape.with_front(shape.rank()));
  for (std::size_t i = 0; i < host.span().size(); ++i) host.span()[i] = static_cast<Real>(random_uniform(5, i));
  return subject_of<Real>(ctx, std::make_shared<WeightedDifferences<Real>>(ctx, shape, std::move(host)), direction);
}

template <class Real>
Subject<Real> series_differences_subject(const Context& ctx, const Shape& series, Direction direction) {
  const DifferenceAxes axes{true, false, true, true};
  return subject_of<Real>(ctx, std::make_shared<Differences<Real>>(series, axes, axes), direction);
}

template <class Real>
Subject<Real> wavelet_subject(const Context& ctx, const Shape& series, int taps, Direction direction) {
  return subject_of<Real>(ctx, std::make_shared<Wavelet<Real>>(series, WaveletOptions{.taps = taps}), direction);
}

// One step of the dual variable of total variation from a random one, some of whose vectors leave the ball.
template <class Real>
Subject<Real> dual_step_subject(const Context& ctx, const Shape& series) {
  const DifferenceAxes cyclic{true, false, true, false};
  const auto tv = std::make_shared<TotalVariation<Real>>(series, DifferenceAxes{true, true, true, true}, 0.3, cyclic);
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, series, 1));
  const auto start = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, tv->range(), 2));
  const auto y = std::make_shared<Array<ComplexOf<Real>>>(ctx, tv->range());
  return {x,
          [=] {
            copy<ComplexOf<Real>>(ctx, *start, *y);
            tv->dual_step(ctx, 0.8, *x, {}, *y);
          },
          y};
}

// One step of a function with further unknowns, and what its operator's adjoint makes of the new dual variable.
template <class Real>
Subject<Real> infimal_subject(const Context& ctx, std::shared_ptr<const InfimalFunction<Real>> g) {
  const Index size = g->domain().size() + g->auxiliary().size();
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, {size}, 1));
  const auto start = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, g->range(), 2));
  const auto y = std::make_shared<Array<ComplexOf<Real>>>(ctx, g->range());
  const auto sum = std::make_shared<Array<ComplexOf<Real>>>(ctx, Shape{size});
  const auto x_of = [g](auto all) { return decltype(all)(all.data(), g->domain(), all.device()); };
  const auto w_of = [g](auto all) {
    return decltype(all)(all.data() + g->domain().size(), g->auxiliary(), all.device());
  };
  return {x,
          [=] {
            copy<ComplexOf<Real>>(ctx, *start, *y);
            const ArrayRef<const ComplexOf<Real>> all = *x;
            g->dual_step(ctx, 0.8, x_of(all), w_of(all), *y);
            fill<ComplexOf<Real>>(ctx, *sum, 0);
            g->add_adjoint(ctx, *y, x_of(sum->ref()), w_of(sum->ref()));
          },
          sum};
}

// A proximal point with the value of the function in its first element, so that both are compared.
template <class Real>
Subject<Real> prox_subject(const Context& ctx, std::shared_ptr<const ProximalFunction<Real>> g) {
  const auto x = std::make_shared<Array<ComplexOf<Real>>>(random_array<Real>(ctx, g->domain(), 1));
  const auto p = std::make_shared<Array<ComplexOf<Real>>>(ctx, g->domain().with_front(2));
  return {x,
          [=] {
            copy<ComplexOf<Real>>(ctx, *x, p->slice(0));
            g->prox(ctx, 0.6, p->slice(0), 3);
            const double mean = g->value(ctx, *x) / static_cast<double>(x->size());
            fill<ComplexOf<Real>>(ctx, p->slice(1), static_cast<Real>(mean));
          },
          p};
}

// Around sensitivities, whose coils take the place of samples.
template <class Real>
Subject<Real> evolution_subject(const Context& ctx, const Shape& shape, Direction direction) {
  return subject_of<Real>(ctx,
                          std::make_shared<SignalEvolution<Real>>(
                              std::make_shared<const Sense<Real>>(random_array<Real>(ctx, shape, 1)),
                              EvolutionFactors<Real>{random_array<Real>(ctx, shape.tail().with_front(4), 2),
                                                     random_array<Real>(ctx, {4, shape[-1]}, 4)}),
                          direction);
}

// The normal operator by spectra of complex courses.
template <class Real>
Subject<Real> subspace_subject(const Context& ctx, const Shape& image) {
  const Trajectory trajectory = random_trajectory(ctx.host(), 900, image.rank(), RandomRegion::box, 7);
  const auto courses = random_array<Real>(ctx, {3, 900}, 3);
  const NufftOptions options{.oversampling = 2};
  auto maps = random_array<Real>(ctx, image.with_front(5), 4);
  const auto spectra = std::make_shared<const SubspaceSpectra<Real>>(ctx, trajectory.points, courses, image, options);
  Operator<Real> transform = SenseNufft<Real>(Nufft<Real>(ctx, trajectory.points, image, 5, options), maps.share());
  return subject_of<Real>(ctx,
                          std::make_shared<Subspace<Real>>(
                              std::move(transform), clone<std::complex<Real>>(ctx, courses), std::move(maps), spectra),
                          Direction::normal);
}

template <class Real>
Subject<Real> gridding_subject(const Context& ctx, int dim, int width, Direction direction) {
  const Trajectory trajectory = random_trajectory(ctx.host(), 3000, dim, RandomRegion::box, 7);
  const Shape grid = dim == 2 ? Shape{48, 50} : Shape{20, 24, 30};
  const Window window(WindowKind::kaiser_bessel, width, 2);
  return subject_of<Real>(ctx, std::make_shared<Gridding<Real>>(ctx, trajectory.points, grid, window, 3), direction);
}

}  // namespace whorl::bench::subjects
