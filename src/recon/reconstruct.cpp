#include "whorl/recon/reconstruct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/field_of_view.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/memory.hpp"
#include "recon/prepare.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

// What the frames of a slice share; it comes from the first of them.
struct Slice {
  int number = 0;
  Array<Complex> maps;                  // none where no method asks for them
  bool weighed = false;                 // least squares has found its weight
  recon::SliceWeight weight;            // of least squares
  recon::SliceWeights weights;          // of regularizers
  std::unique_ptr<Nlinv<float>> joint;  // of nlinv: the frame before is where a frame starts
};

// One reconstruction, in the order in which it is done.
class Job {
 public:
  Job(const Context& ctx, Scan scan, const ReconOptions& options, const recon::MemoryNeeds& needs)
      : scan_(std::move(scan)),
        options_(options),
        frames_together_(options.method == ReconMethod::cg_sense ? needs.frames : 1),
        run_(ctx),
        error_bars_(ctx, scan_, options, needs.replicas) {
    if (recon::frames_share(options) == recon::FramesShare::place || options.method == ReconMethod::nlinv)
      sort_by_slice();
  }

  Reconstruction reconstruct() {
    ProgressStage progress(run_.ctx, "reconstruction", static_cast<Index>(scan_.frames.size()));
    exponent_ = recon::prepare(run_, scan_, options_);
    const Shape volume{scan_.matrix[2], scan_.matrix[1], scan_.matrix[0]};
    images_ = Array<Complex>(run_.ctx, volume.with_front(static_cast<Index>(scan_.frames.size())));
    for (std::string& note : recon::describe_transform(scan_, options_)) run_.notes.push_back(std::move(note));
    for (const recon::FrameGroup& group : recon::frame_groups(scan_, frames_together_, recon::frames_share(options_))) {
      enter_slice(group.frames.front());
      if (group.first == 0) note_batch();
      if (!options_.regularizers.empty()) {
        solve_regularized(group);
      } else if (options_.method == ReconMethod::cg_sense) {
        solve(group);
      } else if (options_.method == ReconMethod::nlinv) {
        invert(group);
      } else {
        grid(group);
      }
      certify_slice(group);
      progress.advance(static_cast<Index>(group.frames.size()));
    }
    for (const ScanFrame& frame : scan_.frames) result_.frames.push_back({frame.index, frame.geometry});
    finish();
    return std::move(result_);
  }

 private:
  Shape image() const { return scan_.image_shape(); }
  // [(z,) y, x]
  ArrayRef<Complex> image_of(Index frame) { return images_.slice(frame).reshape(image()); }
  recon::FrameImage frame_image(Index frame) {
    return {frame, scan_.frames[static_cast<std::size_t>(frame)], slice_->maps, image_of(frame)};
  }

  // Frames that are solved together are neighbors; finish() undoes it.
  void sort_by_slice() {
    order_ = recon::order_by_slice(scan_);
    std::vector<ScanFrame> sorted;
    for (const std::size_t number : order_) sorted.push_back(std::move(scan_.frames[number]));
    scan_.frames = std::move(sorted);
  }

  // Images, places and reports in the order of the scan that was given.
  void restore_order() {
    if (std::is_sorted(order_.begin(), order_.end())) return;
    Array<Complex> images(run_.ctx.host(), result_.images.shape());
    std::vector<ImageFrame> frames(order_.size());
    std::vector<SolverReport> reports(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      copy<Complex>(result_.images.slice(static_cast<Index>(i)), images.slice(static_cast<Index>(order_[i])));
      frames[order_[i]] = result_.frames[i];
      reports[order_[i]] = std::move(result_.reports[i]);
    }
    result_.images = std::move(images);
    if (result_.set_images.size() > 0) {
      Array<Complex> sets(run_.ctx.host(), result_.set_images.shape());
      for (std::size_t i = 0; i < order_.size(); ++i) {
        copy<Complex>(result_.set_images.slice(static_cast<Index>(i)), sets.slice(static_cast<Index>(order_[i])));
      }
      result_.set_images = std::move(sets);
    }
    result_.frames = std::move(frames);
    result_.reports = std::move(reports);
  }

  void enter_slice(const ScanFrame& first) {
    if (slice_ != nullptr && slice_->number == first.index.slice) return;
    const bool is_first = slice_ == nullptr;
    keep_maps();
    slice_.reset();  // its memory, before that of the next is taken
    auto slice = std::make_unique<Slice>();
    slice->number = first.index.slice;
    if (recon::needs_coil_maps(options_)) {
      recon::CoilMaps found = recon::coil_maps(run_, scan_, first, options_, encodings_);
      slice->maps = std::move(found.maps);
      if (is_first) run_.notes.push_back(std::move(found.origin));
    }
    slice_ = std::move(slice);
  }

  // On a CPU a batch is what stays in its cache, and no choice that anybody has to know.
  void note_batch() {
    const Index at_once = encodings_.transform(run_, scan_.frames.front()).coils_at_once();
    if (run_.ctx.device().kind == DeviceKind::cpu || at_once == scan_.coils) return;
    run_.notes.push_back(fmt::format("Memory on {}: {} of {} coils are transformed at a time.",
                                     to_string(run_.ctx.device()), at_once, scan_.coils));
  }

  // Frames of several slices may come in turns.
  const LambdaChoice* choice_before() const {
    const auto found = std::find_if(result_.lambdas.begin(), result_.lambdas.end(),
                                    [&](const SliceLambda& of) { return of.slice == slice_->number; });
    return found == result_.lambdas.end() ? nullptr : &found->choice;
  }

  void solve(const recon::FrameGroup& group) {
    const ScanFrame& first = group.frames.front();
    const auto encoding = encodings_.transform(run_, first).of_image(slice_->maps.share());
    const auto penalties = penalty_.at(run_, first);
    if (!slice_->weighed) {
      slice_->weighed = true;
      slice_->weight = recon::slice_weight(run_, encoding, penalties, first, options_, choice_before(), exponent_);
      if (slice_->weight.choice) result_.lambdas.push_back({slice_->number, *slice_->weight.choice});
    }
    const double lambda = slice_->weight.lambda;
    const RegularizedModel<float> model{encoding, slice_->weight.eigenvalue, penalties};
    const auto count = static_cast<Index>(group.frames.size());
    const ArrayRef<Complex> images(image_of(group.first).data(), image().with_front(count), images_.device());
    std::vector<SolverReport> reports;
    if (!finished_.find(run_.ctx, group, images, reports)) {
      reports = recon::least_squares_images(run_, group.title(scan_), model, lambda, group, options_, images);
      finished_.keep(run_.ctx, group, images, reports);
    }
    std::move(reports.begin(), reports.end(), std::back_inserter(result_.reports));
    for (Index f = group.first; f < group.first + count; ++f) {
      error_bars_.add_least_squares(run_, frame_image(f), model, lambda);
    }
  }

  void solve_regularized(const recon::FrameGroup& group) {
    const ScanFrame& first = group.frames.front();
    const auto count = static_cast<Index>(group.frames.size());
    RegularizedModel<float> model{recon::frames_encoding(run_, group, encodings_, slice_->maps), 1,
                                  penalty_.at(run_, first)};
    if (!slice_->weighed) {
      slice_->weighed = true;
      // Of frames with one trajectory, one has the largest eigenvalue of all.
      const bool alike = recon::frames_share(options_) == recon::FramesShare::trajectory;
      const Operator<float> weighed =
          alike ? encodings_.transform(run_, first).of_image(slice_->maps.share()) : model.encoding;
      slice_->weight = recon::slice_weight(run_, weighed, model.penalties, first, options_, nullptr, exponent_);
    }
    model.eigenvalue = slice_->weight.eigenvalue;
    const ArrayRef<Complex> images(image_of(group.first).data(), image().with_front(count), images_.device());
    const bool first_of_slice = slice_->weights.unit == 0;
    const recon::RegularizedImages found = recon::regularized_images(run_, group.title(scan_), model, group, options_,
                                                                     slice_->weights, exponent_, finished_, images);
    if (first_of_slice && slice_->weights.choice) {
      result_.lambdas.push_back({slice_->number, *slice_->weights.choice});
    }
    result_.reports.insert(result_.reports.end(), static_cast<std::size_t>(count), found.report);
    error_bars_.add_regularized(group.first, found.noise);
  }

  // Frames come one by one, those of a slice in their order.
  void invert(const recon::FrameGroup& group) {
    const ScanFrame& frame = group.frames.front();
    const LinearOperator<float>& transform = encodings_.transform(run_, frame).of_coils();
    if (slice_->joint == nullptr) {
      slice_->joint = std::make_unique<Nlinv<float>>(run_.ctx, image(), scan_.coils, options_.nlinv);
    }
    Nlinv<float>& joint = *slice_->joint;
    const NlinvReport report = run_.time("nlinv", [&] { return joint.solve(run_.ctx, transform, frame.data); });
    SolverReport& said = result_.reports.emplace_back();
    for (const NlinvStep& step : report.steps) {
      said.residuals.push_back(step.misfit);
      said.iterations += step.iterations;
    }
    said.residuals.push_back(report.misfit);
    const Array<Complex> found = joint.image(run_.ctx);
    copy<Complex>(run_.ctx, found, image_of(group.first));
    if (options_.nlinv.sets == 1) return;
    if (result_.set_images.size() == 0) {
      result_.set_images = Array<Complex>(
          run_.ctx.host(), images_.shape().tail().with_front(options_.nlinv.sets).with_front(images_.extent(0)));
    }
    const Array<Complex> sets = joint.set_images(run_.ctx);
    const ArrayRef<Complex> to = result_.set_images.slice(group.first);
    copy<Complex>(run_.ctx, sets.ref().reshape(to.shape()), to);
  }

  // Of the slice that was done last.
  void keep_maps() {
    if (!options_.keep_maps || slice_ == nullptr) return;
    Array<Complex> made;
    if (slice_->joint != nullptr) made = slice_->joint->maps(run_.ctx);
    const ArrayRef<const Complex> maps = slice_->joint != nullptr ? made.ref() : slice_->maps.ref();
    kept_maps_.push_back(to_host<const Complex>(run_.ctx, maps));
  }

  // [slice, set, coil, z, y, x]
  void join_maps() {
    if (kept_maps_.empty()) return;
    const auto slices = static_cast<Index>(kept_maps_.size());
    const Index sets = kept_maps_.front().size() / (scan_.coils * image().size());
    result_.coil_maps = Array<Complex>(
        run_.ctx.host(), images_.shape().tail().with_front(scan_.coils).with_front(sets).with_front(slices));
    for (Index s = 0; s < slices; ++s) {
      const ArrayRef<Complex> to = result_.coil_maps.slice(s);
      copy<Complex>(kept_maps_[static_cast<std::size_t>(s)].ref().reshape(to.shape()), to);
    }
  }

  void grid(const recon::FrameGroup& group) {
    ProgressStage stage(run_.ctx, group.title(scan_), static_cast<Index>(group.frames.size()));
    for (std::size_t i = 0; i < group.frames.size(); ++i) {
      const ScanFrame& frame = group.frames[i];
      const recon::FrameImage what = frame_image(group.first + static_cast<Index>(i));
      const recon::GriddedImages gridded = recon::gridded_coil_images(run_, frame, encodings_);
      run_.time("coil combination", [&] {
        if (options_.combination == CombinationMethod::matched) {
          copy<Complex>(run_.ctx, matched_combination<float>(run_.ctx, gridded.images, what.maps),
                        image_of(what.number));
        } else {
          to_complex<float>(run_.ctx, root_sum_of_squares<float>(run_.ctx, gridded.images), image_of(what.number));
        }
      });
      error_bars_.add_gridding(run_, what, encodings_.weights(run_, frame).density, gridded.scale);
      stage.advance();
    }
  }

  // The first frame of each slice, with the image that was found.
  void certify_slice(const recon::FrameGroup& group) {
    const ScanFrame& frame = group.frames.front();
    const bool done = std::any_of(result_.certificates.begin(), result_.certificates.end(),
                                  [&](const Certificate& of) { return of.slice == frame.index.slice; });
    if (options_.certified_samples == 0 || options_.method != ReconMethod::cg_sense || done) return;
    const Operator<float> encoding = encodings_.transform(run_, frame).of_image(slice_->maps.share());
    result_.certificates.push_back(
        recon::certify_frame(run_, scan_, frame, encoding, slice_->maps, image_of(group.first), options_));
  }

  void finish() {
    keep_maps();
    join_maps();
    recon::note_certificates(result_.certificates, run_.notes);
    recon::note_lambdas(result_.lambdas, run_.notes);
    const bool masked = recon::masks_field_of_view(scan_, options_);
    if (masked) {
      recon::mask_field_of_view(run_.ctx, images_.ref().reshape(image().with_front(images_.extent(0))));
      run_.notes.emplace_back(
          options_.mask == ImageMask::automatic
              ? "Corners of the field of view: set to 0, for the readout's steps are so wide that copies of the object "
                "lie there."
              : "Corners of the field of view: set to 0.");
    }
    restore_unit();
    if (options_.filter) run_.time("filter", [&] { images_ = filtered(*options_.filter); });
    const bool on_host = run_.ctx.device().kind == DeviceKind::cpu;
    result_.images =
        on_host ? std::move(images_) : run_.time("download", [&] { return to_host<Complex>(run_.ctx, images_); });
    result_.normals = encodings_.take_normals();
    check_range<float>("reconstruction: the image", largest_part<float>(run_.ctx.host(), result_.images), 0);
    result_.error_bars = error_bars_.take(result_.reports, run_.notes);
    multiply_by_power_of_two<float>(run_.ctx.host(), exponent_, result_.error_bars.bias);
    multiply_by_power_of_two<float>(run_.ctx.host(), exponent_, result_.set_images);
    if (masked) recon::mask_field_of_view(image(), result_.error_bars);
    restore_order();
    result_.notes = std::move(run_.notes);
    result_.stage_seconds = run_.take_stages();
  }

  // Images of data that were scaled to magnitudes near 1 become those of the data that were given.
  void restore_unit() {
    if (exponent_ == 0) return;
    const Array<Complex> here = to_host<const Complex>(run_.ctx, images_);
    const double largest = largest_part<float>(run_.ctx.host(), here);
    check_range<float>("reconstruction: the image", largest, exponent_);
    if (options_.filter)
      check_powers<float>("reconstruction: the image to be filtered", std::ldexp(largest, exponent_));
    multiply_by_power_of_two<float>(run_.ctx, exponent_, images_);
  }

  Array<Complex> filtered(const ImageHook& filter) const {
    Array<Complex> filtered = filter.apply(run_.ctx, images_);
    if (filtered.shape() == images_.shape()) return filtered;
    throw ShapeError(fmt::format("reconstruction: '{}' made images of shape {}, expected {}", filter.name,
                                 to_string(filtered.shape()), to_string(images_.shape())));
  }

  Scan scan_;
  const ReconOptions& options_;
  Index frames_together_;
  std::vector<std::size_t> order_;  // of the scan's frames, where they were sorted
  recon::Run run_;
  recon::ErrorBarMaker error_bars_;
  recon::FinishedFrames finished_{options_.finished.get(), order_};
  recon::Encodings encodings_{scan_, options_};
  recon::Penalty penalty_{scan_, options_};
  std::unique_ptr<Slice> slice_;
  std::vector<Array<Complex>> kept_maps_;  // of each slice, on the host
  int exponent_ = 0;       // images times 2^exponent are in the unit of the data that were given (prepare)
  Array<Complex> images_;  // [frame, z, y, x]
  Reconstruction result_;
};

}  // namespace

Reconstruction reconstruct(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  recon::check_scan(scan, options);
  return reconstruct(ctx, clone(ctx, scan), options);
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options) {
  recon::check_scan(scan, options);
  const recon::MemoryNeeds needs = recon::checked_memory_needs(ctx, scan, options);
  return Job(ctx, std::move(scan), options, needs).reconstruct();
}

}  // namespace whorl
