#include "whorl/io/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// What is no more than the rounding of positions in float32.
constexpr double place_tolerance = 1e-3;

// [z, y, x] of an image without other axes.
Shape volume_of(const NamedArray& image, const std::string& file) {
  const Shape shape = shape_of(image.values);
  Index others = 1;
  for (int axis = 0; axis + 3 < shape.rank(); ++axis) others *= shape[axis];
  if (shape.rank() < 2 || others != 1) {
    throw ShapeError(fmt::format("stack: '{}' has shape {}, expected one image [(z,) y, x]", file, to_string(shape)));
  }
  return {shape.rank() > 2 ? shape[-3] : 1, shape[-2], shape[-1]};
}

bool is_same_place(const std::optional<Affine>& a, const std::optional<Affine>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      if (std::abs(a->matrix[row][column] - b->matrix[row][column]) > place_tolerance) return false;
    }
  }
  return true;
}

template <class T>
NamedArray joined(const Context& ctx, const std::vector<NamedArray>& images, const std::vector<std::string>& files,
                  const Shape& volume, const std::vector<std::size_t>& order) {
  Array<T> all(ctx, volume.with_front(std::ssize(images)));
  for (std::size_t i = 0; i < order.size(); ++i) {
    Array<T> one = converted<T>(ctx, images[order[i]].values, files[order[i]]);
    one.reshape(volume);
    copy<T>(one, all.ref().slice(static_cast<Index>(i)));
  }
  return {images.front().name, std::move(all), {}};
}

// With the type that holds all of them.
NamedArray joined_alike(const Context& ctx, const std::vector<NamedArray>& images,
                        const std::vector<std::string>& files, const Shape& volume,
                        const std::vector<std::size_t>& order) {
  const auto same = [&](const NamedArray& image) { return image.values.index() == images.front().values.index(); };
  if (std::all_of(images.begin(), images.end(), same)) {
    return std::visit([&]<class T>(const Array<T>& /*first*/) { return joined<T>(ctx, images, files, volume, order); },
                      images.front().values);
  }
  const bool complex =
      std::any_of(images.begin(), images.end(), [](const NamedArray& image) { return is_complex(image.values); });
  return complex ? joined<std::complex<float>>(ctx, images, files, volume, order)
                 : joined<float>(ctx, images, files, volume, order);
}

struct Places {
  std::vector<std::size_t> order;
  std::optional<Affine> affine;
};

// Where the slices lie along the axis of the first one.
Places sort_slices(const std::vector<NamedArray>& images, const std::vector<std::string>& files) {
  Places places{std::vector<std::size_t>(images.size()), images.front().affine};
  std::iota(places.order.begin(), places.order.end(), std::size_t{0});
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].affine.has_value() == images.front().affine.has_value()) continue;
    throw ValueError(fmt::format("stack: one of '{}' and '{}' does not say where it lies; expected all or none",
                                 files[i], files.front()));
  }
  if (!images.front().affine || images.size() < 2) return places;
  const auto column = [&](std::size_t image, std::size_t which) {
    const auto& rows = images[image].affine->matrix;
    return std::array{rows[0][which], rows[1][which], rows[2][which]};
  };
  const auto z = column(0, 2);
  const double edge = std::hypot(z[0], z[1], z[2]);
  const auto along = [&](std::size_t image) {
    const auto origin = column(image, 3);
    return (origin[0] * z[0] + origin[1] * z[1] + origin[2] * z[2]) / edge;
  };
  std::sort(places.order.begin(), places.order.end(), [&](auto a, auto b) { return along(a) < along(b); });
  const std::size_t first = places.order[0];
  const double step = (along(places.order.back()) - along(first)) / static_cast<double>(images.size() - 1);
  for (std::size_t i = 0; i < places.order.size(); ++i) {
    const std::size_t image = places.order[i];
    bool fits = step > place_tolerance;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double expected = column(first, 3)[axis] + static_cast<double>(i) * step * z[axis] / edge;
      fits = fits && std::abs(column(image, 3)[axis] - expected) < 0.01 * step;
      for (const std::size_t which : {0, 1, 2}) {
        fits = fits && std::abs(column(image, which)[axis] - column(0, which)[axis]) < place_tolerance;
      }
    }
    if (fits) continue;
    throw ValueError(
        fmt::format("stack: '{}' does not lie in a row with the others at equal distances; expected slices of "
                    "one orientation, or --axis frame",
                    files[image]));
  }
  Affine affine = images[first].affine.value_or(Affine{});
  for (std::size_t row = 0; row < 3; ++row) affine.matrix[row][2] = z[row] * step / edge;
  places.affine = affine;
  return places;
}

}  // namespace

StackAxis stack_axis_from_string(std::string_view name) {
  if (name == "frame") return StackAxis::frame;
  if (name == "slice") return StackAxis::slice;
  throw ValueError(fmt::format("axis of a stack: '{}' is not known; expected frame or slice", name));
}

NamedArray stack_images(const Context& ctx, std::vector<NamedArray> images, const std::vector<std::string>& files,
                        StackAxis axis) {
  if (images.empty()) throw ValueError("stack: no image");
  const Shape volume = volume_of(images.front(), files.front());
  for (std::size_t i = 1; i < images.size(); ++i) {
    const Shape shape = volume_of(images[i], files[i]);
    if (shape == volume) continue;
    throw ShapeError(fmt::format("stack: '{}' has shape {}, expected {} as '{}' has", files[i], to_string(shape),
                                 to_string(volume), files.front()));
  }
  if (axis == StackAxis::slice) {
    if (volume[0] != 1) {
      throw ShapeError(
          fmt::format("stack: '{}' has {} slices, expected single slices for --axis slice", files.front(), volume[0]));
    }
    const Places places = sort_slices(images, files);
    NamedArray stack = joined_alike(ctx, images, files, {volume[1], volume[2]}, places.order);
    stack.affine = places.affine;
    return stack;
  }
  for (std::size_t i = 1; i < images.size(); ++i) {
    if (is_same_place(images[i].affine, images.front().affine)) continue;
    throw ValueError(
        fmt::format("stack: '{}' lies elsewhere than '{}'; bring the images to one grid, or join slices by "
                    "--axis slice",
                    files[i], files.front()));
  }
  std::vector<std::size_t> order(images.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  NamedArray stack = joined_alike(ctx, images, files, volume, order);
  stack.affine = images.front().affine;
  return stack;
}

Scan stack_scans(std::vector<Scan> scans, const std::vector<std::string>& files, StackAxis axis) {
  if (scans.empty()) throw ValueError("stack: no scan");
  Scan all = std::move(scans.front());
  const auto count = [axis](const Scan& scan) {
    int most = -1;
    for (const ScanFrame& frame : scan.frames) {
      most = std::max(most, static_cast<int>(axis == StackAxis::frame ? frame.index.repetition : frame.index.slice));
    }
    return most + 1;
  };
  bool has_maps = all.coil_maps.size() > 0;
  bool same_echoes = true;
  for (std::size_t i = 1; i < scans.size(); ++i) {
    Scan& next = scans[i];
    if (next.matrix != all.matrix || next.coils != all.coils) {
      throw ValueError(
          fmt::format("stack: '{}' has {} coils and matrix {} x {} x {}, expected {} coils and {} x {} x {} as "
                      "'{}' has",
                      files[i], next.coils, next.matrix[0], next.matrix[1], next.matrix[2], all.coils, all.matrix[0],
                      all.matrix[1], all.matrix[2], files.front()));
    }
    has_maps = has_maps || next.coil_maps.size() > 0;
    same_echoes = same_echoes && next.echo_times_ms == all.echo_times_ms;
    const int before = count(all);
    for (ScanFrame& frame : next.frames) {
      (axis == StackAxis::frame ? frame.index.repetition : frame.index.slice) += before;
      all.frames.push_back(std::move(frame));
    }
  }
  std::stable_sort(all.frames.begin(), all.frames.end(),
                   [](const ScanFrame& a, const ScanFrame& b) { return a.index < b.index; });
  all.notes.emplace_back(fmt::format("{} scans were joined along the {} axis; noise and header are those of '{}'.",
                                     scans.size(), axis == StackAxis::frame ? "repetition" : "slice", files.front()));
  if (!same_echoes) {
    all.echo_times_ms.clear();
    all.notes.emplace_back("The files have different echo times, which were left out.", NoteKind::doubt);
  }
  if (has_maps) {
    all.coil_maps = {};
    all.notes.emplace_back("The coil maps of the files were left out.", NoteKind::doubt);
  }
  return all;
}

}  // namespace whorl
