#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "whorl/comm/agree.hpp"
#include "whorl/comm/threads.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

namespace {

// The scan without the data of its frames, of which a rank gets copies of those that it needs.
Scan part_for(const Context& host, const Scan& scan) {
  Scan part = clone_without_frames(host, scan);
  for (const ScanFrame& frame : scan.frames) {
    part.frames.push_back({frame.index, frame.trajectory, frame.weights,
                           Array<std::complex<float>>(host, {scan.coils, 0}), frame.geometry});
  }
  return part;
}

// Each device does the work in a thread of its own, as a rank of the options that it is given. Only the first tells of its
// progress. If one fails, the others end, and what the first of them threw is thrown.
void on_devices(std::span<const Context> devices, const ReconOptions& options,
                const std::function<void(const Context&, const ReconOptions&)>& work) {
  if (devices.empty()) throw ValueError("reconstruction: no device, expected a context for each of one or more");
  if (options.resources.ranks != nullptr) {
    throw ValueError("reconstruction: several devices of a process, and ranks besides; expected one of both");
  }
  const auto ranks = thread_ranks(static_cast<int>(devices.size()));
  std::vector<std::exception_ptr> failures(devices.size());
  const auto work_on = [&](std::size_t number) {
    try {
      const Context& ctx = devices[number];
      const Context silent = number == 0 ? ctx : ctx.with(std::shared_ptr<ProgressSink>());
      ReconOptions own = options;
      own.resources.ranks = ranks[number];
      work(silent, own);
    } catch (...) {
      failures[number] = std::current_exception();
      ranks[number]->abort(1);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t number = 1; number < devices.size(); ++number) threads.emplace_back(work_on, number);
  work_on(0);
  for (std::thread& thread : threads) thread.join();
  try {
    if (failures.front() != nullptr) std::rethrow_exception(failures.front());
  } catch (const RanksFailed& error) {
    if (error.is_cancelled()) throw Cancelled(error.what());
    throw;
  }
}

}  // namespace

Reconstruction reconstruct(std::span<const Context> devices, Scan&& scan, const ReconOptions& options) {
  if (devices.size() == 1) return reconstruct(devices.front(), std::move(scan), options);
  Reconstruction result;
  on_devices(devices, options, [&](const Context& ctx, ReconOptions own) {
    const bool is_first = own.resources.ranks->rank() == 0;
    if (!is_first) own.resources.plans = nullptr;
    own.resources.frame_data = [&scan](const Context& host, std::span<const Index> frames) {
      std::vector<Array<std::complex<float>>> data;
      for (const Index frame : frames) {
        data.push_back(clone<std::complex<float>>(host, scan.frames[static_cast<std::size_t>(frame)].data.ref()));
      }
      return data;
    };
    agree(*own.resources.ranks, [&] {
      Reconstruction made = reconstruct(ctx, part_for(ctx.host(), scan), own);
      if (is_first) result = std::move(made);
    });
  });
  return result;
}

}  // namespace whorl
