// Gridding: the density-compensated adjoint of each coil's data, combined.
#include "recon/gridding/gridding_recon.hpp"
#include "recon/hold_to.hpp"
#include "recon/methods/method.hpp"

namespace whorl::recon {

namespace {

class Gridding : public Method {
 public:
  using Method::Method;

  void solve(const FrameGroup& group) override {
    ProgressStage stage(at_.run.ctx, group.title(at_.scan), static_cast<Index>(group.frames.size()));
    for (std::size_t i = 0; i < group.frames.size(); ++i) {
      const ScanFrame& frame = group.frames[i];
      const FrameImage what = at_.frame_image(group.first + static_cast<Index>(i));
      const GriddedImages gridded =
          gridded_coil_images(at_.run, frame, at_.encodings, at_.tiles.coils ? &at_.spill : nullptr);
      combine_coils(at_.run, gridded.images, what.maps, at_.options.combination, at_.images.of(what.number));
      hold_to<float>(context_at(at_.run.ctx, what.image.device()), at_.support.get(), at_.images.of(what.number));
      at_.error_bars.add_gridding(at_.run, what, at_.encodings.weights(at_.run, frame).density, gridded.scale);
      stage.advance();
    }
  }

  static void add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);
};

void Gridding::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
  plan.use(sizes.spilled_group_image() + gridding_memory(sizes.ctx, sizes.frame, sizes.image, sizes.coils,
                                                         sizes.transform, sizes.options, sizes.tiles),
           stages::gridding);
}

}  // namespace

const MethodEntry gridding_method = method_entry<Gridding>();

}  // namespace whorl::recon
