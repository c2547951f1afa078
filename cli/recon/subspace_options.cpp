#include "cli/recon/subspace_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "cli/output/file_name.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/image_writer.hpp"

namespace whorl::cli {

namespace {

bool is_dictionary(const SubspaceRequest& request) {
  return request.from == SubspaceSource::t2 || request.from == SubspaceSource::t1;
}

const OptionTable<SubspaceRequest>& subspace_table() {
  using Subspace = SubspaceRequest;
  static const OptionTable<Subspace> table =
      OptionTable<Subspace>("subspace")
          .group("Subspace (cg-sense)")
          .choice("subspace-from", &Subspace::from,
                  {{"none", SubspaceSource::none},
                   {"t2", SubspaceSource::t2},
                   {"t1", SubspaceSource::t1},
                   {"frames", SubspaceSource::frames}},
                  "Make the basis: from exp(-t/T2), from 1 - 2 exp(-t/T1), or from the frames at low resolution")
          .integer("subspace-rank", &Subspace::rank, {1, 32}, "", "Components of the basis")
          .when("a subspace", [](const Subspace& request) { return request.any(); })
          .list("relaxation", &Subspace::relaxation_ms, 2, 2, OptionRange::more_than(0), "ms",
                "Shortest and longest T2 or T1 of the signals")
          .when("--subspace-from t2 or t1", &is_dictionary)
          .integer("subspace-resolution", &Subspace::resolution, {4, 256}, "points",
                   "Extent of the frames that make a basis, along each axis")
          .when("--subspace-from frames",
                [](const Subspace& request) { return request.from == SubspaceSource::frames; });
  return table;
}

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
  if (!request.file.empty()) {
    const auto vectors = converted<std::complex<double>>(ctx, read_array(ctx, request.file).values, request.file);
    SubspaceBasis basis = basis_of_vectors(ctx, vectors, request.rank);
    basis.origin = fmt::format("from '{}'", request.file);
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

void add_subspace_options(App& app, SubspaceRequest& request, const ReconOptions& recon) {
  constexpr const char* group = "Subspace (cg-sense)";
  const auto is_cg_sense = [&recon] { return recon.method == ReconMethod::cg_sense; };
  app.add_input(
         "--subspace", request.file,
         "Reconstruct the frames as sums of a few courses: a basis [frame, component] of this file (or FILE:NAME). "
         "The images are then those of the components")
      ->group(group)
      ->when("cg-sense", is_cg_sense);
  add_options(app, request, subspace_table());
  app.get_option("--subspace-from")->excludes("--subspace")->when("cg-sense", is_cg_sense);
  app.add_output("--subspace-frames", request.frames, image_output(), "Also write the frames: " + image_extensions())
      ->group(group)
      ->when("a subspace", [&request] { return request.any(); });
  app.add_output("--save-subspace", request.saved, array_output(), "Write the basis [frame, component]")
      ->group(group)
      ->when("a subspace", [&request] { return request.any(); });
}

std::vector<ImageFrame> image_frames(const SubspaceRequest& request, const Scan& scan) {
  std::vector<ImageFrame> frames;
  std::vector<ImageFrame> components;
  for (const ScanFrame& frame : scan.frames) {
    frames.push_back({frame.index, frame.geometry});
    const bool known = !components.empty() && components.back().index.slice == frame.index.slice;
    if (!known) components.insert(components.end(), static_cast<std::size_t>(request.rank), frames.back());
  }
  return request.any() ? components : frames;
}

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

Parameters describe(const SubspaceRequest& request) {
  if (!request.any()) return {};
  Parameters parameters = parameters_of(request, subspace_table());
  if (!request.file.empty()) parameters.emplace_back("subspace", request.file);
  return parameters;
}

}  // namespace whorl::cli
