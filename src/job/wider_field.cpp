#include "job/wider_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "recon/encoding/object_extent.hpp"
#include "recon/frame_groups.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"

namespace whorl::job {

namespace {

using Complex = std::complex<float>;
using Factors = std::array<double, 3>;

// `later` reads data that are not in the scan; one rank does so for all.
Factors factors_by_data(const Context& host, Communicator& ranks, const Scan& scan, const FrameData& later) {
  Factors most{1, 1, 1};
  agree(ranks, [&] {
    for (const auto& [slice, frames] : recon::frames_of_slices(scan)) {
      const ScanFrame& frame = *frames.front();
      ScanFrame read{frame.index, frame.trajectory, nullptr, {}, frame.geometry};
      if (later && ranks.rank() == 0) {
        const std::array number{static_cast<Index>(&frame - scan.frames.data())};
        read.data = std::move(later(host, number).front());
      }
      const Factors own = recon::object_extent(host, later ? read : frame, scan.image_shape());
      for (std::size_t axis = 0; axis < 3; ++axis) most[axis] = std::max(most[axis], own[axis]);
    }
  });
  take_largest(ranks, most);
  return most;
}

// The part (from first on) of each image [..., z, y, x] of an array, times a factor.
template <class T>
void crop_images(Array<T>& images, const std::array<Index, 3>& matrix, const std::array<Index, 3>& first,
                 float factor) {
  if (images.size() == 0) return;
  const int rank = images.rank();
  const Index depth = images.extent(rank - 3);
  const Index height = images.extent(rank - 2);
  const Index width = images.extent(rank - 1);
  const Index count = images.size() / (depth * height * width);
  std::vector<Index> shape(images.shape().begin(), images.shape().end());
  for (std::size_t axis = 0; axis < 3; ++axis) shape[shape.size() - 1 - axis] = matrix[axis];
  Array<T> cropped(Context{}, Shape(shape));
  T* to = cropped.data();
  for (Index image = 0; image < count; ++image) {
    for (Index z = 0; z < matrix[2]; ++z) {
      for (Index y = 0; y < matrix[1]; ++y) {
        const T* const row =
            images.data() + ((image * depth + z + first[2]) * height + y + first[1]) * width + first[0];
        to = std::transform(row, row + matrix[0], to, [factor](const T& value) { return factor * value; });
      }
    }
  }
  images = std::move(cropped);
}

// The rows of the images [image, z, y, x] of a part, and of the wide ones that they are part of.
template <class Wide, class Work>
void for_rows(ArrayRef<Complex> part, ArrayRef<Wide> wide, const std::array<Index, 3>& first, const Work& work) {
  for (Index image = 0; image < part.extent(0); ++image) {
    for (Index z = 0; z < part.extent(1); ++z) {
      for (Index y = 0; y < part.extent(2); ++y) {
        const ArrayRef<Wide> row = wide.slice(image).slice(z + first[2]).slice(y + first[1]);
        work(part.slice(image).slice(z).slice(y), row.range(first[0], first[0] + part.extent(3)));
      }
    }
  }
}

// A filter sees the images as they will be.
ImageHook filter_of_part(ImageHook filter, const std::array<Index, 3>& matrix, const std::array<Index, 3>& first,
                         double unit) {
  const auto part_of = [matrix](const Shape& wide) { return Shape{wide[0], matrix[2], matrix[1], matrix[0]}; };
  ImageHook made;
  made.name = filter.name;
  made.check = [check = filter.check, part_of](const Shape& wide) { check(part_of(wide)); };
  made.apply = [filter = std::move(filter), part_of, first, unit](const Context& ctx, const Array<Complex>& wide) {
    Array<Complex> filtered;
    {
      Array<Complex> part(ctx, part_of(wide.shape()));
      for_rows(part.ref(), wide.ref(), first, [&](const auto& to, const auto& from) { copy<Complex>(ctx, from, to); });
      axpby<float>(ctx, unit, part, 0, part);
      filtered = filter.apply(ctx, part);
      if (filtered.shape() != part.shape()) return filtered;  // the reconstruction says what is wrong
    }
    Array<Complex> result = zeros<Complex>(ctx, wide.shape());
    for_rows(filtered.ref(), result.ref(), first,
             [&](const auto& from, const auto& to) { copy<Complex>(ctx, from, to); });
    return result;
  };
  return made;
}

}  // namespace

bool may_widen(const ReconRequest& request) {
  const ReconOptions& recon = request.recon;
  const bool is_given = recon.coil_maps == CoilMapMethod::file || request.maps.given() || request.normal.given();
  const bool keeps_normal = recon.keep_normals || !request.outputs.normal.empty();
  return recon.method == ReconMethod::cg_sense && !request.subspace.any() && request.joint.empty() && !is_given &&
         !keeps_normal && !has_support(recon) && recon.mask != ImageMask::field_of_view;
}

WiderField::WiderField(const Scan& scan, const ReconOptions& options, const Factors& factors, bool by_data)
    : by_data_(by_data), matrix_(scan.matrix), wide_(scan.matrix), frames_(recon::places_of_images(scan, options)) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(factors[axis] > 1) || matrix_[axis] == 1) continue;
    wide_[axis] = next_fast_even(static_cast<Index>(std::ceil(factors[axis] * static_cast<double>(matrix_[axis]))));
    first_[axis] = wide_[axis] / 2 - matrix_[axis] / 2;  // the voxel of the center stays it
  }
}

std::optional<WiderField> WiderField::find(const Context& host, Communicator& ranks, const ReconRequest& request,
                                           const Scan& scan) {
  if (!may_widen(request) || request.widen == 1 || scan.frames.empty() || scan.coils == 0) return std::nullopt;
  Factors factors{request.widen, request.widen, request.widen};
  if (request.widen == 0) factors = factors_by_data(host, ranks, scan, request.recon.resources.frame_data);
  if (!(*std::ranges::max_element(factors) > 1)) return std::nullopt;
  return WiderField(scan, request.recon, factors, request.widen == 0);
}

void WiderField::widen(Scan& scan, ReconOptions& options) {
  if (std::exchange(is_widened_, true)) return;
  scan.matrix = wide_;
  scan.coil_maps = {};  // of the images' field of view; they have no use here
  for (ScanFrame& frame : scan.frames) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      frame.geometry.field_of_view_mm[axis] *= static_cast<double>(wide_[axis]) / static_cast<double>(matrix_[axis]);
    }
  }
  for (std::array<Index, 3>& point : options.error_bars.points) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (point[axis] >= 0 && point[axis] < matrix_[axis]) continue;
      throw ValueError(fmt::format("point spread: voxel {} of an image of {}; expected x, y, z inside, from 0",
                                   fmt::join(point, ","), fmt::join(matrix_, " x ")));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) point[axis] += first_[axis];
  }
  is_filtered_ = options.filter.has_value();
  if (is_filtered_) options.filter = filter_of_part(std::move(*options.filter), matrix_, first_, unit());
  options.resources.on_image = {};  // images are final once they are cropped
}

void WiderField::crop(Reconstruction& made) const {
  const auto crop_all = [&](double factor, auto&... arrays) {
    (crop_images(arrays, matrix_, first_, static_cast<float>(factor)), ...);
  };
  ErrorBars& bars = made.error_bars;
  crop_all(is_filtered_ ? 1 : unit(), made.images);
  crop_all(unit(), made.parts, bars.standard_deviation, bars.bias, bars.truth_bar, bars.truth_bound);
  crop_all(1, made.coil_maps, bars.g_factor, bars.point_spreads);
  made.frames = frames_;
  made.notes.emplace_back(fmt::format("Field of view: solved as {}{}.", told(),
                                      by_data_ ? ", since the object reaches beyond it and would be pressed into the "
                                                 "edge (widen 1 keeps the field of view of the images)"
                                               : ""));
}

double WiderField::unit() const {
  double voxels = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    voxels *= static_cast<double>(matrix_[axis]) / static_cast<double>(wide_[axis]);
  }
  return std::sqrt(voxels);
}

std::string WiderField::told() const {
  const std::size_t axes = matrix_[2] > 1 ? 3 : 2;
  const auto first_of = [&](const std::array<Index, 3>& all) {
    return fmt::join(all.data(), all.data() + axes, " x ");
  };
  return fmt::format("{} for images of {}", first_of(wide_), first_of(matrix_));
}

}  // namespace whorl::job
