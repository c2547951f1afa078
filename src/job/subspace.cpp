#include "job/subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::job {

namespace {

// Frame n is n + 1 intervals after the excitation.
std::vector<double> frame_times(const Scan& scan, Index frames) {
  if (!(scan.frame_interval_ms > 0)) {
    throw ValueError(
        "subspace: signals of a relaxation need the time from frame to frame, which the scan does not say; give "
        "--spokes-per-frame and --readout-interval, or a basis in a file");
  }
  std::vector<double> times;
  for (Index t = 0; t < frames; ++t) times.push_back(scan.frame_interval_ms * static_cast<double>(t + 1));
  return times;
}

SubspaceBasis make_basis(const Context& ctx, const SubspaceRequest& request, const Scan& scan) {
  const int slice = scan.frames.front().index.slice;
  const auto frames = static_cast<Index>(std::count_if(
      scan.frames.begin(), scan.frames.end(), [&](const ScanFrame& frame) { return frame.index.slice == slice; }));
  if (request.basis.value != nullptr) {
    const SubspaceBasis& given = *request.basis.value;
    return {.vectors = clone(ctx, given.vectors.ref()), .part = given.part, .origin = given.origin};
  }
  if (request.basis.given()) {
    const std::string& file = request.basis.file;
    const auto vectors = converted<std::complex<double>>(ctx, read_array(ctx, file).values, file);
    SubspaceBasis basis = basis_of_vectors(ctx, vectors, request.rank);
    basis.origin = fmt::format("from '{}'", file);
    return basis;
  }
  if (request.from == SubspaceSource::frames) {
    return low_resolution_basis(ctx, scan, request.rank, request.resolution);
  }
  const DecayKind kind = request.from == SubspaceSource::t2 ? DecayKind::t2 : DecayKind::t1;
  SubspaceBasis basis =
      basis_of_signals(ctx, decay_signals(ctx, kind, request.relaxation_ms, frame_times(scan, frames)), request.rank);
  basis.origin = fmt::format("from signals of {} {:g} to {:g} ms", kind == DecayKind::t2 ? "T2" : "T1",
                             request.relaxation_ms[0], request.relaxation_ms[1]);
  return basis;
}

}  // namespace

SubspaceBasis subspace_basis(const Context& ctx, Communicator& ranks, const SubspaceRequest& request,
                             const Scan& scan) {
  SubspaceBasis basis;
  const bool makes = ranks.rank() == 0;
  agree(ranks, [&] {
    if (makes) basis = make_basis(ctx, request, scan);
  });
  if (ranks.size() == 1) return basis;
  std::array<Index, 2> extents{};
  if (makes) extents = {basis.frames(), basis.components()};
  ranks.broadcast(std::as_writable_bytes(std::span(extents)), 0);
  if (!makes) basis.vectors = Array<std::complex<double>>(ctx.host(), Shape{extents[0], extents[1]});
  ranks.broadcast(std::as_writable_bytes(basis.vectors.span()), 0);
  ranks.broadcast(std::as_writable_bytes(std::span(&basis.part, 1)), 0);
  basis.origin = broadcast_text(ranks, std::move(basis.origin), 0);
  return basis;
}

SubspaceFrames all_subspace_frames(const Context& ctx, const Reconstruction& coefficients, const SubspaceBasis& basis) {
  const Index components = basis.components();
  const Index slices = coefficients.images.extent(0) / components;
  const Shape volume = coefficients.images.shape().tail();
  SubspaceFrames all{Array<std::complex<float>>(ctx, volume.with_front(slices * basis.frames())), {}};
  for (Index s = 0; s < slices; ++s) {
    const ArrayRef<const std::complex<float>> of_slice(coefficients.images.slice(s * components).data(),
                                                       volume.with_front(components));
    const auto frames = subspace_frames(ctx, of_slice, basis);
    std::copy(frames.span().begin(), frames.span().end(), all.images.slice(s * basis.frames()).data());
    const ImageFrame& first = coefficients.frames[static_cast<std::size_t>(s * components)];
    for (Index t = 0; t < basis.frames(); ++t) {
      all.frames.push_back({{.slice = first.index.slice, .repetition = static_cast<int>(t)}, first.geometry});
    }
  }
  return all;
}

}  // namespace whorl::job
