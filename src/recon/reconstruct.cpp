#include "whorl/recon/reconstruct.hpp"

#include <fmt/format.h>

#include "recon/calibrate.hpp"
#include "recon/encoding.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/iterative_recon.hpp"
#include "recon/prepare.hpp"
#include "whorl/calib/combine.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

void check(const Scan& scan, const ReconOptions& options) {
  if (scan.frames.empty()) throw ValueError(scan.source + ": holds no frames to reconstruct");
  if (scan.coils == 0) {
    throw ValueError(scan.source + ": holds a trajectory and no data; give a scan, or simulate one with whorl phantom");
  }
  if (!(options.lambda >= 0)) {
    throw ValueError(fmt::format("reconstruction: lambda is {}, expected 0 or more", options.lambda));
  }
  if (options.iterations < 1) {
    throw ValueError(fmt::format("reconstruction: {} iterations, expected at least 1", options.iterations));
  }
  if (options.virtual_coils < 0 || options.virtual_coils > scan.coils) {
    throw ValueError(fmt::format("coil compression: {} virtual coils of {}; expected 1 to {}, or 0 to keep all",
                                 options.virtual_coils, scan.coils, scan.coils));
  }
  if (options.calibration < 4) {
    throw ValueError(
        fmt::format("coil maps: a calibration region of {} points, expected at least 4", options.calibration));
  }
  for (const ScanFrame& frame : scan.frames) {
    const Shape expected{scan.coils, frame.trajectory->samples()};
    if (frame.trajectory->dim() != scan.dim()) {
      throw ShapeError(fmt::format("{}: a trajectory of {} dimensions for an image of {}", scan.source,
                                   frame.trajectory->dim(), to_string(scan.image_shape())));
    }
    if (frame.data.shape() != expected) {
      throw ShapeError(fmt::format("{}: data of shape {} for a trajectory and coils of {}", scan.source,
                                   to_string(frame.data.shape()), to_string(expected)));
    }
  }
}

// Maps of the slice that was reconstructed last; they come from its first frame.
class SliceMaps {
 public:
  bool has(const ScanFrame& frame) const { return maps_.size() > 0 && slice_ == frame.index.slice; }
  void set(const ScanFrame& frame, Array<Complex> maps) {
    slice_ = frame.index.slice;
    maps_ = std::move(maps);
    eigenvalue = 0;
  }
  const Array<Complex>& get() const { return maps_; }

  double eigenvalue = 0;  // of the normal operator with these maps

 private:
  int slice_ = 0;
  Array<Complex> maps_;
};

}  // namespace

Reconstruction reconstruct(const Context& ctx, Scan scan, const ReconOptions& options) {
  check(scan, options);
  Reconstruction result;
  recon::StageClock clock;
  auto& notes = result.notes;

  if (options.prewhiten) clock.time("prewhitening", [&] { recon::prewhiten(ctx, scan, notes); });
  if (options.virtual_coils > 0 && options.virtual_coils < scan.coils) {
    clock.time("coil compression", [&] { recon::compress_coils(ctx, scan, options.virtual_coils, notes); });
  }

  const Shape image = scan.image_shape();
  const auto frame_count = static_cast<Index>(scan.frames.size());
  result.images = Array<Complex>(ctx, Shape{scan.matrix[2], scan.matrix[1], scan.matrix[0]}.with_front(frame_count));
  recon::Encodings encodings(scan, options);
  SliceMaps maps;
  const bool needs_maps = options.method == ReconMethod::cg_sense || options.combination == CombinationMethod::matched;

  for (Index f = 0; f < frame_count; ++f) {
    const ScanFrame& frame = scan.frames[static_cast<std::size_t>(f)];
    const std::string title = frame_count > 1 ? fmt::format("frame {} of {}", f + 1, frame_count) : "reconstruction";
    const ArrayRef<Complex> target = result.images.slice(f).reshape(image);
    if (needs_maps && !maps.has(frame)) {
      std::vector<std::string> said;
      maps.set(frame, recon::coil_maps(ctx, scan, frame, options, encodings, clock, said));
      if (f == 0) notes.insert(notes.end(), said.begin(), said.end());
    }
    if (options.method == ReconMethod::cg_sense) {
      const Nufft<float>& nufft = encodings.nufft(ctx, frame, clock);
      result.reports.push_back(
          recon::cg_sense(ctx, title, frame, maps.get(), nufft, options, &maps.eigenvalue, clock, target));
    } else {
      ProgressStage stage(ctx, title, 1);
      const Array<Complex> coil_images = recon::gridded_coil_images(ctx, frame, encodings, clock, notes);
      clock.time("coil combination", [&] {
        if (options.combination == CombinationMethod::matched) {
          copy<Complex>(matched_combination<float>(ctx, coil_images, maps.get()), target);
        } else {
          const Array<float> magnitude = root_sum_of_squares<float>(ctx, coil_images);
          std::copy(magnitude.span().begin(), magnitude.span().end(), target.span().begin());
        }
      });
      stage.advance();
    }
    result.frames.push_back({frame.index, frame.geometry});
  }
  result.stage_seconds = clock.take();
  return result;
}

}  // namespace whorl
