// The cases under Google Benchmark, with its options (--benchmark_filter, --benchmark_repetitions, ...). The threads
// are those that the process may run on: `taskset -c 0 whorl_bench` times one.
#include <benchmark/benchmark.h>

#include "bench/case_runner.hpp"
#include "bench/filter_cases.hpp"
#include "bench/filter_test_image.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"

namespace {

using whorl::bench::Case;
using whorl::bench::CaseRunner;
using whorl::bench::Transform;

void run(benchmark::State& state, CaseRunner& runner, const Case& what) {
  try {
    runner.prepare(what);
    for (auto unused : state) {
      static_cast<void>(unused);
      runner.apply();
    }
  } catch (const whorl::Error& error) {
    state.SkipWithError(error.what());
    return;
  }
  using benchmark::Counter;
  const auto samples = static_cast<double>(runner.trajectory().samples() * what.coils);
  state.counters["samples/s"] = Counter(samples, Counter::kIsIterationInvariantRate);
  state.counters["s/sample"] = Counter(samples, Counter::kIsIterationInvariantRate | Counter::kInvert);
  if (what.transform != Transform::nufft) {
    state.counters["pairs/s"] =
        Counter(samples * static_cast<double>(what.problem->image.size()), Counter::kIsIterationInvariantRate);
  }
  state.counters["error"] = runner.error();
}

void run_filter(benchmark::State& state, const whorl::bench::FilterCase& what) {
  const whorl::Context ctx;
  const whorl::Pipeline pipeline = whorl::Pipeline::parse(what.text);
  const whorl::Image input = whorl::bench::filter_test_image(ctx, what.format);
  for (auto unused : state) {
    static_cast<void>(unused);
    benchmark::DoNotOptimize(pipeline.apply(ctx, input));
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(what.format.bytes() + pipeline.output(what.format).bytes()));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  CaseRunner runner{whorl::Context()};
  for (const Case& what : whorl::bench::all_cases()) {
    benchmark::RegisterBenchmark(what.name().c_str(),
                                 [&runner, what](benchmark::State& state) { run(state, runner, what); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const whorl::bench::FilterCase& what : whorl::bench::filter_cases()) {
    if (what.small) continue;
    benchmark::RegisterBenchmark(what.name().c_str(), [what](benchmark::State& state) { run_filter(state, what); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
