#include "recon/joint_recon.hpp"

#include <utility>

#include "calib/nlinv_tiles.hpp"
#include "op/nufft_workload.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/stage_memory.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

Nlinv<float> joint_solver(const Run& run, const Shape& image, Index coils, const CoilTransform& transform,
                          const ReconOptions& options, const Spill* spill,
                          std::shared_ptr<const Array<float>> support) {
  detail::NlinvTiles<float> tiles{.support = std::move(support)};
  if (spill != nullptr) {
    const bool on_host = run.ctx.device().kind == DeviceKind::cpu;
    if (transform.takes_some_coils()) tiles.coils_at_once = on_host ? transform.coils_at_once() : 1;
    tiles.make = [spill](const Shape& shape) { return spill->make(shape); };
  }
  return tiles.solver(run.ctx, image, coils, options.nlinv);
}

Index joint_memory(const Context& ctx, const Shape& image, const ScanFrame& frame, Index coils,
                   const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles) {
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const Array<double>& points = frame.trajectory->points;
  const Index samples = points.extent(0);
  const Index copied = tiles.data && !on_host ? samples : 0;
  if (!tiles.maps) {
    const Index images = coils * image.size() * complex_bytes;
    return images + detail::tiled_nlinv_memory<float>(ctx, image, coils, options.nlinv, transform, coils, copied);
  }
  const bool some = options.transform == TransformMethod::nufft && !options.signal.any();
  if (some && !on_host) {
    return detail::tiled_nlinv_memory<float>(ctx, image, coils, options.nlinv,
                                             transform_memory(ctx, image, points, 1, options), 1, copied);
  }
  Index at_once = coils;
  if (some) {
    const NufftOptions nufft = transform_options(ctx, image, samples, options);
    at_once = tiles.single ? 1 : nufft_workload<float>(ctx, image, samples, coils, nufft).coils_at_once;
  }
  return detail::tiled_nlinv_memory<float>(ctx, image, coils, options.nlinv, transform, at_once, copied);
}

SolverReport joint_image(Run& run, Nlinv<float>& joint, const LinearOperator<float>& transform, const ScanFrame& frame,
                         ArrayRef<Complex> image, ArrayRef<Complex> sets) {
  const NlinvReport report = run.time(stages::nlinv, [&] {
    return joint.solve(run.ctx, transform, frame.data);  // spilled data lie on the host
  });
  SolverReport said;
  for (const NlinvStep& step : report.steps) {
    said.residuals.push_back(step.misfit);
    said.iterations += step.iterations;
  }
  said.residuals.push_back(report.misfit);
  const Array<Complex> found = joint.image(run.ctx);
  copy<Complex>(run.ctx, found, image);
  if (sets.size() > 0) {
    const Array<Complex> made = joint.set_images(run.ctx);
    copy<Complex>(run.ctx, made.ref().reshape(sets.shape()), sets);
  }
  return said;
}

ArrayRef<Complex> sets_of(const Run& run, const Shape& images, Index sets, Index frame, Array<Complex>& all) {
  if (sets <= 1) return {};
  if (all.size() == 0) {
    all = Array<Complex>(run.ctx.host(), images.tail().with_front(sets).with_front(images[0]));
  }
  return all.slice(frame);
}

void KeptMaps::add(const Run& run, ArrayRef<const Complex> maps) {
  slices_.push_back(to_host<const Complex>(run.ctx, maps));
}

Array<Complex> KeptMaps::take(const Run& run, Index coils, const Shape& volume) {
  if (slices_.empty()) return {};
  const auto slices = static_cast<Index>(slices_.size());
  const Index sets = slices_.front().size() / (coils * volume.size());
  Array<Complex> maps(run.ctx.host(), volume.with_front(coils).with_front(sets).with_front(slices));
  for (Index s = 0; s < slices; ++s) {
    const ArrayRef<Complex> to = maps.slice(s);
    copy<Complex>(slices_[static_cast<std::size_t>(s)].ref().reshape(to.shape()), to);
  }
  slices_.clear();
  return maps;
}

}  // namespace whorl::recon
