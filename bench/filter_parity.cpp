#include <algorithm>
#include <cmath>

#include "bench/filter_cases.hpp"
#include "bench/filter_test_image.hpp"
#include "bench/parity.hpp"
#include "bench/timing.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::bench {

namespace {

// Filters may round float32 in another order on each device, and say so (whorl/filter/filter.hpp).
constexpr double float_tolerance = 1e-6;

double largest_difference(const Image& found, const Image& expected) {
  return with_pixel_type(expected.format().type, [&](auto number) {
    using T = decltype(number);
    const auto a = found.pixels<T>().span();
    const auto b = expected.pixels<T>().span();
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      // Two NaNs are equal. Where only one number is NaN, so is the difference, and the check fails.
      const double here = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
      if (!(here <= difference) && !(std::isnan(a[i]) && std::isnan(b[i]))) difference = here;
      if (std::isnan(difference)) return difference;
      largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    }
    return std::is_floating_point_v<T> && largest > 0 ? difference / largest : difference;
  });
}

Parity check(const Context& ctx, const FilterCase& what) {
  const Pipeline pipeline = Pipeline::parse(what.text);
  const Context host = ctx.host();
  const Image here = filter_test_image(host, what.format);
  const Image expected = pipeline.apply(host, here);
  const Image input = clone(ctx, here);
  Image found;
  Parity parity;
  parity.median_ms = time_work(ctx, Effort::quick, [&] { found = pipeline.apply(ctx, input); }).median_ms;
  parity.error = largest_difference(to_host(ctx, found), expected);
  parity.allowed = expected.format().type == PixelType::float32 ? float_tolerance : 0;
  return parity;
}

}  // namespace

std::vector<KernelCheck> filter_checks() {
  std::vector<KernelCheck> checks;
  for (const FilterCase& what : filter_cases()) {
    if (what.small) checks.push_back({what.name(), [what](const Context& ctx) { return check(ctx, what); }});
  }
  return checks;
}

}  // namespace whorl::bench
