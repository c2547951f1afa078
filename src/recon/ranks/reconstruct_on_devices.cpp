#include "recon/ranks/on_devices.hpp"

#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "whorl/comm/agree.hpp"
#include "whorl/comm/threads.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// The scan without the data of its frames, of which a rank gets copies of those that it needs.
Scan part_for(const Context& host, const Scan& scan) {
  Scan part{.source = scan.source,
            .system = scan.system,
            .matrix = scan.matrix,
            .coils = scan.coils,
            .trajectory_kind = scan.trajectory_kind,
            .trajectory_unit = scan.trajectory_unit,
            .noise = clone<std::complex<float>>(host, scan.noise.ref()),
            .noise_dwell_us = scan.noise_dwell_us,
            .dwell_us = scan.dwell_us,
            .readout_interval_ms = scan.readout_interval_ms,
            .frame_interval_ms = scan.frame_interval_ms,
            .readout_start_us = scan.readout_start_us,
            .coil_maps = clone<std::complex<float>>(host, scan.coil_maps.ref()),
            .frames = {},
            .notes = scan.notes};
  for (const ScanFrame& frame : scan.frames) {
    part.frames.push_back({frame.index, frame.trajectory, frame.weights,
                           Array<std::complex<float>>(host, {scan.coils, 0}), frame.geometry});
  }
  return part;
}

}  // namespace

Reconstruction recon::reconstruct_on_devices(std::span<const Context> devices, Scan&& scan, const ReconOptions& options,
                                             const DeviceWork& work) {
  if (devices.empty()) throw ValueError("reconstruction: no device, expected a context for each of one or more");
  if (devices.size() == 1) return work(devices.front(), std::move(scan), options);
  if (options.ranks != nullptr) {
    throw ValueError("reconstruction: several devices of a process, and ranks besides; expected one of both");
  }
  const auto ranks = thread_ranks(static_cast<int>(devices.size()));
  std::vector<Reconstruction> results(devices.size());
  std::vector<std::exception_ptr> failures(devices.size());
  const auto work_on = [&](std::size_t number) {
    try {
      ReconOptions own = options;
      own.ranks = ranks[number];
      if (number > 0) own.plans = nullptr;
      own.frame_data = [&scan](const Context& host, std::span<const Index> frames) {
        std::vector<Array<std::complex<float>>> data;
        for (const Index frame : frames) {
          data.push_back(clone<std::complex<float>>(host, scan.frames[static_cast<std::size_t>(frame)].data.ref()));
        }
        return data;
      };
      const Context& ctx = devices[number];
      const Context silent = number == 0 ? ctx : ctx.with(std::shared_ptr<ProgressSink>());
      agree(*ranks[number], [&] { results[number] = work(silent, part_for(silent.host(), scan), own); });
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
  return std::move(results.front());
}

Reconstruction reconstruct(std::span<const Context> devices, Scan&& scan, const ReconOptions& options) {
  return recon::reconstruct_on_devices(
      devices, std::move(scan), options,
      [](const Context& ctx, Scan&& part, const ReconOptions& own) { return reconstruct(ctx, std::move(part), own); });
}

}  // namespace whorl
