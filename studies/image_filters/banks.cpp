#include "studies/image_filters/banks.hpp"

#include <fmt/format.h>

#include "bench/timing.hpp"
#include "studies/image_filters/filter_ladder.hpp"

namespace whorl::studies::image_filters {

Window mean_window() {
  constexpr int radius = 3;
  constexpr int taps = (2 * radius + 1) * (2 * radius + 1);
  return {.radius = radius, .weights = std::vector<double>(taps, 1.0 / taps)};
}

Table banks_table(const Context& ctx, Index size) {
  Table table{"banks",
              fmt::format("A pixel in shared memory, mean of 7 x 7 pixels, {0} x {0} pixels", size),
              {"layout", "ms", "x first", "largest error, levels", "published"},
              {}};
  const Subject picture = identity_ladder();
  Bench bench(ctx, picture, size, size);
  const Image host = to_host(ctx, bench.picture);
  Job job = bench.job;
  job.from = host.pixels<Byte>().data();
  const Check check = largest_difference(ctx.host(), bench.result.format(), exact_convolution(job, mean_window()));
  double first = 0;
  for (const Step& step : bank_steps()) {
    const double ms = bench::time_work(ctx, bench::Effort::brief, [&] { step.run(ctx, bench.job); }).median_ms;
    if (first == 0) first = ms;
    table.rows.push_back({step.name, ms, table.rows.empty() ? Cell() : Cell(first / ms),
                          check(to_host(ctx, bench.result), bench.result.format().height), step.published.text()});
  }
  return table;
}

}  // namespace whorl::studies::image_filters
