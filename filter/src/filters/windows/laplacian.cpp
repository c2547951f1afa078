#include "whorl/filter/windows/laplacian.hpp"

#include "filter/src/filters/windows/stencil.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

std::unique_ptr<Filter> unchecked_laplacian(const LaplacianOptions& options) {
  const ImageKernel kernel = options.neighbors == LaplacianNeighbors::four
                                 ? ImageKernel{3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0}}
                                 : ImageKernel{3, 3, {1, 1, 1, 1, -8, 1, 1, 1, 1}};
  return filters::make_stencil("laplacian", {kernel, 1, 0, options.negatives, true}, options);
}

const auto& laplacian_filter() {
  static const auto filter =
      DescribeFilter<LaplacianOptions>("laplacian", &unchecked_laplacian)
          .summary("Sum of second differences")
          .text("Correlation with {0 1 0; 1 -4 1; 0 1 0}, or {1 1 1; 1 -8 1; 1 1 1} for 8 neighbors.")
          .choice<LaplacianNeighbors>("neighbors", &LaplacianOptions::neighbors,
                                      {{"4", LaplacianNeighbors::four}, {"8", LaplacianNeighbors::eight}},
                                      "which of the pixels around it count")
          .choice<Negatives>("output", &LaplacianOptions::negatives, filters::negatives_words(),
                             filters::negatives_summary, false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_laplacian(const LaplacianOptions& options) { return laplacian_filter().make(options); }

FilterDescriptor filters::laplacian_descriptor() { return laplacian_filter().build(); }

}  // namespace whorl
