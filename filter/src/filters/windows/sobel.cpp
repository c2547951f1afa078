#include "whorl/filter/windows/sobel.hpp"

#include "filter/src/filters/windows/stencil.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

std::unique_ptr<Filter> slope(std::string name, std::vector<double> values, const SlopeOptions& options) {
  return filters::make_stencil(std::move(name), {{3, 3, std::move(values)}, 1, 0, options.negatives, true}, options);
}

const auto& sobel_x_filter() {
  static const auto filter =
      DescribeFilter<SlopeOptions>("sobel-x",
                                   [](const SlopeOptions& options) {
                                     return slope("sobel-x", {-1, 0, 1, -2, 0, 2, -1, 0, 1}, options);
                                   })
          .summary("Slope along x by Sobel's kernel")
          .text("Correlation with {-1 0 1; -2 0 2; -1 0 1}, not normalized: positive where the image grows with x.")
          .choice<Negatives>("output", &SlopeOptions::negatives, filters::negatives_words(), filters::negatives_summary,
                             false)
          .border();
  return filter;
}

const auto& sobel_y_filter() {
  static const auto filter =
      DescribeFilter<SlopeOptions>("sobel-y",
                                   [](const SlopeOptions& options) {
                                     return slope("sobel-y", {1, 2, 1, 0, 0, 0, -1, -2, -1}, options);
                                   })
          .summary("Slope along y by Sobel's kernel")
          .text(
              "Correlation with {1 2 1; 0 0 0; -1 -2 -1}, not normalized: positive where the image falls with y "
              "(OpenCV's has the opposite sign).")
          .choice<Negatives>("output", &SlopeOptions::negatives, filters::negatives_words(), filters::negatives_summary,
                             false)
          .border();
  return filter;
}

const auto& scharr_filter() {
  static const auto filter =
      DescribeFilter<ScharrOptions>("scharr",
                                    [](const ScharrOptions& options) {
                                      return options.axis == SlopeAxis::x
                                                 ? slope("scharr", {-3, 0, 3, -10, 0, 10, -3, 0, 3}, options)
                                                 : slope("scharr", {-3, -10, -3, 0, 0, 0, 3, 10, 3}, options);
                                    })
          .summary("Slope along one axis by Scharr's kernel")
          .text(
              "Correlation with {-3 0 3; -10 0 10; -3 0 3}, or its transpose for axis y, not normalized: positive "
              "where "
              "the image grows along the axis.")
          .choice<SlopeAxis>("axis", &ScharrOptions::axis, {{"x", SlopeAxis::x}, {"y", SlopeAxis::y}},
                             "along which the slope is taken")
          .choice<Negatives>("output", &ScharrOptions::negatives, filters::negatives_words(),
                             filters::negatives_summary, false)
          .border();
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_sobel_x(const SlopeOptions& options) { return sobel_x_filter().make(options); }

std::unique_ptr<Filter> make_sobel_y(const SlopeOptions& options) { return sobel_y_filter().make(options); }

std::unique_ptr<Filter> make_scharr(const ScharrOptions& options) { return scharr_filter().make(options); }

FilterDescriptor filters::scharr_descriptor() { return scharr_filter().build(); }

FilterDescriptor filters::sobel_x_descriptor() { return sobel_x_filter().build(); }

FilterDescriptor filters::sobel_y_descriptor() { return sobel_y_filter().build(); }

}  // namespace whorl
