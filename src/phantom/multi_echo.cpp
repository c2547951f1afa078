#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phantom/noise_alone.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/phantom/dynamic.hpp"

namespace whorl {

namespace {

// The frames of a scan without data, once more for each echo.
Scan with_echoes(Scan scan, Index echoes) {
  std::vector<ScanFrame> frames;
  for (const ScanFrame& frame : scan.frames) {
    for (Index echo = 0; echo < echoes; ++echo) {
      ScanFrame& one = frames.emplace_back();
      one.index = frame.index;
      one.index.contrast = static_cast<int>(frame.index.contrast * echoes + echo);
      one.trajectory = frame.trajectory;
      one.weights = frame.weights;
      one.geometry = frame.geometry;
    }
  }
  std::stable_sort(frames.begin(), frames.end(),
                   [](const ScanFrame& a, const ScanFrame& b) { return a.index < b.index; });
  scan.frames = std::move(frames);
  return scan;
}

}  // namespace

Scan multi_echo_phantom_scan(const Context& ctx, const std::function<Phantom(double echo_time_s)>& phantom, Scan scan,
                             std::span<const double> echo_times_ms, PhantomScanOptions options) {
  const auto wrong = std::find_if(echo_times_ms.begin(), echo_times_ms.end(),
                                  [](double time) { return !(time >= 0 && std::isfinite(time)); });
  if (echo_times_ms.empty() || wrong != echo_times_ms.end()) {
    throw ValueError(fmt::format("phantom scan: {}, expected 0 ms or more for each echo",
                                 echo_times_ms.empty() ? "no echo time" : fmt::format("an echo at {:g} ms", *wrong)));
  }
  const auto echoes = static_cast<Index>(echo_times_ms.size());
  const int evolving_points = std::exchange(options.evolving_points, 0);
  scan = detail::noise_alone(ctx, phantom(0), with_echoes(std::move(scan), echoes), options);
  options.noise_standard_deviation = 0;
  options.evolving_points = evolving_points;
  for (Index echo = 0; echo < echoes; ++echo) {
    Scan one = clone_without_frames(ctx, scan);
    std::vector<ScanFrame*> frames;
    for (ScanFrame& frame : scan.frames) {
      if (frame.index.contrast % echoes != echo) continue;
      frames.push_back(&frame);
      one.frames.emplace_back().trajectory = frame.trajectory;
    }
    options.echo_time_ms = echo_times_ms[static_cast<std::size_t>(echo)];
    one = phantom_scan(ctx, phantom(options.echo_time_ms / 1000), std::move(one), options);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      axpby<float>(ctx, 1, one.frames[i].data.ref(), 1, frames[i]->data.ref());
    }
  }
  scan.echo_times_ms.assign(echo_times_ms.begin(), echo_times_ms.end());
  return scan;
}

}  // namespace whorl
