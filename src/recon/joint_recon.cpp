#include "recon/joint_recon.hpp"

#include <utility>

#include "whorl/core/on_device.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

SolverReport joint_image(Run& run, Nlinv<float>& joint, const LinearOperator<float>& transform, const ScanFrame& frame,
                         ArrayRef<Complex> image, ArrayRef<Complex> sets) {
  const NlinvReport report = run.time("nlinv", [&] {
    const OnDevice<Complex> data(run.ctx, frame.data);  // spilled data lie on the host
    return joint.solve(run.ctx, transform, data.get());
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
