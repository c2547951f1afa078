// The versions of Canny on a GPU, put together from its parts.
#include <memory>

#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/canny/parts.cuh"

namespace whorl::studies::image_filters {

using namespace gpu;

namespace {

/// Weights on the device for all versions.
struct Weights {
  Array<double> exact;
  Array<float> rounded;
};

std::shared_ptr<const Weights> weights_on(const Context& ctx) {
  return std::make_shared<Weights>(Weights{window_on<double>(ctx), window_on<float>(ctx)});
}

// step: double, tests, branches, one pass; float
template <class Real>
Array<Byte> marks_by_branches(const Context& ctx, const Job& job, const Array<Real>& weights) {
  Array<Byte> marks(ctx, shape_of(job));
  branches<Real>(ctx, job, tested_slopes<Real>(ctx, job, tested_smooth<Real>(ctx, job, weights)), marks.data());
  return marks;
}
// end of step

// step: padding, table, divisions, one pass; connected components
Array<Byte> marks_by_table(const Context& ctx, const Job& job, const Array<float>& weights) {
  Array<Byte> marks(ctx, shape_of(job));
  table(ctx, job, thin_by_table, slopes_on_frame(ctx, job, smooth_on_frame(ctx, job, weights)), marks.data());
  return marks;
}
// end of step

// step: no angles
Array<Byte> marks_without_angles(const Context& ctx, const Job& job, const Array<float>& weights) {
  Array<Byte> marks(ctx, shape_of(job));
  by_sectors(ctx, job, sectors_of(ctx, job, smooth_on_frame(ctx, job, weights)), marks.data());
  return marks;
}
// end of step

}  // namespace

std::vector<Step> canny_on_gpu(const Context& ctx) {
  const std::shared_ptr<const Weights> w = weights_on(ctx);
  return {
      {"double, tests, branches, one pass",
       [w](const Context& c, const Job& j) { once(c, j, marks_by_branches<double>(c, j, w->exact)); },
       {},
       false},
      {"float", [w](const Context& c, const Job& j) { once(c, j, marks_by_branches<float>(c, j, w->rounded)); },
       said("gains everywhere"), false},
      {"padding, table, divisions, one pass",
       [w](const Context& c, const Job& j) { division<int>(c, j, marks_by_table(c, j, w->rounded)); },
       said("among the greatest"), false},
      {"connected components",
       [w](const Context& c, const Job& j) { components(c, j, marks_by_table(c, j, w->rounded)); }, said("not done")},
      {"no angles", [w](const Context& c, const Job& j) { components(c, j, marks_without_angles(c, j, w->rounded)); },
       said("not tried")}};
}

std::vector<Step> thinning_on_gpu(const Context& ctx, const Job& job) {
  struct Inputs {
    Slopes<double> exact;
    Slopes<float> slopes;
    Sectors sectors;
  };
  const Array<Byte> smoothed = tested_smooth<double>(ctx, job, window_on<double>(ctx));
  const auto inputs =
      std::make_shared<Inputs>(Inputs{tested_slopes<double>(ctx, job, smoothed),
                                      tested_slopes<float>(ctx, job, smoothed), sectors_of(ctx, job, smoothed)});
  return {
      {"double, branches", [inputs](const Context& c, const Job& j) { branches<double>(c, j, inputs->exact, j.to); }},
      {"float", [inputs](const Context& c, const Job& j) { branches<float>(c, j, inputs->slopes, j.to); },
       said("gains everywhere")},
      {"padding, the table as printed",
       [inputs](const Context& c, const Job& j) { table(c, j, thin_by_printed_table, inputs->slopes, j.to); },
       said("four paths to two"), false},
      {"padding, a table of the right index",
       [inputs](const Context& c, const Job& j) { table(c, j, thin_by_table, inputs->slopes, j.to); }},
      {"directions found with the slopes",
       [inputs](const Context& c, const Job& j) { by_sectors(c, j, inputs->sectors, j.to); }, said("not tried")}};
}

std::vector<Step> hysteresis_on_gpu(const Context& ctx, const Job& job) {
  const auto marks = std::make_shared<const Array<Byte>>(marks_by_branches<double>(ctx, job, window_on<double>(ctx)));
  return {{"one pass, branches", [marks](const Context& c, const Job& j) { once(c, j, *marks); }, {}, false},
          {"one pass, divisions of integers", [marks](const Context& c, const Job& j) { division<int>(c, j, *marks); },
           said("a gain"), false},
          {"one pass, divisions of floats",
           [marks](const Context& c, const Job& j) { division<float>(c, j, *marks); },
           {},
           false},
          {"connected components", [marks](const Context& c, const Job& j) { components(c, j, *marks); },
           said("not done")}};
}

}  // namespace whorl::studies::image_filters
