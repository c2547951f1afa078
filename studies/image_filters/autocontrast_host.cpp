// Autocontrast on a CPU. All versions first take the same histogram; they differ in the work per pixel.
#include "studies/image_filters/autocontrast.hpp"

namespace whorl::studies::image_filters {

LumaRange luma_range(const Context& host, const Job& job) {
  std::array<unsigned, levels> histogram{};
#pragma omp parallel num_threads(host.threads())
  {
    std::array<unsigned, levels> own{};
#pragma omp for schedule(static)
    for (Index i = 0; i < pixels_of(job); ++i) {
      const Byte* const pixel = job.from + 3 * i;
      ++own[static_cast<std::size_t>(luma(pixel[0], pixel[1], pixel[2]))];
    }
#pragma omp critical(whorl_study_histogram)
    for (std::size_t i = 0; i < own.size(); ++i) histogram[i] += own[i];
  }
  return range_of(histogram.data(), skipped_pixels(job));
}

namespace {

// step: double, two indices; float
// The report's first version: the index of a pixel is computed for the load and again for the store.
template <class Real>
void with_two_indices(const Context& ctx, const Job& job) {
  const LumaRange range = luma_range(ctx, job);
  const auto low = static_cast<Real>(range.low);
  const auto extent = static_cast<Real>(range.high - range.low);
  const Index width = job.width;
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < job.height; ++y) {
    for (int x = 0; x < job.width; ++x) {
      for (Index c = 0; c < 3; ++c) {
        const Real value = (static_cast<Real>(job.from[3 * (y * width + x) + c]) - low) * Real(255) / extent;
        job.to[3 * (y * width + x) + c] = cut_level(value);
      }
    }
  }
}
// end of step

// step: one index
// One index for both, and one loop over all numbers.
void with_one_index(const Context& ctx, const Job& job) {
  const LumaRange range = luma_range(ctx, job);
  const auto low = static_cast<float>(range.low);
  const auto extent = static_cast<float>(range.high - range.low);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < 3 * pixels_of(job); ++i) {
    job.to[i] = cut_level((static_cast<float>(job.from[i]) - low) * 255.0F / extent);
  }
}
// end of step

// step: a table of levels
// The new values of the 256 levels are computed once and looked up.
void by_level_table(const Context& ctx, const Job& job) {
  const LumaRange range = luma_range(ctx, job);
  std::array<Byte, levels> level{};
  for (int v = 0; v < levels; ++v) level[static_cast<std::size_t>(v)] = stretched_level(v, range);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index i = 0; i < 3 * pixels_of(job); ++i) job.to[i] = level[job.from[i]];
}
// end of step

}  // namespace

std::vector<Step> autocontrast_on_host() {
  return {{"double, two indices", with_two_indices<double>},
          {"float", with_two_indices<float>, said("gains everywhere")},
          {"one index", with_one_index, said("minimal")},
          {"a table of levels", by_level_table, said("not tried")}};
}

}  // namespace whorl::studies::image_filters
