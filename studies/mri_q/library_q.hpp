// Q by the library: the adjoint of its exact transforms, applied to |phi|^2.
#pragma once

#include <memory>

#include "studies/mri_q/problem.hpp"
#include "whorl/op/linear_operator.hpp"

namespace whorl::studies::mri_q {

class LibraryQ {
 public:
  /// `problem` on the host; its op is one coil's, whose adjoint is Q but for the factor.
  LibraryQ(const Context& ctx, const Problem& problem, std::unique_ptr<LinearOperator<float>> op, double factor);

  /// Computes Q, on the context's device.
  void run(const Context& ctx);
  /// What it computed: [2, voxel], real parts and imaginary ones, on the host.
  Array<float> planes(const Context& ctx) const;
  /// [voxel], on the host.
  Array<Complex> result(const Context& ctx) const;

 private:
  std::unique_ptr<LinearOperator<float>> op_;
  Array<Complex> weights_;
  Array<Complex> q_;
};

/// For voxels anywhere: PositionDft.
LibraryQ q_anywhere(const Context& ctx, const Problem& problem);

/// For those of make_problem(size), which lie on a grid: Dft.
LibraryQ q_on_grid(const Context& ctx, const Problem& problem, Index size);

}  // namespace whorl::studies::mri_q
