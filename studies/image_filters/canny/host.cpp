// The versions of Canny on a CPU, put together from its parts.
#include "studies/image_filters/canny/host.hpp"

#include <algorithm>
#include <memory>

namespace whorl::studies::image_filters {

namespace {

// step: double, tests, branches, one pass; float
template <class Real>
void first_version(const Context& ctx, const Job& job) {
  const Slopes<Real> slopes = host::slopes<Real>(ctx, host::smooth<Real>(ctx, job));
  host::one_pass(ctx, host::thin_by_branches(ctx, slopes), job.to);
}
// end of step

// step: padding, table, divisions, one pass
void without_branches(const Context& ctx, const Job& job) {
  const Slopes<float> slopes = host::slopes_padded(ctx, host::smooth_padded(ctx, job));
  host::one_pass_by_division<int>(ctx, host::thin_by_table(ctx, slopes), job.to);
}
// end of step

// step: connected components
void with_components(const Context& ctx, const Job& job) {
  const Slopes<float> slopes = host::slopes_padded(ctx, host::smooth_padded(ctx, job));
  host::connected(ctx, host::thin_by_table(ctx, slopes), job.to);
}
// end of step

// step: no angles
void without_angles(const Context& ctx, const Job& job) {
  const host::Sectors sectors = host::sectors(ctx, host::smooth_padded(ctx, job));
  host::connected(ctx, host::thin_by_sectors(ctx, sectors), job.to);
}
// end of step

void store(const Array<Byte>& marks, const Job& job) { std::copy_n(marks.data(), marks.size(), job.to); }

}  // namespace

std::vector<Step> canny_on_host() {
  return {{"double, tests, branches, one pass", first_version<double>, {}, false},
          {"float", first_version<float>, said("gains everywhere"), false},
          {"padding, table, divisions, one pass", without_branches, said("among the greatest"), false},
          {"connected components", with_components, said("not done")},
          {"no angles", without_angles, said("not tried")}};
}

std::vector<Step> thinning_on_host(const Context& ctx, const Job& job) {
  struct Inputs {
    Slopes<double> exact;
    Slopes<float> slopes;
    host::Sectors sectors;
  };
  const Array<Byte> smoothed = host::smooth<double>(ctx, job);
  const auto inputs = std::make_shared<Inputs>(
      Inputs{host::slopes<double>(ctx, smoothed), host::slopes<float>(ctx, smoothed), host::sectors(ctx, smoothed)});
  return {{"double, branches",
           [inputs](const Context& c, const Job& j) { store(host::thin_by_branches(c, inputs->exact), j); }},
          {"float", [inputs](const Context& c, const Job& j) { store(host::thin_by_branches(c, inputs->slopes), j); },
           said("gains everywhere")},
          {"padding, the table as printed",
           [inputs](const Context& c, const Job& j) { store(host::thin_by_printed_table(c, inputs->slopes), j); },
           said("four paths to two"), false},
          {"padding, a table of the right index",
           [inputs](const Context& c, const Job& j) { store(host::thin_by_table(c, inputs->slopes), j); }},
          {"directions found with the slopes",
           [inputs](const Context& c, const Job& j) { store(host::thin_by_sectors(c, inputs->sectors), j); },
           said("not tried")}};
}

std::vector<Step> hysteresis_on_host(const Context& ctx, const Job& job) {
  const auto marks = std::make_shared<const Array<Byte>>(
      host::thin_by_branches(ctx, host::slopes<double>(ctx, host::smooth<double>(ctx, job))));
  return {
      {"one pass, branches", [marks](const Context& c, const Job& j) { host::one_pass(c, *marks, j.to); }, {}, false},
      {"one pass, divisions of integers",
       [marks](const Context& c, const Job& j) { host::one_pass_by_division<int>(c, *marks, j.to); }, said("a gain"),
       false},
      {"one pass, divisions of floats",
       [marks](const Context& c, const Job& j) { host::one_pass_by_division<float>(c, *marks, j.to); },
       {},
       false},
      {"connected components", [marks](const Context& c, const Job& j) { host::connected(c, *marks, j.to); },
       said("not done")}};
}

}  // namespace whorl::studies::image_filters
