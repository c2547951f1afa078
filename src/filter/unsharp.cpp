#include "whorl/filter/unsharp.hpp"

#include "filter/describe.hpp"
#include "filter/filter_list.hpp"
#include "filter/stencil.hpp"

namespace whorl {

std::unique_ptr<Filter> make_unsharp(const UnsharpOptions& options) {
  constexpr double divisor = 6;
  return filters::make_stencil("unsharp", {{3, 3, {-1, -4, -1, -4, 26, -4, -1, -4, -1}}, divisor, 0, Negatives::clip},
                               options);
}

FilterDescriptor filters::unsharp_descriptor() {
  return filters::Describe<UnsharpOptions>("unsharp", &make_unsharp)
      .summary("Raise fine detail")
      .text("Correlation with {-1 -4 -1; -4 26 -4; -1 -4 -1} / 6, rounded to the nearest.")
      .border()
      .build();
}

}  // namespace whorl
