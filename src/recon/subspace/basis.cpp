#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/decompositions.hpp"
#include "recon/encoding/calibrate.hpp"
#include "whorl/calib/channel_matrix.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl {

namespace {

using Exact = std::complex<double>;
using RowMajor = detail::RowMajorMatrix<double>;

void check_finite_values(ArrayRef<const Exact> values, const char* what) {
  const bool finite = std::all_of(values.span().begin(), values.span().end(), [](const Exact& value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  });
  if (!finite) throw ValueError(fmt::format("subspace: {} that are not finite, expected numbers", what));
}

void check_rank(Index rank, Index most, const char* what) {
  if (rank < 1 || rank > most) {
    throw ValueError(
        fmt::format("subspace: a rank of {}, expected 1 to the {} {}; give it (--subspace-rank)", rank, most, what));
  }
}

// Largest component of each vector real and positive: eigenvectors have any phase.
void fix_phases(detail::Matrix<double>& vectors) {
  for (Eigen::Index column = 0; column < vectors.cols(); ++column) {
    Eigen::Index largest = 0;
    vectors.col(column).cwiseAbs().maxCoeff(&largest);
    const Exact value = vectors(largest, column);
    vectors.col(column) *= std::conj(value) / std::abs(value);
  }
}

// The eigenvectors of the largest eigenvalues of a Gram matrix [frame, frame].
SubspaceBasis principal_components(const Context& ctx, const detail::Matrix<double>& gram, Index rank) {
  const bool real = gram.imag().norm() == 0;
  Eigen::VectorXd values;
  detail::Matrix<double> vectors;
  if (real) {
    detail::Eigenpairs<Eigen::MatrixXd> pairs = detail::eigenpairs(Eigen::MatrixXd(gram.real()));
    values = std::move(pairs.values);
    vectors = pairs.vectors.cast<Exact>();
  } else {
    detail::Eigenpairs<detail::Matrix<double>> pairs = detail::eigenpairs(gram);
    values = std::move(pairs.values);
    vectors = std::move(pairs.vectors);
  }
  const double energy = values.sum();
  if (!(energy > 0)) throw ValueError("subspace: all signals are 0, expected some to take a basis from");
  detail::Matrix<double> kept = vectors.rightCols(rank).rowwise().reverse();
  fix_phases(kept);
  SubspaceBasis basis{Array<Exact>(ctx.host(), {gram.rows(), rank}), values.tail(rank).sum() / energy, {}};
  Eigen::Map<RowMajor>(basis.vectors.data(), gram.rows(), rank) = kept;
  return basis;
}

}  // namespace

SubspaceBasis basis_of_vectors(const Context& ctx, ArrayRef<const Exact> vectors, Index rank) {
  if (vectors.rank() != 2) {
    throw ShapeError(fmt::format("subspace: a basis {}, expected [frame, component]", to_string(vectors.shape())));
  }
  check_finite_values(vectors, "basis vectors");
  check_rank(rank, std::min(vectors.extent(0), vectors.extent(1)), "columns and rows of the basis");
  const Eigen::Map<const RowMajor> given(vectors.data(), vectors.extent(0), vectors.extent(1));
  detail::Matrix<double> kept = given.leftCols(rank);
  // Gram and Schmidt, twice: the second time removes what rounding left.
  for (Eigen::Index column = 0; column < rank; ++column) {
    const double before = kept.col(column).norm();
    for (int pass = 0; pass < 2; ++pass) {
      const auto earlier = kept.leftCols(column);
      kept.col(column) -= earlier * (earlier.adjoint() * kept.col(column)).eval();
    }
    const double after = kept.col(column).norm();
    if (!(after > 1e-9 * before)) {
      throw ValueError(
          fmt::format("subspace: basis vector {} depends on those before it, expected independent ones; take a rank of "
                      "{} at most",
                      column, column));
    }
    kept.col(column) /= after;
  }
  SubspaceBasis basis{Array<Exact>(ctx.host(), {vectors.extent(0), rank}), 1, "given"};
  Eigen::Map<RowMajor>(basis.vectors.data(), vectors.extent(0), rank) = kept;
  return basis;
}

SubspaceBasis basis_of_signals(const Context& ctx, ArrayRef<const Exact> signals, Index rank) {
  if (signals.rank() != 2 || signals.size() == 0) {
    throw ShapeError(fmt::format("subspace: signals {}, expected [signal, frame]", to_string(signals.shape())));
  }
  check_finite_values(signals, "signals");
  check_rank(rank, signals.extent(1), "frames");
  const Eigen::Map<const RowMajor> given(signals.data(), signals.extent(0), signals.extent(1));
  // sum over signals of s s^H, for the column s of a signal over the frames
  return principal_components(ctx, given.transpose() * given.conjugate(), rank);
}

Array<Exact> decay_signals(const Context& ctx, DecayKind kind, std::array<double, 2> relaxation_ms,
                           std::span<const double> times_ms) {
  const auto [shortest, longest] = relaxation_ms;
  if (!(shortest > 0 && shortest < longest) || !std::isfinite(longest)) {
    throw ValueError(fmt::format("subspace: relaxation times from {:g} to {:g} ms, expected 0 < shortest < longest",
                                 shortest, longest));
  }
  constexpr Index atoms = 256;
  const auto frames = static_cast<Index>(times_ms.size());
  Array<Exact> signals(ctx.host(), {atoms, frames});
  for (Index atom = 0; atom < atoms; ++atom) {
    const double relaxation =
        shortest * std::pow(longest / shortest, static_cast<double>(atom) / static_cast<double>(atoms - 1));
    for (Index t = 0; t < frames; ++t) {
      const double time = times_ms[static_cast<std::size_t>(t)];
      if (!(time >= 0) || !std::isfinite(time)) {
        throw ValueError(fmt::format("subspace: frame {} at {:g} ms, expected a time of 0 or more", t, time));
      }
      const double decay = std::exp(-time / relaxation);
      signals.data()[atom * frames + t] = kind == DecayKind::t2 ? decay : 1 - 2 * decay;
    }
  }
  return signals;
}

SubspaceBasis low_resolution_basis(const Context& ctx, const Scan& scan, Index rank, Index resolution) {
  std::vector<const ScanFrame*> frames;
  for (const ScanFrame& frame : scan.frames) {
    if (frame.index.slice == scan.frames.front().index.slice) frames.push_back(&frame);
  }
  const auto count = static_cast<Index>(frames.size());
  if (count < 2) throw ValueError(fmt::format("subspace: {} frames of a slice, expected at least 2", count));
  check_rank(rank, count, "frames");
  const Context host = ctx.host();
  ProgressStage progress(ctx, "subspace: low resolution", count);
  detail::Matrix<double> series;  // [frame, coil and pixel]
  for (Index t = 0; t < count; ++t) {
    const auto region =
        recon::calibration_region(host, *frames[static_cast<std::size_t>(t)], scan.image_shape(), resolution);
    if (t == 0) series.resize(count, region.size());
    for (Index i = 0; i < region.size(); ++i) series(t, i) = region.data()[i];
    progress.advance();
  }
  SubspaceBasis basis = principal_components(ctx, series * series.adjoint(), rank);
  basis.origin = fmt::format("principal components of {} frames at {} points along each axis", count, resolution);
  return basis;
}

Array<std::complex<float>> subspace_frames(const Context& ctx, ArrayRef<const std::complex<float>> coefficients,
                                           const SubspaceBasis& basis) {
  if (coefficients.rank() < 2 || coefficients.extent(0) != basis.components()) {
    throw ShapeError(fmt::format("subspace: coefficients {} for {} components, expected [component, z, y, x]",
                                 to_string(coefficients.shape()), basis.components()));
  }
  return apply_channel_matrix<float>(ctx.host(), basis.vectors, coefficients);
}

}  // namespace whorl
