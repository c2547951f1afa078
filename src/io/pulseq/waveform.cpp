#include "io/pulseq/waveform.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::io::pulseq {

namespace {

void add_point(Waveform& waveform, double time, double value) {
  waveform.seconds.push_back(time);
  waveform.values.push_back(value);
}

void integrate(Waveform& waveform) {
  waveform.integral.assign(waveform.seconds.size(), 0);
  for (std::size_t i = 1; i < waveform.seconds.size(); ++i) {
    waveform.integral[i] = waveform.integral[i - 1] + (waveform.seconds[i] - waveform.seconds[i - 1]) *
                                                          (waveform.values[i] + waveform.values[i - 1]) / 2;
  }
}

Waveform trapezoid(const Gradient& gradient) {
  Waveform waveform;
  double time = gradient.delay;
  add_point(waveform, time, 0);
  add_point(waveform, time += gradient.rise, gradient.amplitude);
  add_point(waveform, time += gradient.flat, gradient.amplitude);
  add_point(waveform, time + gradient.fall, 0);
  return waveform;
}

}  // namespace

double Waveform::integral_to(double time) const {
  if (seconds.empty() || time <= seconds.front()) return 0;
  if (time >= seconds.back()) return integral.back();
  const auto next = static_cast<std::size_t>(std::upper_bound(seconds.begin(), seconds.end(), time) - seconds.begin());
  const std::size_t before = next - 1;
  const double since = time - seconds[before];
  const double slope = (values[next] - values[before]) / (seconds[next] - seconds[before]);
  return integral[before] + since * (values[before] + since * slope / 2);
}

double Waveform::value_at(double time) const {
  if (seconds.empty() || time < seconds.front() || time >= seconds.back()) return 0;
  const auto next = static_cast<std::size_t>(std::upper_bound(seconds.begin(), seconds.end(), time) - seconds.begin());
  const double part = (time - seconds[next - 1]) / (seconds[next] - seconds[next - 1]);
  return values[next - 1] + part * (values[next] - values[next - 1]);
}

const std::vector<double>& ShapeCache::get(Id shape) {
  const auto found = shapes_.find(shape);
  if (found != shapes_.end()) return found->second;
  const Shape1d& stored = event_of(*sequence_, sequence_->shapes, shape, "shape");
  values_ += std::max(stored.samples, static_cast<Index>(stored.stored.size()));
  if (values_ > most_held(sequence_->bytes)) {
    throw IoError(fmt::format("'{}': its shapes have more than {} values, which is too much for a file of its size",
                              sequence_->source, most_held(sequence_->bytes)));
  }
  return shapes_.emplace(shape, decompressed(*sequence_, shape)).first->second;
}

Waveform WaveformMaker::from_shape(const Gradient& gradient, Id id, double before) const {
  const std::vector<double>& shape = shapes_->get(gradient.shape);
  const auto fail = [&](const std::string& reason) {
    throw IoError(fmt::format("'{}': gradient {}: {}", sequence_->source, id, reason));
  };
  if (shape.empty()) fail("its shape has no samples");
  const double raster = sequence_->gradient_raster;
  const double scale = gradient.amplitude;
  Waveform waveform;
  if (gradient.time > 0) {
    const std::vector<double>& times = shapes_->get(gradient.time);
    if (times.size() != shape.size()) {
      fail(fmt::format("{} values, but {} times", shape.size(), times.size()));
    }
    if (times.front() < 0 || !std::is_sorted(times.begin(), times.end())) fail("its times do not increase");
    for (std::size_t i = 0; i < shape.size(); ++i) {
      add_point(waveform, gradient.delay + times[i] * raster, scale * shape[i]);
    }
    return waveform;
  }
  // Without times, values lie at the centers of the raster's cells; with time -1 also at the edges between them.
  const double step = gradient.time < 0 ? raster / 2 : raster;
  const double start = gradient.delay + raster / 2;
  const double last = scale * shape.back();
  add_point(waveform, gradient.delay, gradient.has_ends ? gradient.first : before);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    add_point(waveform, start + static_cast<double>(i) * step, scale * shape[i]);
  }
  // Half a raster beyond the last value, along the line of the last two.
  const double extrapolated =
      shape.size() > 1 ? last + (last - scale * shape[shape.size() - 2]) * (raster / 2) / step : last;
  add_point(waveform, waveform.seconds.back() + raster / 2, gradient.has_ends ? gradient.last : extrapolated);
  return waveform;
}

Waveform WaveformMaker::next(const Block& block, std::size_t axis) {
  double& before = before_[axis];
  const Id id = block.gradients[axis];
  if (id == 0) {
    before = 0;
    return {};
  }
  const Gradient& gradient = event_of(*sequence_, sequence_->gradients, id, "gradient");
  Waveform waveform =
      gradient.is_trapezoid ? trapezoid(gradient) : from_shape(gradient, id, gradient.delay > 0 ? 0 : before);
  integrate(waveform);
  points_ += static_cast<Index>(waveform.seconds.size());
  if (points_ > most_points(sequence_->bytes)) {
    throw IoError(fmt::format("'{}': its gradients have more than {} points, which is too much for a file of its size",
                              sequence_->source, most_points(sequence_->bytes)));
  }
  // A gradient goes on in the next block only where it ends with its block.
  constexpr double rounding = 1e-9;
  const bool goes_on = !gradient.is_trapezoid && waveform.end() + rounding >= block.duration;
  before = goes_on ? waveform.values.back() : 0;
  return waveform;
}

}  // namespace whorl::io::pulseq
