#include "cli/recon/job/image_outputs.hpp"

#include "whorl/plot/overview.hpp"

namespace whorl::cli {

ImageOptions image_options(const ReconRequest& request) {
  ImageOptions image;
  image.png.zoom = 0;  // a picture to look at
  image.part = request.complex ? ImagePart::complex : ImagePart::magnitude;
  if (!request.window.empty()) {
    image.png.low = request.window[0];
    image.png.high = request.window[1];
  }
  image.png.tiles = request.tiles > 0 ? request.tiles : overview_tiles;
  image.frame_interval_ms = request.frame_interval_ms;
  image.bids_sidecar = request.bids;
  image.facts = request.facts;
  return image;
}

ImageOptions picture_options(const ReconRequest& request) {
  ImageOptions picture = image_options(request);
  picture.part = ImagePart::magnitude;
  return picture;
}

OverviewOptions overview_options(const ImageOptions& image, std::span<const ImageFrame> frames, const Shape& images) {
  OverviewOptions overview{.tiles = image.png.tiles};
  if (image.png.high) overview.window = DisplayWindow{image.png.low, *image.png.high};
  const auto& view = frames.front().geometry.field_of_view_mm;
  for (std::size_t axis = 0; axis < 3 && view[axis] > 0; ++axis) {
    overview.edges[axis] = view[axis] / static_cast<double>(images[3 - static_cast<Index>(axis)]);
  }
  return overview;
}

void check_outputs(const ReconRequest& request, const CheckWritten& check_written, const Scan& scan) {
  std::vector<ImageFrame> frames = image_frames(request.subspace, scan);
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const auto check = [&](const std::string& path, const ImageOptions& image, const std::vector<ImageFrame>& shown) {
    if (path.empty()) return;
    check_written(path, check_image_path(path, volume.with_front(static_cast<Index>(shown.size())), shown, image));
  };
  check(request.output, image_options(request), frames);
  check(request.png, picture_options(request), frames);
  check_movie(request.movie, volume.with_front(static_cast<Index>(frames.size())));
  for (const ErrorBarImages& wanted : error_bar_images(request.error_bars, frames)) {
    check(wanted.path, image_options(request), wanted.frames);
  }
}

bool needs_facts(const ReconRequest& request) {
  return request.bids || request.signal.concomitant || request.image_name().ends_with(".dcm");
}

std::unique_ptr<ImageSeriesWriter> open_stream(const ReconRequest& request, const Session& session, const Scan& scan) {
  const std::vector<ImageFrame> frames = image_frames(request.subspace, scan);
  const Shape images{std::ssize(frames), scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  return std::make_unique<ImageSeriesWriter>(session.ctx, request.output, images, frames, image_options(request));
}

}  // namespace whorl::cli
