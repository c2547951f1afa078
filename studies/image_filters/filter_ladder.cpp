#include "studies/image_filters/filter_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bench/timing.hpp"
#include "studies/ladder.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::studies::image_filters {

namespace {

// Multiply-adds that a step on a CPU does at a time; of what takes more, a part of the rows is done.
constexpr double most_work = 1e8;

int rows_of(const Context& ctx, const Step& step, const Job& job) {
  if (ctx.device().kind != DeviceKind::cpu || step.work == 0) return job.rows;
  const double part = most_work / (step.work * static_cast<double>(pixels_of(job)));
  return std::clamp(static_cast<int>(std::ceil(part * job.rows)), 1, job.rows);
}

/// Milliseconds of the first version; where that takes long, only a part of the rows is timed.
double first_ms(const Context& ctx, const Subject& subject, const Bench& bench) {
  const Step first = subject.steps(ctx, bench.job).front();
  Job job = bench.job;
  job.rows = rows_of(ctx, first, job);
  const double ms = bench::time_work(ctx, bench::Effort::brief, [&] { first.run(ctx, job); }).median_ms;
  return ms * bench.job.rows / job.rows;
}

/// Milliseconds of the first version by one thread of the host.
double one_thread_ms(const Subject& subject, Index height, Index width) {
  const Context ctx({.threads = 1});
  return first_ms(ctx, subject, Bench(ctx, subject, height, width));
}

double library_ms(const Context& ctx, const Subject& subject, Bench& bench) {
  const Pipeline library = Pipeline::parse(subject.pipeline);
  const auto work = [&] { library.filters().front()->apply(ctx, bench.picture, bench.result); };
  return bench::time_work(ctx, bench::Effort::brief, work).median_ms;
}

Ladder ladder_of(const Context& ctx, const Subject& subject, Bench& bench) {
  const auto pixels = static_cast<double>(bench.result.format().height * bench.result.format().width);
  Ladder ladder{.name = subject.name,
                .title = fmt::format("{}, {} x {} pixels", subject.title, bench.job.width, bench.job.height),
                .error = subject.error,
                .bytes = static_cast<double>(bench.picture.format().bytes() + bench.result.format().bytes()),
                .flops = subject.flops * pixels};
  const auto error = [&ctx, &bench, check = check_of(ctx, subject, bench)](int rows) {
    return check(to_host(ctx, bench.result), rows);
  };
  for (const Step& step : subject.steps(ctx, bench.job)) {
    Job job = bench.job;
    job.rows = rows_of(ctx, step, job);
    ladder.steps.push_back({.name = step.name,
                            .run = [&ctx, step, job] { step.run(ctx, job); },
                            .error = [error, rows = job.rows] { return error(rows); },
                            .share = static_cast<double>(job.rows) / bench.job.rows,
                            .published = step.published});
  }
  if (subject.library.empty()) return ladder;
  const auto library = std::make_shared<Pipeline>(Pipeline::parse(subject.pipeline));
  ladder.steps.push_back(
      {.name = subject.library,
       .run = [&ctx, &bench, library] { library->filters().front()->apply(ctx, bench.picture, bench.result); },
       .error = [error, rows = bench.job.rows] { return error(rows); },
       .product = true});
  return ladder;
}

void add_notes(const Subject& subject, const std::vector<Step>& steps, const std::vector<StepTime>& times,
               const Bench& bench, Results& results) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].same_result) continue;
    results.notes.push_back(fmt::format("{}, {}: another result, {:.0f} of {} pixels differ", subject.name,
                                        steps[i].name, times[i].error, pixels_of(bench.job)));
  }
}

}  // namespace

std::vector<Subject> all_subjects() {
  return {gaussian_ladder(),     unsharp_ladder(), identity_ladder(), custom_ladder(),     convolved_ladder(),
          sobel_ladder(),        canny_ladder(),   thinning_ladder(), hysteresis_ladder(), gray_world_ladder(),
          autocontrast_ladder(), resize_ladder(),  median_ladder()};
}

Table empty_summary(Index size) {
  const std::string large = fmt::format("{0} x {0}", size);
  return {
      "summary",
      fmt::format("First versions, the best of each ladder that computes the same, the library; ms at {}", large),
      {"filter", "first", "best", "library", "best x first", "library x first", "library x best",
       "one CPU thread, small", "library x one thread, small", "one CPU thread", "library x one thread", "published"},
      {}};
}

Table sizes_table(const Context& ctx, const std::vector<Subject>& subjects, Index size) {
  Table table{"sizes",
              "Times over the size of the picture (published: constant on a GPU)",
              {"filter", "size", "first version ms", "library ms", "first version ns/pixel", "library ns/pixel"},
              {}};
  constexpr Index least = 256;
  constexpr double nano_per_milli = 1e6;
  for (const Subject& subject : subjects) {
    if (subject.library.empty()) continue;
    for (Index edge = least; edge <= size; edge *= 2) {
      Bench bench(ctx, subject, edge, edge);
      const double first = first_ms(ctx, subject, bench);
      const double library = library_ms(ctx, subject, bench);
      const double per_pixel = nano_per_milli / static_cast<double>(pixels_of(bench.job));
      table.rows.push_back(
          {subject.name, static_cast<double>(edge), first, library, per_pixel * first, per_pixel * library});
      ctx.check_cancel("image_filters");
    }
  }
  return table;
}

void add_filter_step(const Context& ctx, const Subject& subject, Index size, const std::string& step,
                     Results& results) {
  Bench bench(ctx, subject, size, size);
  const Ladder ladder = one_step(ladder_of(ctx, subject, bench), step);
  add_ladder(ctx, ladder, device_limits(ctx), results);
}

void add_filter(const Context& ctx, const Subject& subject, Index size, const DeviceLimits& limits, Results& results,
                Table& summary) {
  Bench small(ctx, subject, small_height(size), small_width(size));
  const std::vector<StepTime> small_times = climb(ctx, ladder_of(ctx, subject, small));
  Bench large(ctx, subject, size, size);
  const Ladder ladder = ladder_of(ctx, subject, large);
  const std::vector<StepTime> times = climb(ctx, ladder);

  const double one_thread = one_thread_ms(subject, small_height(size), small_width(size));
  const double one_thread_large = one_thread_ms(subject, size, size);
  Table table = ladder_table(ladder, times, limits);
  const std::size_t own = table.columns.size();
  table.columns.insert(table.columns.end(), {"small ms", "small x first"});
  for (std::size_t i = 0; i < times.size(); ++i) {
    table.rows[i].resize(table.columns.size());
    table.rows[i][own] = small_times[i].ms;
    if (i > 0) table.rows[i][own + 1] = small_times[0].ms / small_times[i].ms;
  }
  results.tables.push_back(std::move(table));
  add_picture(results, [&] { return ladder_picture(ctx.device(), ladder, times); });
  const std::vector<Step> steps = subject.steps(ctx, large.job);
  add_notes(subject, steps, times, large, results);

  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].same_result) best = std::min(best, times[i].ms);
  }
  const double first = times.front().ms;
  std::vector<Cell> row(summary.columns.size());
  row[0] = subject.name;
  row[1] = first;
  row[2] = best;
  row[4] = first / best;
  if (times.size() > steps.size()) {
    const double library = times.back().ms;
    row[3] = library;
    row[5] = first / library;
    row[6] = best / library;
    row[8] = one_thread / small_times.back().ms;
    row[10] = one_thread_large / library;
  }
  row[7] = one_thread;
  row[9] = one_thread_large;
  if (!subject.published.empty()) row[11] = subject.published.text();
  summary.rows.push_back(std::move(row));
}

}  // namespace whorl::studies::image_filters
