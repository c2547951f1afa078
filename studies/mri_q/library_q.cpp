#include "studies/mri_q/library_q.hpp"

#include <cmath>
#include <utility>

#include "whorl/op/dft.hpp"
#include "whorl/op/position_dft.hpp"

namespace whorl::studies::mri_q {

namespace {

/// [point, axis] from [axis, point], times a factor.
Array<double> rows_of(const Context& ctx, ArrayRef<const float> planes, double factor) {
  const auto from = planes.view<2>();
  Array<double> rows(ctx.host(), {planes.extent(1), planes.extent(0)});
  const auto to = rows.view<2>();
  for (Index i = 0; i < planes.extent(1); ++i) {
    for (Index axis = 0; axis < planes.extent(0); ++axis) to(i, axis) = factor * from(axis, i);
  }
  return rows;
}

}  // namespace

LibraryQ::LibraryQ(const Context& ctx, const Problem& problem, std::unique_ptr<LinearOperator<float>> op, double factor)
    : op_(std::move(op)), q_(ctx, op_->domain()) {
  Array<Complex> weights(ctx.host(), op_->range());
  for (Index j = 0; j < weights.size(); ++j) {
    weights.data()[j] = static_cast<float>(factor * std::norm(std::complex<double>(problem.phi.data()[j])));
  }
  weights_ = clone(ctx, weights.ref());
}

void LibraryQ::run(const Context& ctx) { op_->adjoint(ctx, weights_, q_); }

Array<Complex> LibraryQ::result(const Context& ctx) const {
  Array<Complex> here = to_host(ctx, q_.ref());
  here.reshape({here.size()});
  return here;
}

Array<float> LibraryQ::planes(const Context& ctx) const {
  const Array<Complex> here = result(ctx);
  Array<float> parts(ctx.host(), {2, here.size()});
  for (Index i = 0; i < here.size(); ++i) {
    parts.data()[i] = here.data()[i].real();
    parts.data()[here.size() + i] = here.data()[i].imag();
  }
  return parts;
}

LibraryQ q_anywhere(const Context& ctx, const Problem& problem) {
  return {ctx, problem,
          std::make_unique<PositionDft<float>>(ctx, rows_of(ctx, problem.k, 1), rows_of(ctx, problem.r, 1), 1), 1};
}

LibraryQ q_on_grid(const Context& ctx, const Problem& problem, Index size) {
  // Dft takes cycles per voxel, and has a factor that makes it close to unitary.
  return {ctx, problem,
          std::make_unique<Dft<float>>(ctx, rows_of(ctx, problem.k, 1 / static_cast<double>(size)),
                                       Shape{size, size, size}, 1),
          std::sqrt(static_cast<double>(problem.voxels()))};
}

}  // namespace whorl::studies::mri_q
