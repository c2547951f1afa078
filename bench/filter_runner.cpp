#include "bench/filter_runner.hpp"

#include "bench/filter_test_image.hpp"
#include "bench/name_filter.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::bench {

std::vector<FilterCase> filters_like(const std::string& expression) {
  if (expression.empty()) return {};
  std::vector<FilterCase> cases = filter_cases();
  std::erase_if(cases, [](const FilterCase& one) { return one.small; });
  keep_like("bench", expression, cases, [](const FilterCase& one) { return one.name(); });
  return cases;
}

FilterMeasurement measure_filter(const Context& ctx, const FilterCase& what) {
  const Pipeline pipeline = Pipeline::parse(what.text);
  const Image input = filter_test_image(ctx, what.format);
  const Timing timing = time_work(ctx, Effort::settled, [&] { pipeline.apply(ctx, input); });
  return {what, timing, what.format.bytes() + pipeline.output(what.format).bytes()};
}

}  // namespace whorl::bench
