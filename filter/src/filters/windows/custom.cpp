#include "whorl/filter/windows/custom.hpp"

#include <fmt/format.h>

#include "filter/src/filters/windows/stencil.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

// The options as their text.
struct CustomText : CustomOptions {
  std::string text;
  std::string file;
};

std::unique_ptr<Filter> of_kernel(const CustomOptions& options) {
  return filters::make_stencil("custom", {options.kernel, options.divisor, options.offset, options.negatives}, options);
}

std::unique_ptr<Filter> of_text(const CustomText& options) {
  if (!options.text.empty() && !options.file.empty()) {
    throw ValueError("custom: kernel and file are given, expected one of them");
  }
  auto custom = static_cast<const CustomOptions&>(options);
  if (!options.file.empty()) {
    custom.kernel = read_kernel(options.file);
    return of_kernel(custom);
  }
  try {
    custom.kernel = parse_kernel(options.text);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("custom: {}", error.what()));
  }
  return of_kernel(custom);
}

// What the text and the struct have in common.
template <class Options>
DescribeFilter<Options>&& with_numbers(DescribeFilter<Options>&& filter) {
  constexpr double most = 1e9;
  return std::move(filter)
      .real("divisor", &Options::divisor, {-most, most}, "", "divides the sums")
      .that_is("of at least 1e-9 in magnitude", [](double divisor) { return std::abs(divisor) >= 1e-9; })
      .real("offset", &Options::offset, {-most, most}, "", "is added after the division, in the image's numbers")
      .template choice<Negatives>("output", &Options::negatives, filters::negatives_words(), filters::negatives_summary,
                                  false);
}

}  // namespace

std::unique_ptr<Filter> make_custom(const CustomOptions& options) {
  static const auto filter = with_numbers(DescribeFilter<CustomOptions>("custom", &of_kernel)).border();
  return filter.make(options);
}

FilterDescriptor filters::custom_descriptor() {
  return with_numbers(
             DescribeFilter<CustomText>("custom", &of_text)
                 .summary("Correlate with any small kernel")
                 .text("Each number is the sum of the products of the kernel with the pixels under it, divided by "
                       "divisor, "
                       "plus offset. The kernel is not normalized and not flipped (correlation, not convolution).")
                 .required_text("kernel", &CustomText::text, "rows of numbers, 'a,b,c;d,e,f;g,h,i', of odd extents",
                                "file"))
      .optional_text("file", &CustomText::file, "a text file with the kernel, rows by ';' or line", "none")
      .reads_file()
      .border()
      .build();
}

}  // namespace whorl
