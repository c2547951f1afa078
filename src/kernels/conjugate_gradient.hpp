// Kernel family: the vector part of an iteration of conjugate gradient.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "kernels/registry.hpp"
#include "whorl/core/view.hpp"

namespace whorl::kernels {

/// The vectors of A x = b for several systems, [system, element]. `residual` holds b - A x at the start, `direction` the same
/// or, with a preconditioner P^-1, P^-1 (b - A x). `image` holds A direction when x moves, `preconditioned` P^-1 residual
/// when the direction turns.
template <class Real>
struct ConjugateGradientVectors {
  Index size;  ///< of one system
  std::complex<Real>* x;
  std::complex<Real>* residual;
  std::complex<Real>* direction;
  const std::complex<Real>* image;
  const std::complex<Real>* preconditioned = nullptr;  ///< none: P = 1
};

/// <r, P^-1 r> of r = b - A x of a system at the start, and the value at which it makes no more steps.
struct ConjugateGradientStart {
  double energy;
  double stop_energy;
};

/// The state of a system after a step: p^H A p of the step's direction p, and <r, P^-1 r> after the step.
struct ConjugateGradientState {
  double curvature;
  double energy;
};

/// Steps of conjugate gradient whose scalars stay on the device; each system has its own:
///
///   move:  step = energy / curvature;  x += step p;  r -= step A p
///   turn:  p = P^-1 r + (<r, P^-1 r> / energy) p;  energy = <r, P^-1 r>
///
/// A system makes no step, and none of its numbers change, once energy <= stop_energy or if its curvature is not positive
/// and finite. So the host may ask for steps before it knows the results of earlier ones, and while some systems have
/// already ended.
class ConjugateGradientSteps {
 public:
  ConjugateGradientSteps() = default;
  virtual ~ConjugateGradientSteps() = default;
  ConjugateGradientSteps(const ConjugateGradientSteps&) = delete;
  ConjugateGradientSteps& operator=(const ConjugateGradientSteps&) = delete;

  /// Starts other systems of the same size in the same vectors, which hold their b - A x. Earlier steps must have ended.
  virtual void restart(const Context& ctx, const std::vector<ConjugateGradientStart>& start) = 0;
  virtual void move(const Context& ctx) = 0;
  virtual void turn(const Context& ctx) = 0;
  /// Waits for step `index` (from 0) of a system and returns its result. At most `ahead` later steps may be queued.
  virtual ConjugateGradientState state_after(const Context& ctx, int index, Index system) = 0;
  /// How many steps should be queued before the result of the first is read.
  virtual int ahead() const = 0;
};

/// Arguments: the vectors, the start of each system.
template <class Real>
inline Kernel<std::unique_ptr<ConjugateGradientSteps>(const Context&, const ConjugateGradientVectors<Real>&,
                                                      const std::vector<ConjugateGradientStart>&)>
    make_conjugate_gradient_steps{"conjugate gradient"};

}  // namespace whorl::kernels
