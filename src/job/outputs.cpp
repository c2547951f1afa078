#include "job/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "recon/frame_groups.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/movie.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::job {

namespace {

using Complex = std::complex<float>;

MovieOptions movie_options(const ReconOutputs& outputs) {
  MovieOptions options{.zoom = 0, .frames_per_second = outputs.frames_per_second};
  if (!outputs.window.empty()) {
    options.low = outputs.window[0];
    options.high = outputs.window[1];
  }
  return options;
}

Array<Complex> as_complex(const Context& ctx, ArrayRef<const float> values) {
  Array<Complex> result(ctx, values.shape());
  to_complex<float>(ctx, values, result);
  return result;
}

}  // namespace

ImageOptions image_options(const ReconOutputs& outputs, const MeasurementFacts& facts, double frame_interval_ms) {
  ImageOptions image;
  image.png.zoom = 0;  // a picture to look at
  image.part = outputs.complex ? ImagePart::complex : ImagePart::magnitude;
  if (!outputs.window.empty()) {
    image.png.low = outputs.window[0];
    image.png.high = outputs.window[1];
  }
  image.png.tiles = outputs.tiles > 0 ? outputs.tiles : overview_tiles;
  image.frame_interval_ms = frame_interval_ms;
  image.bids_sidecar = outputs.bids;
  image.facts = facts;
  return image;
}

ImageOptions picture_options(const ReconOutputs& outputs, const MeasurementFacts& facts, double frame_interval_ms) {
  ImageOptions picture = image_options(outputs, facts, frame_interval_ms);
  picture.part = ImagePart::magnitude;
  return picture;
}

OverviewOptions overview_options(const ImageOptions& image, std::span<const ImageFrame> frames, const Shape& images) {
  OverviewOptions overview{.tiles = image.png.tiles};
  if (image.png.high) overview.window = DisplayWindow{image.png.low, *image.png.high};
  const auto& view = frames.front().geometry.field_of_view_mm;
  for (std::size_t axis = 0; axis < 3 && view[axis] > 0; ++axis) {
    overview.edges[axis] = view[axis] / static_cast<double>(images[3 - static_cast<int>(axis)]);
  }
  return overview;
}

std::vector<NamedImages> error_bar_images(const ReconRequest& request, const std::vector<ImageFrame>& frames) {
  const ReconOutputs& outputs = request.outputs;
  std::vector<NamedImages> images;
  const auto add = [&](const std::string& path, const char* quantity) {
    if (!path.empty()) images.push_back({path, frames, {}, quantity});
  };
  add(outputs.standard_deviation, "standard deviation (unit of the image)");
  add(outputs.g_factor, "g-factor (1)");
  add(outputs.bias, "bias (unit of the image)");
  add(outputs.truth_bar, "error bar of the truth, 68 % (unit of the image)");
  add(outputs.truth_bound, "bound of the truth, 95 % (unit of the image)");
  if (!outputs.point_spread.empty() && !frames.empty()) {
    NamedImages& spreads = images.emplace_back(NamedImages{outputs.point_spread, {}, {}, {}});
    for (std::size_t p = 0; p < request.point_spreads.size(); ++p) {
      spreads.frames.push_back(frames.front());
      spreads.frames.back().index.repetition = static_cast<int>(p);
    }
  }
  return images;
}

std::vector<NamedImages> error_bar_images(const Context& ctx, const ReconRequest& request,
                                          const Reconstruction& result) {
  std::vector<NamedImages> images = error_bar_images(request, result.frames);
  const ReconOutputs& outputs = request.outputs;
  const ErrorBars& bars = result.error_bars;
  std::size_t next = 0;
  if (!outputs.standard_deviation.empty()) images[next++].values = as_complex(ctx, bars.standard_deviation);
  if (!outputs.g_factor.empty()) images[next++].values = as_complex(ctx, bars.g_factor);
  if (!outputs.bias.empty()) images[next++].values = clone<const Complex>(ctx, bars.bias);
  if (!outputs.truth_bar.empty()) images[next++].values = as_complex(ctx, bars.truth_bar);
  if (!outputs.truth_bound.empty()) images[next++].values = as_complex(ctx, bars.truth_bound);
  if (!outputs.point_spread.empty()) images[next].values = clone<const Complex>(ctx, bars.point_spreads);
  return images;
}

void check_outputs(const ReconRequest& request, const ImageOptions& image, const ImageOptions& picture,
                   const CheckWritten& check_written, const Scan& scan) {
  const ReconOutputs& outputs = request.outputs;
  const std::vector<ImageFrame> frames = recon::places_of_images(scan, request.recon);
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const auto check = [&](const std::string& path, const ImageOptions& how, const std::vector<ImageFrame>& shown) {
    if (path.empty()) return;
    const auto files = check_image_path(path, volume.with_front(static_cast<Index>(shown.size())), shown, how);
    if (check_written) check_written(path, files);
  };
  check(outputs.image, image, frames);
  check(outputs.png, picture, frames);
  if (!outputs.movie.empty()) {
    check_movie(outputs.movie, volume.with_front(static_cast<Index>(frames.size())), movie_options(outputs));
  }
  for (const NamedImages& wanted : error_bar_images(request, frames)) check(wanted.path, image, wanted.frames);
}

bool needs_facts(const ReconRequest& request) {
  if (request.scan.value != nullptr) return false;  // the file's alone
  return request.outputs.bids || request.signal.concomitant || image_type(request.outputs.image) == ImageType::dicom;
}

void write_movie_of(const Context& ctx, const ReconOutputs& outputs, ArrayRef<const Complex> images,
                    std::vector<std::filesystem::path>& written) {
  if (outputs.movie.empty()) return;
  Array<float> magnitude(ctx, images.shape());
  std::transform(images.span().begin(), images.span().end(), magnitude.span().begin(),
                 [](Complex value) { return std::abs(value); });
  write_movie(ctx, outputs.movie, magnitude, movie_options(outputs));
  written.emplace_back(outputs.movie);
}

ErrorBarOptions error_bars_of(const ReconRequest& request, const Scan& scan) {
  ErrorBarOptions options = request.recon.error_bars;
  options.standard_deviation |= !request.outputs.standard_deviation.empty();
  options.g_factor |= !request.outputs.g_factor.empty();
  options.bias |= !request.outputs.bias.empty();
  options.truth_bar |= !request.outputs.truth_bar.empty();
  options.truth_bound |= !request.outputs.truth_bound.empty();
  options.points.clear();
  for (const std::vector<Index>& point : request.point_spreads) {
    const bool in_plane = point.size() == 3 && scan.dim() == 2 && point[2] == 0;
    if (static_cast<int>(point.size()) != scan.dim() && !in_plane) {
      throw ValueError(fmt::format("point spread: voxel {} of an image of {} axes; expected as many numbers, x first",
                                   fmt::join(point, ","), scan.dim()));
    }
    options.points.push_back({point[0], point[1], scan.dim() == 3 ? point[2] : 0});
  }
  return options;
}

}  // namespace whorl::job
