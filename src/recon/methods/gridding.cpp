// Gridding: the density-compensated adjoint of each coil's data, combined.
#include "recon/gridding/gridding_recon.hpp"
#include "recon/hold_to.hpp"
#include "recon/methods/method.hpp"
#include "whorl/core/error.hpp"

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
      combine_coils(at_.run, gridded.images, what.maps, at_.options.gridding.combination, at_.images.of(what.number));
      hold_to<float>(context_at(at_.run.ctx, what.image.device()), at_.support.get(), at_.images.of(what.number));
      at_.error_bars.add_gridding(at_.run, what, at_.encodings.weights(at_.run, frame).density, gridded.scale);
      stage.advance();
    }
  }

  static constexpr bool grids = true;
  static void check(const Scan& scan, const ReconOptions& options);
  static Tiles may_spill(const SpillCase& of) {
    return {.maps = needs_coil_maps(of.options) && (of.on_host || !of.error_bars),
            .coils = of.nufft,
            .weights = true,
            .single = of.nufft};
  }
  static Index iterations(const ReconOptions& /*options*/) { return 0; }
  static void add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);
};

void Gridding::check(const Scan& /*scan*/, const ReconOptions& options) {
  refuse_least_squares("gridding", options);
  const bool is_matched = options.gridding.combination == CombinationMethod::matched;
  if (options.resources.normals != nullptr || options.keep_normals) {
    throw ValueError("reconstruction: gridding has no use for a normal operator; leave it out, or use cg-sense");
  }
  if (options.keep_maps && !is_matched) {
    throw ValueError(
        "reconstruction: the root of the sum of squares has no coil maps to keep; combine the coils matched");
  }
  if (options.signal.weights != nullptr) {
    throw ValueError("sample weights: gridding has density weights instead; use cg-sense or nlinv");
  }
  const ErrorBarOptions& wanted = options.error_bars;
  if (wanted.g_factor || wanted.bias || wanted.of_truth() || !wanted.points.empty()) {
    throw ValueError(
        "error bars: those of the truth, g-factor, bias and point spread are those of least squares; use cg-sense");
  }
  if (wanted.any() && !is_matched) {
    throw ValueError(
        "standard deviation: the root of the sum of squares is not linear in the data; combine the coils matched");
  }
}

void Gridding::add_memory(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
  plan.use(sizes.spilled_group_image() + gridding_memory(sizes.ctx, sizes.frame, sizes.image, sizes.coils,
                                                         sizes.transform, sizes.options, sizes.tiles),
           stages::gridding);
}

}  // namespace

const MethodEntry gridding_method = method_entry<Gridding>();

}  // namespace whorl::recon
