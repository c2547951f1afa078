#include "studies/fhd/multi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "bench/timing.hpp"
#include "kernels/device_runtime.hpp"
#include "whorl/measure/error_measures.hpp"

namespace whorl::studies::fhd {

namespace {

using Wide = std::complex<double>;

double relative_error(const Array<Wide>& sums, const Array<Wide>& truth) {
  constexpr double percent = 100;
  return error_measures<Wide>(Context(), sums, truth.ref()).percent_error / percent;
}

/// Numbers of workers: 1, 2, 4, ... and all of them.
std::vector<std::size_t> numbers_up_to(std::size_t all) {
  std::vector<std::size_t> numbers;
  for (std::size_t n = 1; n < all; n *= 2) numbers.push_back(n);
  numbers.push_back(all);
  return numbers;
}

}  // namespace

std::vector<Context> workers_of(const Context& ctx) {
  std::vector<Context> workers;
  if (ctx.device().kind == DeviceKind::cpu) {
    for (int i = 0; i < ctx.threads(); ++i) workers.push_back(Context({.threads = 1}).with(ctx.cancel_token()));
    return workers;
  }
  workers.push_back(ctx);
  const int count = kernels::runtime_of(ctx.device().kind)->count();
  for (int i = 0; i < count; ++i) {
    if (i != ctx.device().index) workers.push_back(ctx.on({ctx.device().kind, i}));
  }
  return workers;
}

SharedSums::SharedSums(std::span<const Context> workers, const Scan& scan) {
  const Index voxels = scan.image[0] * scan.image[1] * scan.image[2];
  const auto count = static_cast<Index>(workers.size());
  for (Index i = 0; i < count; ++i) {
    const Index first = voxels * i / count;
    const Index here = voxels * (i + 1) / count - first;
    if (here == 0) continue;
    const Context& ctx = workers[static_cast<std::size_t>(i)];
    parts_.push_back({ctx, problem_of<float>(ctx, scan, first, here), Array<float>(ctx, {2, here})});
  }
}

void SharedSums::run(const Step<float>& step) {
  std::vector<std::exception_ptr> errors(parts_.size());
  const auto work = [&](std::size_t i) {
    try {
      step.run(parts_[i].ctx, parts_[i].problem, parts_[i].sums);
      parts_[i].ctx.synchronize();
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < parts_.size(); ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

Array<Wide> SharedSums::result() const {
  Index voxels = 0;
  for (const Part& part : parts_) voxels += part.sums.extent(1);
  Array<Wide> all(Context(), {voxels});
  Wide* next = all.data();
  for (const Part& part : parts_) {
    const Array<float> here = to_host(part.ctx, part.sums.ref());
    const Index count = here.extent(1);
    for (Index i = 0; i < count; ++i) *next++ = {here.data()[i], here.data()[count + i]};
  }
  return all;
}

Scan scan_of_q(const Scan& scan) {
  const Context host;
  Scan q{{2 * scan.image[0], 2 * scan.image[1], 2 * scan.image[2]}, clone(host, scan.points.ref()), {}, {}};
  q.phi = Array<Wide>(host, scan.phi.shape());
  q.data = Array<Wide>(host, scan.data.shape());
  fill<Wide>(q.phi, 1);
  fill<Wide>(q.data, 1);
  return q;
}

Table multi_table(const Context& ctx, const std::string& name, const Trial& trial, const Step<float>& step) {
  const bool gpu = ctx.device().kind == DeviceKind::cuda;
  const std::string workers_are = gpu ? "GPUs" : "threads";
  Table table{name,
              fmt::format("Voxels divided among the {} of the machine: {}", workers_are, step.name),
              {"sum", workers_are, "ms", "x one", "efficiency %", "relative l2 error"},
              {}};
  const std::vector<Context> workers = workers_of(ctx);
  const Scan q = scan_of_q(trial.scan);
  const Array<Wide> q_truth = exact_sums(ctx, q);
  const auto add = [&](const std::string& sum, const Scan& scan, const Array<Wide>& truth) {
    double one = 0;
    for (const std::size_t count : numbers_up_to(workers.size())) {
      SharedSums sums(std::span<const Context>(workers).first(count), scan);
      const double ms = bench::time_work(ctx.host(), bench::Effort::brief, [&] { sums.run(step); }).median_ms;
      if (one == 0) one = ms;
      constexpr double percent = 100;
      const auto number = static_cast<double>(count);
      table.rows.push_back(
          {sum, number, ms, one / ms, percent * one / ms / number, relative_error(sums.result(), truth)});
    }
  };
  add("F^H d", trial.scan, trial.truth);
  add("Q", q, q_truth);
  return table;
}

}  // namespace whorl::studies::fhd
