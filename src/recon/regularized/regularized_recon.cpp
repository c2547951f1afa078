#include "recon/regularized/regularized_recon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"

namespace whorl::recon {

namespace {

bool span_frames(const ReconOptions& options) {
  return std::any_of(options.regularizers.begin(), options.regularizers.end(),
                     [](const Regularizer& what) { return what.spans_frames(); });
}

std::string describe_regularizers(const ReconOptions& options, double unit) {
  std::string terms;
  for (const Regularizer& what : options.regularizers) terms += (terms.empty() ? "" : ", ") + to_text(what);
  return fmt::format("Regularizers: {}; a weight of 1 is {:.4g} in the images.", terms, unit);
}

// Axes whose elements are numbered alike: [frame, z, y, x].
Shape series_shape(const Shape& images) {
  return {images[0], images.rank() == 4 ? images[1] : 1, images[-2], images[-1]};
}

}  // namespace

void check_regularizers(const ReconOptions& options) {
  if (options.regularizers.empty()) return;
  if (options.method != ReconMethod::cg_sense) {
    throw ValueError("reconstruction: regularizers belong to least squares; use cg-sense, or leave them out");
  }
  if (options.lambda_search) {
    throw ValueError(
        "reconstruction: lambda is chosen for least squares without regularizers; give it as a number, or 0");
  }
  if (options.error_bars.any()) {
    throw ValueError(
        "reconstruction: error bars are those of least squares without regularizers; leave one of both out");
  }
  static_cast<void>(solver_for(options.solver, options.regularizers));
}

FramesShare frames_share(const ReconOptions& options) {
  return span_frames(options) ? FramesShare::place : FramesShare::trajectory;
}

Operator<float> frames_encoding(Run& run, const FrameGroup& group, Encodings& encodings,
                                Array<std::complex<float>>& maps) {
  std::vector<Operator<float>> blocks;
  for (std::size_t i = 0; i < group.frames.size(); ++i) {
    const bool same = i > 0 && group.frames[i].trajectory == group.frames[i - 1].trajectory;
    blocks.push_back(same ? blocks.back() : encodings.transform(run, group.frames[i]).of_image(maps.share()));
  }
  return BlockDiagonal<float>(std::move(blocks));
}

SolverReport regularized_images(Run& run, const std::string& title, const RegularizedModel<float>& model,
                                const FrameGroup& group, const ReconOptions& options, double& unit,
                                ArrayRef<std::complex<float>> images) {
  using Complex = std::complex<float>;
  const Context& ctx = run.ctx;
  const Index count = images.extent(0);
  RegularizedModel<float> several{model.encoding, model.eigenvalue, {}};
  for (const QuadraticPenalty<float>& term : model.penalties) {
    several.penalties.push_back(
        {term.op == nullptr ? term.op : Operator<float>(BlockDiagonal<float>(term.op, count)), term.weight});
  }
  return run.time("regularized least squares", [&] {
    // b = A^H d / s, frame by frame, and |d|^2 / (2 s)
    Array<Complex> b(ctx, images.shape());
    double constant = 0;
    Array<Complex> data(ctx, model.encoding.range());
    Index start = 0;
    for (const ScanFrame& frame : group.frames) {
      const ArrayRef<Complex> part(data.data() + start, frame.data.shape(), data.device());
      copy<Complex>(ctx, frame.data, part);
      constant += dot<float>(ctx, part, part).real() / (2 * model.eigenvalue);
      start += part.size();
    }
    model.encoding.adjoint(ctx, data, b);
    data = {};
    axpby<float>(ctx, 1 / model.eigenvalue, b, 0, b);
    if (unit == 0) {
      unit = largest_magnitude<float>(ctx, b);
      if (!(unit > 0)) throw ValueError("regularized least squares: the data are zero, which leaves weights no unit");
      run.notes.push_back(describe_regularizers(options, unit));
    }
    const auto penalties = make_penalties<float>(series_shape(images.shape()), options.regularizers, unit);
    fill<Complex>(ctx, images, 0);
    return regularized_least_squares<float>(
        ctx, title, several, penalties,
        {options.iterations, options.tolerance, options.lambda, solver_for(options.solver, options.regularizers)}, b,
        constant, images);
  });
}

namespace {

// Arrays of the images' size that a term has.
struct TermArrays {
  Index duals = 1;
  Index unknowns = 0;  // besides the images
  Index working = 4;   // while its function or its normal operator works
};

TermArrays arrays_of(const Regularizer& what) {
  const Index axes = what.axes.empty() ? 3 : static_cast<Index>(what.axes.size());
  switch (what.kind) {
    case RegularizerKind::tv:
      return {axes, 0, 0};
    case RegularizerKind::tgv:
      return {axes + axes * (axes + 1) / 2, axes, axes + axes * (axes + 1) / 2};
    case RegularizerKind::ictv: {
      const Index each = what.mix > 0 ? 4 : 3;
      return {2 * each, 1, 2 * each + 1};
    }
    default:
      return {};
  }
}

}  // namespace

// ADMM has eleven arrays of all unknowns (with those of the preconditioner, whose two real ones count as one) and b, and a
// dual variable for each term. With further unknowns, images and b are
// there twice.
Index regularized_memory(const LeastSquaresSizes& sizes, Index frames, const ReconOptions& options) {
  const Index images = frames * sizes.voxels * static_cast<Index>(sizeof(std::complex<float>));
  Index duals = 0;
  Index unknowns = 1;
  Index working = 0;
  for (const Regularizer& what : options.regularizers) {
    const TermArrays arrays = arrays_of(what);
    duals += arrays.duals;
    unknowns += arrays.unknowns;
    working = std::max(working, arrays.working);
  }
  const Index copies = unknowns > 1 ? 1 + unknowns : 0;
  return std::max(sizes.adjoint() + images + frames * sizes.data,
                  (1 + copies + 11 * unknowns + duals) * images +
                      std::max(sizes.normal() + (sizes.penalized ? images : 0), working * images));
}

}  // namespace whorl::recon
