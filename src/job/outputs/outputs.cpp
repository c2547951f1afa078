#include "job/outputs/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

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

template <auto member>
Array<Complex> values_of(const Context& ctx, const ErrorBars& bars) {
  const auto& values = bars.*member;
  Array<Complex> result(ctx, values.shape());
  if constexpr (std::is_same_v<decltype(bars.*member), const Array<float>&>) {
    to_complex<float>(ctx, values, result);
  } else {
    copy<Complex>(ctx, values, result);
  }
  return result;
}

// An error bar of each voxel, and its file.
struct ErrorBarOutput {
  std::string ReconOutputs::*file;
  bool ErrorBarOptions::*asked;
  const char* quantity;  // NamedImages::quantity
  Array<Complex> (*values)(const Context& ctx, const ErrorBars& bars);
};

const std::array error_bar_outputs{
    ErrorBarOutput{&ReconOutputs::standard_deviation, &ErrorBarOptions::standard_deviation,
                   "standard deviation (unit of the image)", &values_of<&ErrorBars::standard_deviation>},
    ErrorBarOutput{&ReconOutputs::g_factor, &ErrorBarOptions::g_factor, "g-factor (1)",
                   &values_of<&ErrorBars::g_factor>},
    ErrorBarOutput{&ReconOutputs::bias, &ErrorBarOptions::bias, "bias (unit of the image)",
                   &values_of<&ErrorBars::bias>},
    ErrorBarOutput{&ReconOutputs::truth_bar, &ErrorBarOptions::truth_bar,
                   "error bar of the truth, 68 % (unit of the image)", &values_of<&ErrorBars::truth_bar>},
    ErrorBarOutput{&ReconOutputs::truth_bound, &ErrorBarOptions::truth_bound,
                   "bound of the truth, 95 % (unit of the image)", &values_of<&ErrorBars::truth_bound>}};

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

std::vector<NamedImages> error_bar_images(const Context& ctx, const ReconRequest& request,
                                          const std::vector<ImageFrame>& frames, const ErrorBars* found) {
  const ReconOutputs& outputs = request.outputs;
  std::vector<NamedImages> images;
  for (const ErrorBarOutput& bar : error_bar_outputs) {
    if ((outputs.*bar.file).empty()) continue;
    NamedImages& named = images.emplace_back(NamedImages{outputs.*bar.file, frames, {}, bar.quantity});
    if (found != nullptr) named.values = bar.values(ctx, *found);
  }
  if (!outputs.point_spread.empty() && !frames.empty()) {
    NamedImages& spreads = images.emplace_back(NamedImages{outputs.point_spread, {}, {}, {}});
    for (std::size_t p = 0; p < request.point_spreads.size(); ++p) {
      spreads.frames.push_back(frames.front());
      spreads.frames.back().index.repetition = static_cast<int>(p);
    }
    if (found != nullptr) spreads.values = clone<const Complex>(ctx, found->point_spreads);
  }
  return images;
}

void check_outputs(const Context& ctx, const ReconRequest& request, const ImageOptions& image,
                   const ImageOptions& picture, const CheckWritten& check_written, const Scan& scan) {
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
  for (const NamedImages& wanted : error_bar_images(ctx, request, frames, nullptr)) {
    check(wanted.path, image, wanted.frames);
  }
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
  for (const ErrorBarOutput& bar : error_bar_outputs) options.*bar.asked |= !(request.outputs.*bar.file).empty();
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
