// NLINV: images and coil maps together. Frames come one by one, those of a slice in their order.
#include "recon/joint_recon.hpp"
#include "recon/methods/method.hpp"
#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

class JointInversion : public Method {
 public:
  using Method::Method;

  void enter_slice(const FrameGroup& /*group*/) override { solver_.reset(); }

  void solve(const FrameGroup& group) override {
    const ScanFrame& frame = group.frames.front();
    const CoilTransform& transform = at_.encodings.transform(at_.run, frame);
    if (solver_ == nullptr) {
      solver_ =
          std::make_unique<Nlinv<float>>(joint_solver(at_.run, at_.image(), at_.scan.coils, transform, at_.options,
                                                      at_.tiles.maps ? &at_.spill : nullptr, at_.support));
    }
    const ArrayRef<std::complex<float>> sets =
        sets_of(at_.run, at_.images.all().shape(), at_.options.nlinv.sets, group.first, at_.result.set_images);
    at_.result.reports.push_back(
        joint_image(at_.run, *solver_, transform.of_coils(), frame, at_.images.of(group.first), sets));
  }

  Array<std::complex<float>> maps() override { return solver_->maps(at_.run.ctx); }

  static constexpr bool makes_maps = true;
  static void check(const Scan& /*scan*/, const ReconOptions& options) {
    refuse_least_squares("nlinv", options);
    if (!options.error_bars.any()) return;
    throw ValueError("error bars: nlinv is not linear in the data; use cg-sense, with its coil maps (maps nlinv)");
  }
  static Tiles may_spill(const SpillCase& of) {
    return {.maps = of.on_host || (of.nufft && !of.error_bars),
            .single = of.nufft && of.on_host,
            .pair = of.nufft && of.options.normal == NormalMethod::automatic && of.makes_normal()};
  }
  static Index iterations(const ReconOptions& options) { return Index{options.nlinv.steps} * options.nlinv.iterations; }
  static void add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);

 private:
  std::unique_ptr<Nlinv<float>> solver_;  // a frame starts from the one before
};

void JointInversion::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
  const Index sets = sizes.options.nlinv.sets;
  if (sizes.on_host() && sets > 1) plan.hold(sets * sizes.images * sizes.image_bytes());
  plan.use(sizes.spilled_group_image() + joint_memory(sizes.ctx, sizes.image, sizes.frame, sizes.coils, sizes.transform,
                                                      sizes.options, sizes.tiles),
           stages::nlinv);
}

}  // namespace

const MethodEntry nlinv_method = method_entry<JointInversion>();

}  // namespace whorl::recon
