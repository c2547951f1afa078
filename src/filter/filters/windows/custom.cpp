#include "whorl/filter/windows/custom.hpp"

#include <fmt/format.h>

#include "filter/filters/windows/stencil.hpp"
#include "filter/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

std::unique_ptr<Filter> make_custom(const CustomOptions& options) {
  return filters::make_stencil("custom", {options.kernel, options.divisor, options.offset, options.negatives}, options);
}

namespace {

// The options as their text.
struct CustomText : CustomOptions {
  std::string text;
  std::string file;
};

std::unique_ptr<Filter> make_from_text(const CustomText& options) {
  if (!options.text.empty() && !options.file.empty()) {
    throw ValueError("custom: kernel and file are given, expected one of them");
  }
  auto custom = static_cast<const CustomOptions&>(options);
  if (!options.file.empty()) {
    custom.kernel = read_kernel(options.file);
    return make_custom(custom);
  }
  try {
    custom.kernel = parse_kernel(options.text);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("custom: {}", error.what()));
  }
  return make_custom(custom);
}

}  // namespace

FilterDescriptor filters::custom_descriptor() {
  return DescribeFilter<CustomText>("custom", &make_from_text)
      .summary("Correlate with any small kernel")
      .text(
          "Each number is the sum of the products of the kernel with the pixels under it, divided by divisor, "
          "plus offset. The kernel is not normalized and not flipped (correlation, not convolution).")
      .required_text("kernel", &CustomText::text, "rows of numbers, 'a,b,c;d,e,f;g,h,i', of odd extents", "file")
      .real("divisor", &CustomText::divisor, {}, "", "divides the sums")
      .real("offset", &CustomText::offset, {}, "", "is added after the division, in the image's numbers")
      .choice<Negatives>("output", &CustomText::negatives, negatives_words(), negatives_summary, false)
      .optional_text("file", &CustomText::file, "a text file with the kernel, rows by ';' or line", "none")
      .reads_file()
      .border()
      .build();
}

}  // namespace whorl
