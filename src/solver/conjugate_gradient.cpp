#include "whorl/solver/conjugate_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/conjugate_gradient.hpp"
#include "kernels/repeat.hpp"
#include "solver/conjugate_gradient_system.hpp"
#include "solver/overwriting_gradients.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

using conjugate_gradient_detail::check_finite;
using conjugate_gradient_detail::System;

void check_arguments(const Shape& b, const Shape& x, const ConjugateGradientOptions& options) {
  if (b != x) {
    throw ShapeError(fmt::format("conjugate gradient: b has shape {}, x has shape {}; expected equal shapes",
                                 to_string(b), to_string(x)));
  }
  if (options.iterations < 0 || !(options.tolerance >= 0) || !(options.error >= 0)) {
    throw ValueError(
        fmt::format("conjugate gradient: {} iterations, tolerance {}, error {}; expected 0 or more of each",
                    options.iterations, options.tolerance, options.error));
  }
}

// The systems of one operator that are solved at the same time. They lie one after another; those that have ended may
// be moved behind the others.
template <class Real>
class Systems {
 public:
  using Complex = std::complex<Real>;

  // `drops`: A takes any number of systems. b becomes the residual.
  Systems(const Context& ctx, const NormalOfSystems<Real>& A, bool drops, Index count, Array<Complex> b,
          ArrayRef<Complex> x, const ConjugateGradientOptions& options, SolverStates<Real>* states)
      : ctx_(ctx),
        A_(A),
        states_(states),
        drops_(drops),
        active_(count),
        split_{count, b.size() / count},
        shape_(b.shape()),
        order_(static_cast<std::size_t>(count)),
        x_(x.reshape(split_)),
        residual_(std::move(b)),
        image_(ctx, split_),
        direction_(ctx, split_) {
    std::iota(order_.begin(), order_.end(), Index{0});
    residual_.reshape(split_);
    if (!resume(options)) begin(options);
    prepare();
  }

  void solve(const ConjugateGradientOptions& options, const IterationCallback& callback) {
    int asked = first_;
    bool due = false;
    for (int done = first_; done < options.iterations && !all_ended(); ++done) {
      // Before systems change places, or their state is kept, no step may be on its way.
      due = due || (states_ != nullptr && states_->is_due());
      const int ahead = due || drops_now() ? 0 : steps_->ahead();
      for (; asked < std::min(options.iterations, done + 1 + ahead); ++asked) iterate_();
      double largest = 0;
      for (Index place = 0; place < active_; ++place) {
        System& system = at(place);
        if (!system.ended()) system.add(steps_->state_after(ctx_, done - first_, place));
      }
      for (const System& system : systems_) largest = std::max(largest, system.residual());
      if (callback && !callback(done + 1, largest)) {
        for (System& system : systems_) system.stop();
      }
      if (asked == done + 1 && drops_now() && !all_ended()) {
        drop();
        first_ = done + 1;
      }
      if (due && asked == done + 1 && !all_ended()) {
        keep(asked);
        due = false;
      }
    }
    restore_order();
  }

  std::vector<SolverReport> take() {
    std::vector<SolverReport> reports;
    for (System& system : systems_) reports.push_back(system.take());
    return reports;
  }

 private:
  void begin(const ConjugateGradientOptions& options) {
    const Index count = split_[0];
    std::vector<double> b_norms;
    for (Index i = 0; i < count; ++i) {
      b_norms.push_back(norm<Real>(ctx_, residual_.slice(i)));
      check_finite(b_norms.back());
      if (b_norms.back() == 0) axpby<Real>(ctx_, 0, residual_.slice(i), 0, x_.slice(i));
    }
    // residual = b - A x, direction = residual
    if (norm<Real>(ctx_, x_) != 0) {
      apply(x_, image_);
      axpby<Real>(ctx_, -1, image_, 1, residual_);
    }
    axpby<Real>(ctx_, 1, residual_, 0, direction_);
    for (Index i = 0; i < count; ++i) {
      const auto r = residual_.slice(i);
      systems_.emplace_back(b_norms[static_cast<std::size_t>(i)], dot<Real>(ctx_, r, r).real(), options);
    }
  }

  // The number of iterations, of active systems, the order, and each system's.
  bool resume(const ConjugateGradientOptions& options) {
    SolverState<Real> state{arrays()};
    if (states_ == nullptr || !states_->find(ctx_, state)) return false;
    const std::size_t count = order_.size();
    if (state.numbers.size() != 2 + count * (1 + System::numbers) || state.reports.size() != count) {
      throw ValueError("conjugate gradient: the kept state is that of another solver");
    }
    const double* from = state.numbers.data();
    first_ = static_cast<int>(*from++);
    active_ = static_cast<Index>(*from++);
    for (Index& system : order_) system = static_cast<Index>(*from++);
    for (SolverReport& report : state.reports) {
      systems_.emplace_back(from, std::move(report), options);
      from += System::numbers;
    }
    return true;
  }

  void keep(int done) {
    SolverState<Real> state{arrays()};
    state.numbers = {static_cast<double>(done), static_cast<double>(active_)};
    for (const Index system : order_) state.numbers.push_back(static_cast<double>(system));
    for (const System& system : systems_) {
      system.save(state.numbers);
      state.reports.push_back(system.report());
    }
    states_->keep(ctx_, state);
  }

  std::vector<ArrayRef<Complex>> arrays() { return {x_, residual_, direction_}; }

  System& at(Index place) { return systems_[static_cast<std::size_t>(order_[static_cast<std::size_t>(place)])]; }
  bool all_ended() const { return std::all_of(systems_.begin(), systems_.end(), std::mem_fn(&System::ended)); }

  // A new record of the steps costs a GPU as much as some steps of a few systems.
  bool drops_now() {
    if (!drops_) return false;
    Index ended = 0;
    for (Index place = 0; place < active_; ++place) ended += at(place).ended() ? 1 : 0;
    return ended * (steps_->ahead() > 0 ? 4 : active_) >= active_;
  }

  void apply(ArrayRef<const Complex> from, ArrayRef<Complex> to) {
    const Shape shape = drops_ ? shape_.tail().with_front(active_) : shape_;
    const ArrayRef<const Complex> in(from.data(), shape, from.device());
    const ArrayRef<Complex> out(to.data(), shape, to.device());
    A_(ctx_, std::span<const Index>(order_).first(static_cast<std::size_t>(active_)), in, out);
  }

  void prepare() {
    std::vector<kernels::ConjugateGradientStart> start;
    for (Index place = 0; place < active_; ++place) start.push_back(at(place).start());
    iterate_ = nullptr;  // before what it uses
    steps_ = kernels::make_conjugate_gradient_steps<Real>(
        ctx_, {split_[1], x_.data(), residual_.data(), direction_.data(), image_.data()}, start);
    iterate_ = kernels::make_repeatable(ctx_, [this] {
      apply(direction_, image_);
      steps_->move(ctx_);
      steps_->turn(ctx_);
    });
  }

  // The last systems take the places of those that have ended.
  void drop() {
    for (Index place = active_ - 1; place >= 0; --place) {
      if (!at(place).ended()) continue;
      --active_;
      if (place == active_) continue;
      exchange_x(place, active_);
      copy<Complex>(ctx_, residual_.slice(active_), residual_.slice(place));
      copy<Complex>(ctx_, direction_.slice(active_), direction_.slice(place));
    }
    prepare();
  }

  // By way of the image of a direction, which nobody needs between steps.
  void exchange_x(Index a, Index b) {
    const ArrayRef<Complex> between = image_.slice(0);
    copy<Complex>(ctx_, x_.slice(a), between);
    copy<Complex>(ctx_, x_.slice(b), x_.slice(a));
    copy<Complex>(ctx_, between, x_.slice(b));
    std::swap(order_[static_cast<std::size_t>(a)], order_[static_cast<std::size_t>(b)]);
  }

  void restore_order() {
    for (Index place = 0; place < split_[0]; ++place) {
      while (order_[static_cast<std::size_t>(place)] != place) {
        exchange_x(place, order_[static_cast<std::size_t>(place)]);
      }
    }
  }

  const Context& ctx_;
  const NormalOfSystems<Real>& A_;
  SolverStates<Real>* states_;  // or none
  bool drops_;
  Index active_;              // systems in the first places, to which A is applied
  Shape split_;               // [system, element]
  Shape shape_;               // of b and x
  std::vector<Index> order_;  // the system at each place
  ArrayRef<Complex> x_;
  Array<Complex> residual_;
  Array<Complex> image_;
  Array<Complex> direction_;
  std::vector<System> systems_;
  std::unique_ptr<kernels::ConjugateGradientSteps> steps_;
  std::function<void()> iterate_;
  int first_ = 0;  // the iteration that was the first one of these steps
};

// b and x hold `count` systems one after another. make_b() makes an array of b that is the solver's.
template <class Real, class Make>
std::vector<SolverReport> solve(const Context& ctx, const NormalOfSystems<Real>& A, bool drops, Index count,
                                ArrayRef<const std::complex<Real>> b, const Make& make_b,
                                ArrayRef<std::complex<Real>> x, const ConjugateGradientOptions& options,
                                const IterationCallback& callback, SolverStates<Real>* states = nullptr) {
  using Complex = std::complex<Real>;
  check_arguments(b.shape(), x.shape(), options);
  if (overlap<Complex, Complex>(b, x)) {
    throw ValueError("conjugate gradient: b and x overlap in memory; x needs an array of its own");
  }
  Systems<Real> systems(ctx, A, drops, count, make_b(), x, options, states);
  systems.solve(options, callback);
  return systems.take();
}

// Makes a copy of b, which stays the caller's.
template <class Real>
auto copy_of(const Context& ctx, ArrayRef<const std::complex<Real>> b) {
  return [&ctx, b] { return clone<std::complex<Real>>(ctx, b); };
}

void check_function(bool there) {
  if (!there) throw ValueError("conjugate gradient: the function for A is empty, expected z = A x");
}

// A function that takes all systems.
template <class Real>
NormalOfSystems<Real> of_all(const NormalFunction<Real>& A) {
  check_function(static_cast<bool>(A));
  return [&A](const Context& ctx, std::span<const Index>, ArrayRef<const std::complex<Real>> x,
              ArrayRef<std::complex<Real>> z) { A(ctx, x, z); };
}

Index systems_in(const Shape& b) {
  if (b.rank() == 0 || b[0] < 1) {
    throw ShapeError(fmt::format("conjugate gradients: b has shape {}, expected [system, ...] with one system or more",
                                 to_string(b)));
  }
  return b[0];
}

}  // namespace

template <Precision Real>
SolverReport conjugate_gradient(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                                ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                                const ConjugateGradientOptions& options, const IterationCallback& callback) {
  return std::move(solve<Real>(ctx, of_all<Real>(A), false, 1, b, copy_of<Real>(ctx, b), x, options, callback).front());
}

template <Precision Real>
std::vector<SolverReport> conjugate_gradients(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                                              ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                                              const ConjugateGradientOptions& options,
                                              const IterationCallback& callback) {
  return solve<Real>(ctx, of_all<Real>(A), false, systems_in(b.shape()), b, copy_of<Real>(ctx, b), x, options,
                     callback);
}

template <Precision Real>
std::vector<SolverReport> conjugate_gradients(const Context& ctx, const std::type_identity_t<NormalOfSystems<Real>>& A,
                                              ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                                              const ConjugateGradientOptions& options,
                                              const IterationCallback& callback, SolverStates<Real>* states) {
  check_function(static_cast<bool>(A));
  return solve<Real>(ctx, A, true, systems_in(b.shape()), b, copy_of<Real>(ctx, b), x, options, callback, states);
}

template <class Real>
std::vector<SolverReport> conjugate_gradient_detail::conjugate_gradients_from(
    const Context& ctx, const NormalOfSystems<Real>& A, Array<std::complex<Real>> b, ArrayRef<std::complex<Real>> x,
    const ConjugateGradientOptions& options, const IterationCallback& callback, SolverStates<Real>* states) {
  const ArrayRef<const std::complex<Real>> right = b;
  return solve<Real>(
      ctx, A, true, systems_in(right.shape()), right, [&b] { return std::move(b); }, x, options, callback, states);
}

#define WHORL_INSTANTIATE(Real)                                                                                       \
  template SolverReport conjugate_gradient<Real>(const Context&, const NormalFunction<Real>&,                         \
                                                 ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>,    \
                                                 const ConjugateGradientOptions&, const IterationCallback&);          \
  template std::vector<SolverReport> conjugate_gradients<Real>(                                                       \
      const Context&, const NormalFunction<Real>&, ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>,  \
      const ConjugateGradientOptions&, const IterationCallback&);                                                     \
  template std::vector<SolverReport> conjugate_gradients<Real>(                                                       \
      const Context&, const NormalOfSystems<Real>&, ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>, \
      const ConjugateGradientOptions&, const IterationCallback&, SolverStates<Real>*);                                \
  template std::vector<SolverReport> conjugate_gradient_detail::conjugate_gradients_from<Real>(                       \
      const Context&, const NormalOfSystems<Real>&, Array<std::complex<Real>>, ArrayRef<std::complex<Real>>,          \
      const ConjugateGradientOptions&, const IterationCallback&, SolverStates<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
