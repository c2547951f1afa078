#include "whorl/recon/reconstruct.hpp"

#include <fmt/format.h>

#include "recon/bring_to_device.hpp"
#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/field_of_view.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/iterative_recon.hpp"
#include "recon/lambda/slice_lambda.hpp"
#include "recon/quality/error_bars.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

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

// What will not fit is known before anything is asked for.
void check_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  const Index needed = reconstruction_memory(ctx, scan, options);
  const auto there = static_cast<Index>(ctx.pool().limit());
  if (needed <= there) return;
  throw Error(
      fmt::format("reconstruction: needs some {:.4g} MB of memory on {}, where {:.4g} MB may be used; use fewer coils "
                  "(compression), fewer frames at a time, more --max-memory, or another device",
                  1e-6 * static_cast<double>(needed), to_string(ctx.device()), 1e-6 * static_cast<double>(there)));
}

// On a CPU a batch is what stays in its cache, and no choice that anybody has to know.
void note_batch(const Context& ctx, const LinearOperator<float>& transform, std::vector<std::string>& notes) {
  const Index coils = transform.range()[0];
  const auto* const nufft = dynamic_cast<const Nufft<float>*>(&transform);
  if (ctx.device().kind == DeviceKind::cpu || nufft == nullptr || nufft->coils_at_once() == coils) return;
  notes.push_back(fmt::format("Memory on {}: {} of {} coils are transformed at a time.", to_string(ctx.device()),
                              nufft->coils_at_once(), coils));
}

}  // namespace

Reconstruction reconstruct(const Context& ctx, Scan scan, const ReconOptions& options) {
  recon::check_scan(scan, options);
  check_memory(ctx, scan, options);
  Reconstruction result;
  recon::ErrorBarMaker error_bars(ctx, scan, options);
  recon::StageClock clock(ctx);
  auto& notes = result.notes;

  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  if (!on_host) clock.time("upload", [&] { recon::bring_to_device(ctx, scan); });

  if (options.prewhiten) clock.time("prewhitening", [&] { prewhiten(ctx, scan, notes); });
  if (options.virtual_coils > 0 && options.virtual_coils < scan.coils) {
    clock.time("coil compression", [&] { compress_coils(ctx, scan, {.virtual_coils = options.virtual_coils}, notes); });
  }

  const Shape image = scan.image_shape();
  const auto frame_count = static_cast<Index>(scan.frames.size());
  Array<Complex> images(ctx, Shape{scan.matrix[2], scan.matrix[1], scan.matrix[0]}.with_front(frame_count));
  recon::Encodings encodings(scan, options);
  for (std::string& note : recon::describe_transform(scan, options)) notes.push_back(std::move(note));
  recon::Penalty penalty(scan, options);
  SliceMaps maps;
  const bool needs_maps = options.method == ReconMethod::cg_sense || options.combination == CombinationMethod::matched;

  for (Index f = 0; f < frame_count; ++f) {
    const ScanFrame& frame = scan.frames[static_cast<std::size_t>(f)];
    const std::string title = frame_count > 1 ? fmt::format("frame {} of {}", f + 1, frame_count) : "reconstruction";
    const ArrayRef<Complex> target = images.slice(f).reshape(image);
    if (needs_maps && !maps.has(frame)) {
      std::vector<std::string> said;
      maps.set(frame, recon::coil_maps(ctx, scan, frame, options, encodings, clock, said));
      if (f == 0) notes.insert(notes.end(), said.begin(), said.end());
    }
    if (f == 0) note_batch(ctx, encodings.transform(ctx, frame, clock), notes);
    if (options.method == ReconMethod::cg_sense) {
      const LinearOperator<float>& transform = encodings.transform(ctx, frame, clock);
      const recon::SliceModel slice{maps.get(), penalty.at(ctx, frame, clock, notes), maps.eigenvalue, result.lambdas};
      result.reports.push_back(
          recon::cg_sense(ctx, title, frame, transform, slice, options, clock, target,
                          [&](const RegularizedModel<float>& model, double lambda) {
                            error_bars.add_least_squares(ctx, {f, frame, maps.get(), target}, model, lambda, clock);
                          }));
    } else {
      ProgressStage stage(ctx, title, 1);
      const recon::GriddedImages gridded = recon::gridded_coil_images(ctx, frame, encodings, clock, notes);
      clock.time("coil combination", [&] {
        if (options.combination == CombinationMethod::matched) {
          copy<Complex>(ctx, matched_combination<float>(ctx, gridded.images, maps.get()), target);
        } else {
          to_complex<float>(ctx, root_sum_of_squares<float>(ctx, gridded.images), target);
        }
      });
      error_bars.add_gridding(ctx, {f, frame, maps.get(), target}, encodings.weights(ctx, frame, clock, notes),
                              gridded.scale, clock);
      stage.advance();
    }
    result.frames.push_back({frame.index, frame.geometry});
  }
  recon::note_lambdas(result.lambdas, notes);
  const bool masked = recon::masks_field_of_view(scan, options);
  if (masked && frame_count > 0) {
    recon::mask_field_of_view(ctx, images.ref().reshape(image.with_front(frame_count)));
    notes.emplace_back(
        options.mask == ImageMask::automatic
            ? "Corners of the field of view: set to 0, for the readout's steps are so wide that copies of the object "
              "lie there."
            : "Corners of the field of view: set to 0.");
  }
  if (options.filter) {
    clock.time("filter", [&] {
      Array<Complex> filtered = options.filter->apply(ctx, images);
      if (filtered.shape() != images.shape()) {
        throw ShapeError(fmt::format("reconstruction: '{}' made images of shape {}, expected {}", options.filter->name,
                                     to_string(filtered.shape()), to_string(images.shape())));
      }
      images = std::move(filtered);
    });
  }
  result.images = on_host ? std::move(images) : clock.time("download", [&] { return to_host<Complex>(ctx, images); });
  result.normals = encodings.take_normals();
  result.error_bars = error_bars.take(result.reports, notes);
  if (masked) recon::mask_field_of_view(image, result.error_bars);
  result.stage_seconds = clock.take();
  return result;
}

}  // namespace whorl
