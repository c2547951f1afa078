// Kernel family: the vector part of an iteration of conjugate gradient.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "kernels/registry.hpp"
#include "whorl/core/view.hpp"

namespace whorl::kernels {

/// The vectors of A x = b for several systems, [system, element]. `residual` and `direction` hold b - A x at the start;
/// `image` holds A direction when a step is taken.
template <class Real>
struct ConjugateGradientVectors {
  Index size;  ///< of one system
  std::complex<Real>* x;
  std::complex<Real>* residual;
  std::complex<Real>* direction;
  const std::complex<Real>* image;
};

/// |b - A x|^2 of a system at the start, and at which it has no more steps.
struct ConjugateGradientStart {
  double energy;
  double stop_energy;
};

/// What is known of a system after a step: p^H A p of its direction, and |b - A x|^2 after it.
struct ConjugateGradientState {
  double curvature;
  double energy;
};

/// Steps of conjugate gradient whose scalars stay on the device; each system has its own:
///
///   step = energy / curvature;  x += step p;  r -= step A p;  p = r + (|r|^2 / energy) p;  energy = |r|^2
///
/// A system does not step, and nothing of it changes, once energy <= stop_energy or where its curvature is not positive
/// and finite: the host may ask for steps before it knows how the last ones ended, and for systems that ended before
/// others.
class ConjugateGradientSteps {
 public:
  ConjugateGradientSteps() = default;
  virtual ~ConjugateGradientSteps() = default;
  ConjugateGradientSteps(const ConjugateGradientSteps&) = delete;
  ConjugateGradientSteps& operator=(const ConjugateGradientSteps&) = delete;

  /// Other systems of the same size in the same vectors, which hold their b - A x. What was asked for before has ended.
  virtual void restart(const Context& ctx, const std::vector<ConjugateGradientStart>& start) = 0;
  virtual void step(const Context& ctx) = 0;
  /// How step `index` (from 0) of a system ended, once it has: at most `ahead` steps may have been asked for after it.
  virtual ConjugateGradientState state_after(const Context& ctx, int index, Index system) = 0;
  /// How many steps should be asked for before the end of the first is looked at.
  virtual int ahead() const = 0;
};

/// Arguments: the vectors, the start of each system.
template <class Real>
inline Kernel<std::unique_ptr<ConjugateGradientSteps>(const Context&, const ConjugateGradientVectors<Real>&,
                                                      const std::vector<ConjugateGradientStart>&)>
    make_conjugate_gradient_steps{"conjugate gradient"};

}  // namespace whorl::kernels
