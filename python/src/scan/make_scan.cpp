// Scans that are made of arrays of Python.
#include "scan/make_scan.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/scan/sample_weights.hpp"

namespace whorl::python {

namespace {

using Complex = std::complex<float>;

// The part at an index of the first axis; it keeps the memory alive.
template <class T>
Array<T> part_of(const std::shared_ptr<Array<T>>& whole, Index index) {
  const ArrayRef<const T> part = std::as_const(*whole).slice(index);
  return Array<T>::adopt(std::shared_ptr<T>(whole, const_cast<T*>(part.data())), part.shape());
}

bool is_list(nb::handle object) { return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object); }

// [..., spoke, readout] is [..., sample]; readouts of another length than the trajectory's are another order of axes.
template <class T>
void join_readouts(Array<T>& values, const Trajectory& trajectory, const char* name) {
  const Shape& shape = values.shape();
  const Index samples = trajectory.samples();
  const Index readout = trajectory.readout_length;
  if (shape.rank() < 2 || shape[-1] == samples || shape[-1] * shape[-2] != samples) return;
  if (readout == 0 && shape.rank() < 3) return;
  if (readout != 0 && shape[-1] != readout) {
    throw ShapeError(std::string(name) + " has shape " + to_string(shape) + " with readouts of " +
                     std::to_string(shape[-1]) + " samples, the trajectory has readouts of " + std::to_string(readout) +
                     "; expected [..., spoke, readout]");
  }
  std::vector<Index> axes(shape.begin(), shape.end());
  axes.pop_back();
  axes.back() = samples;
  values.reshape(Shape(std::move(axes)));
}

void set_data(Scan& scan, nb::handle object, const Trajectory& trajectory) {
  if (object.is_none()) return;
  auto data = std::make_shared<Array<Complex>>(host_array<Complex>(Input(object, "data")));
  join_readouts(*data, trajectory, "data");
  if (data->shape() == Shape{trajectory.samples()}) data->reshape(data->shape().with_front(1));
  if (data->rank() == 2) data->reshape(data->shape().with_front(1));
  if (data->rank() != 3) {
    throw ShapeError("data has shape " + to_string(data->shape()) +
                     ", expected [coil, sample] or [frame, coil, sample], where samples may be [spoke, readout]");
  }
  scan.coils = data->extent(1);
  scan.frames.resize(static_cast<std::size_t>(data->extent(0)));
  for (std::size_t i = 0; i < scan.frames.size(); ++i) scan.frames[i].data = part_of(data, static_cast<Index>(i));
}

std::vector<std::shared_ptr<const Trajectory>> trajectories_from(nb::handle object, Index readout_length) {
  std::vector<std::shared_ptr<const Trajectory>> given;
  if (is_list(object)) {
    for (const nb::handle one : object) {
      if (nb::isinstance<nb::list>(one) && nb::len(one) > 0 && nb::isinstance<nb::float_>(one[0])) {
        throw ShapeError(
            "trajectory is a list of lists of numbers; pass numpy.array(...) for one trajectory, a list for frames");
      }
      given.push_back(trajectory_from(one, readout_length));
    }
  } else {
    given.push_back(trajectory_from(object, readout_length));
  }
  if (given.empty()) throw ShapeError("trajectory is an empty list, expected one trajectory, or one for each frame");
  return given;
}

void set_trajectories(Scan& scan, const std::vector<std::shared_ptr<const Trajectory>>& given) {
  if (scan.frames.empty()) scan.frames.resize(given.size());
  if (given.size() != 1 && given.size() != scan.frames.size()) {
    throw ShapeError("there are " + std::to_string(given.size()) + " trajectories for " +
                     std::to_string(scan.frames.size()) + " frames; pass one, or one for each");
  }
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    ScanFrame& frame = scan.frames[i];
    frame.trajectory = given[given.size() == 1 ? 0 : i];
    frame.index.repetition = static_cast<int>(i);
    const Index samples = frame.trajectory->samples();
    if (scan.coils == 0) frame.data = Array<Complex>(Context(), {0, samples});
    if (frame.data.extent(1) != samples) {
      throw ShapeError("data has " + std::to_string(frame.data.extent(1)) + " samples, the trajectory " +
                       std::to_string(samples));
    }
  }
}

void set_weights(Scan& scan, nb::handle object) {
  if (object.is_none()) return;
  std::vector<std::shared_ptr<const Array<float>>> given;
  const auto add = [&](nb::handle one) {
    Input input(one, "weights");
    auto weights = host_copy<float>(input);
    const std::size_t frame = std::min(given.size(), scan.frames.size() - 1);
    join_readouts(weights, *scan.frames[frame].trajectory, "weights");
    given.push_back(std::make_shared<const Array<float>>(std::move(weights)));
  };
  if (is_list(object)) {
    for (const nb::handle one : object) add(one);
  } else {
    add(object);
  }
  if (given.size() != 1 && given.size() != scan.frames.size()) {
    throw ShapeError("there are " + std::to_string(given.size()) + " arrays of weights for " +
                     std::to_string(scan.frames.size()) + " frames; pass one, or one for each");
  }
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    const auto& weights = given[given.size() == 1 ? 0 : i];
    if (weights->shape() != Shape{scan.frames[i].trajectory->samples()}) {
      throw ShapeError("weights has shape " + to_string(weights->shape()) + ", expected [" +
                       std::to_string(scan.frames[i].trajectory->samples()) + "], one for each sample");
    }
    scan.frames[i].weights = weights;
  }
}

void set_noise(Scan& scan, nb::handle object) {
  Array<Complex> noise = host_array<Complex>(Input(object, "noise"));
  if (noise.rank() == 1 && scan.coils == 1) noise.reshape(noise.shape().with_front(1));
  if (noise.rank() == 3) noise.reshape({noise.extent(0), noise.extent(1) * noise.extent(2)});
  if (noise.rank() != 2 || (scan.coils > 0 && noise.extent(0) != scan.coils)) {
    throw ShapeError("noise has shape " + to_string(noise.shape()) + ", expected [coil, sample] of " +
                     std::to_string(scan.coils) + " coils");
  }
  scan.noise = std::move(noise);
}

}  // namespace

Affine affine_from(nb::handle object) {
  Affine affine;
  Input input(object, "affine");
  const auto rows = input.rounded_to<double>();
  if (rows.rank() != 2 || rows.extent(0) < 3 || rows.extent(1) != 4) {
    throw ShapeError("affine has shape " + to_string(rows.shape()) + ", expected [3, 4] or [4, 4]");
  }
  const auto view = rows.view<2>();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) affine.matrix[i][j] = view(i, j);
  }
  return affine;
}

void set_maps(Scan& scan, nb::handle object) {
  if (object.is_none()) {
    scan.coil_maps = {};
    return;
  }
  if (scan.coils == 0)
    throw ValueError("coil_maps are those of the data's coils, and the scan has no data; give data too");
  Array<Complex> maps = host_array<Complex>(Input(object, "coil_maps"));
  const Shape expected{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  if (!same_but_for_ones(maps.shape(), expected)) {
    throw ShapeError("coil_maps has shape " + to_string(maps.shape()) + ", expected " +
                     to_string(scan.image_shape().with_front(scan.coils)) +
                     " ([coil, (z,) y, x]); a scan has the maps of one slice");
  }
  maps.reshape(expected);
  scan.coil_maps = std::move(maps);
}

Scan weighed(const Context& ctx, Scan scan, ReconOptions& options) {
  if (scan.sample_weights.size() == 0) return scan;
  const Array<double> weights = std::move(scan.sample_weights);
  options.signal.weights = weigh_samples(ctx.host(), scan, weights);
  return scan;
}

void set_sample_weights(Scan& scan, nb::handle object) {
  if (object.is_none()) {
    scan.sample_weights = {};
    return;
  }
  Input input(object, "sample_weights");
  Array<double> weights = host_copy<double>(input);
  const Index count = weights.size();
  weights.reshape({count});
  // Arrays that do not fit are refused here, not in the middle of a reconstruction.
  run(context_of(nb::none()), [&](const Context& ctx) {
    Scan frames = clone_without_frames(ctx, scan);
    for (const ScanFrame& frame : scan.frames) {
      frames.frames.push_back({frame.index, frame.trajectory, nullptr, {}, frame.geometry});
    }
    static_cast<void>(weigh_samples(ctx, frames, weights));
  });
  scan.sample_weights = std::move(weights);
}

Scan scan_from(nb::handle trajectory, nb::handle image_shape, nb::handle data, nb::handle weights, nb::handle noise,
               nb::handle coil_maps, Index readout_length, const Geometry* geometry, double dwell_us,
               double noise_dwell_us, const std::string& trajectory_kind) {
  Scan scan;
  scan.source = "arrays of Python";
  scan.matrix = matrix_from(image_shape);
  scan.trajectory_kind = trajectory_kind;
  scan.trajectory_unit = "cycles per pixel";
  scan.dwell_us = dwell_us;
  scan.noise_dwell_us = noise_dwell_us;
  const auto trajectories = trajectories_from(trajectory, readout_length);
  set_data(scan, data, *trajectories.front());
  set_trajectories(scan, trajectories);
  set_weights(scan, weights);
  set_maps(scan, coil_maps);
  if (!noise.is_none()) set_noise(scan, noise);
  for (ScanFrame& frame : scan.frames) {
    if (geometry != nullptr) frame.geometry = *geometry;
    if (frame.trajectory->dim() != scan.dim()) {
      throw ShapeError("the trajectory has " + std::to_string(frame.trajectory->dim()) + " columns, image_shape " +
                       std::to_string(scan.dim()) + " extents");
    }
  }
  return scan;
}

Scan replaced(const Scan& scan, const Replacements& by) {
  Scan copy = run(context_of(nb::none()), [&](const Context& ctx) { return clone(ctx, scan); });
  if (!by.readout_length.is_none() && by.trajectory.is_none()) {
    throw ValueError("Scan.replace: readout_length is that of a new trajectory; give the trajectory too");
  }
  const Index readout = by.readout_length.is_none() ? 0 : nb::cast<Index>(by.readout_length);
  std::vector<std::shared_ptr<const Trajectory>> trajectories;
  if (!by.trajectory.is_none()) trajectories = trajectories_from(by.trajectory, readout);
  if (!by.data.is_none()) {
    const std::size_t before = copy.frames.size();
    const std::vector<ScanFrame> old = std::move(copy.frames);
    copy.frames.clear();
    set_data(copy, by.data, trajectories.empty() ? *old.front().trajectory : *trajectories.front());
    if (copy.frames.size() != before) {
      throw ShapeError("Scan.replace: data of " + std::to_string(copy.frames.size()) + " frames for " +
                       std::to_string(before) + ", expected as many");
    }
    for (std::size_t i = 0; i < before; ++i) {
      copy.frames[i].index = old[i].index;
      copy.frames[i].trajectory = old[i].trajectory;
      copy.frames[i].weights = old[i].weights;
      copy.frames[i].geometry = old[i].geometry;
    }
    if (trajectories.empty()) {
      for (const ScanFrame& frame : copy.frames) trajectories.push_back(frame.trajectory);
    }
  }
  if (!trajectories.empty()) {
    std::vector<FrameIndex> counters;
    for (const ScanFrame& frame : copy.frames) counters.push_back(frame.index);
    set_trajectories(copy, trajectories);
    for (std::size_t i = 0; i < counters.size(); ++i) copy.frames[i].index = counters[i];
  }
  if (!by.weights.is_none()) set_weights(copy, by.weights);
  if (!by.noise.is_none()) set_noise(copy, by.noise);
  if (!by.coil_maps.is_none()) set_maps(copy, by.coil_maps);
  if (!by.sample_weights.is_none()) set_sample_weights(copy, by.sample_weights);
  if (!by.geometry.is_none()) {
    for (ScanFrame& frame : copy.frames) frame.geometry = nb::cast<const Geometry&>(by.geometry);
  }
  return copy;
}

}  // namespace whorl::python
