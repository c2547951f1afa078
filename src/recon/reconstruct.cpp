#include "whorl/recon/reconstruct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/penalty.hpp"
#include "recon/field_of_view.hpp"
#include "recon/finish_images.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/joint_recon.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/memory.hpp"
#include "recon/prepare.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/ranks/collect.hpp"
#include "recon/ranks/group_encodings.hpp"
#include "recon/ranks/share.hpp"
#include "recon/ranks/spread_encoding.hpp"
#include "recon/ranks/team_data.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/tiles/frame_images.hpp"
#include "recon/tiles/tiles.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

// What the frames of a slice share; it comes from the first of them.
struct Slice {
  int number = 0;
  Array<Complex> maps;                          // none where no method asks for them
  Array<Complex> own_maps;                      // those of this rank's coils
  std::shared_ptr<const Array<float>> support;  // where its images may differ from 0; null: everywhere
  bool weighed = false;                         // least squares has found its weight
  recon::SliceWeight weight;                    // of least squares
  recon::SliceWeights weights;                  // of regularizers
  std::unique_ptr<Nlinv<float>> joint;          // of nlinv: the frame before is where a frame starts
};

// One reconstruction, in the order in which it is done.
class Job {
 public:
  Job(const Context& ctx, Scan scan, const ReconOptions& options, const recon::MemoryNeeds& needs)
      : order_(recon::is_sorted_by_slice(options) ? recon::order_by_slice(scan) : std::vector<std::size_t>()),
        scan_(recon::in_order(std::move(scan), order_)),
        slices_(recon::slices_of(scan_)),
        options_(recon::with_needs(options, needs)),
        tiles_(needs.tiles),
        solver_bytes_(needs.spilled_solver_bytes()),
        frames_together_(needs.frames),
        plans_ahead_(needs.plans_ahead),
        share_(ctx, scan_, slices_, frames_together_, options),
        ctx_(recon::context_for(ctx, share_.spreads() || tiles_.maps)),
        run_(ctx_),
        error_bars_(ctx_, scan_, options, needs.replicas) {
    if (tiles_.solver) run_.spill_solver(options_.spill.folder, solver_bytes_, needs.resident_bytes);
  }

  Reconstruction reconstruct() {
    ProgressStage progress(run_.ctx, "reconstruction", share_.frames().count());
    agree(share_.ranks(), [&] { prepare(); });
    // With regularizers the data go out once, for the right-hand side.
    agree(share_.ranks(), [&] {
      if (!options_.regularizers.empty()) return;
      recon::scatter_coils(run_, run_.ctx, share_, share_.solved_frames(slices_), scan_);
    });
    agree(share_.ranks(), [&] {
      if (!share_.is_idle()) solve_frames(progress);
    });
    collect();
    agree(share_.ranks(), [&] {
      if (share_.is_first()) finish();
    });
    return std::move(result_);
  }

 private:
  Shape image() const { return scan_.image_shape(); }
  recon::FrameImage frame_image(Index frame) {
    return {frame, scan_.frames[static_cast<std::size_t>(frame)], slice_->maps, images_.of(frame)};
  }

  void prepare() {
    share_.read_data(run_, slices_, order_, frames_together_, options_, scan_);
    exponent_ = recon::prepare(run_, scan_, options_, tiles_);
    if (!share_.note().empty()) run_.notes.push_back(share_.note());
    for (std::string& note : recon::describe_transform(scan_, options_)) run_.notes.push_back(std::move(note));
    // The first rank has those of the others too, in the end.
    const recon::FrameRange own = share_.is_first() ? recon::FrameRange{0, std::ssize(scan_.frames)} : share_.frames();
    if (share_.leads()) images_.make(run_, image(), own, tiles_.images ? &spill_ : nullptr);
  }

  void solve_frames(ProgressStage& progress) {
    const auto groups = recon::solved_groups(scan_, share_, frames_together_, options_);
    for (const recon::FrameGroup& group : groups) {
      enter_slice(group.first);
      if (options_.method == ReconMethod::gridding) static_cast<void>(encodings_.weights(run_, group.frames.front()));
      if (group.first == 0) note_tiles();
      images_.enter(run_, group);
      if (!options_.regularizers.empty()) {
        solve_regularized(group);
      } else if (options_.method == ReconMethod::cg_sense) {
        solve(group, &group == &groups.back() ? nullptr : std::next(&group));
      } else if (options_.method == ReconMethod::nlinv) {
        invert(group);
      } else {
        grid(group);
      }
      certify_slice(group);
      images_.leave(run_);
      finish_.hand_over(run_, exponent_, images_.all(), group);
      progress.advance(static_cast<Index>(group.frames.size()));
    }
  }

  void note_tiles() {
    recon::note_tiles(run_, scan_, options_, tiles_, solver_bytes_, encodings_.transform(run_, scan_.frames.front()));
  }

  const ScanFrame& first_of_slice(Index frame) const {
    return scan_.frames[static_cast<std::size_t>(recon::first_of_slice(slices_, frame))];
  }

  void enter_slice(Index frame) {
    const ScanFrame& first = first_of_slice(frame);
    if (slice_ != nullptr && slice_->number == first.index.slice) return;
    const bool is_first = slice_ == nullptr;
    keep_maps();
    slice_.reset();  // its memory, before that of the next is taken
    auto slice = std::make_unique<Slice>();
    slice->number = first.index.slice;
    slice->support = recon::noted_support(run_, scan_, first, options_, is_first);
    if (recon::needs_coil_maps(options_)) {
      recon::CoilMaps found = recon::team_maps(run_, share_, image().with_front(scan_.coils), [&] {
        // Before there are maps: density weights and planning take more than they do.
        if (recon::weighs_for_maps(scan_, first, scan_.coils, options_)) {
          static_cast<void>(encodings_.weights(run_, first));
        }
        static_cast<void>(encodings_.transform(run_, first));
        return recon::coil_maps(run_, scan_, first, options_, encodings_, tiles_.maps ? &spill_ : nullptr);
      });
      slice->maps = std::move(found.maps);
      slice->own_maps = recon::own_maps(run_, share_, slice->maps);
      if (is_first) run_.notes.push_back(std::move(found.origin));
    }
    slice_ = std::move(slice);
  }

  // Frames of several slices may come in turns.
  const LambdaChoice* choice_before() const {
    const auto found = std::find_if(result_.lambdas.begin(), result_.lambdas.end(),
                                    [&](const SliceLambda& of) { return of.slice == slice_->number; });
    return found == result_.lambdas.end() ? nullptr : &found->choice;
  }

  // This rank's part of the encoding of a frame, whose data are known to all ranks or not.
  recon::EncodingPart part_of(const ScanFrame& frame, bool known) {
    return recon::frame_part(run_, share_, encodings_, slice_->own_maps, scan_.coils, frame, known);
  }

  void weigh_slice(const ScanFrame& first) {
    if (std::exchange(slice_->weighed, true)) return;
    recon::apply_together(
        run_.ctx, share_.team(), [&] { return std::vector{part_of(first, true)}; },
        [&](const std::vector<Operator<float>>& encodings) {
          slice_->weight = recon::slice_weight(run_, {encodings.front(), 1, penalty_.at(run_, first), slice_->support},
                                               first, options_, choice_before(), exponent_);
          if (slice_->weight.choice) result_.lambdas.push_back({slice_->number, *slice_->weight.choice});
        });
  }

  void solve(const recon::FrameGroup& group, const recon::FrameGroup* next) {
    weigh_slice(first_of_slice(group.first));
    recon::apply_together(
        run_.ctx, share_.team(),
        [&] { return recon::frame_parts(run_, share_, encodings_, slice_->own_maps, scan_.coils, group, next); },
        [&](const std::vector<Operator<float>>& encodings) { solve(group, encodings); });
  }

  // With the encoding of each frame.
  void solve(const recon::FrameGroup& group, const std::vector<Operator<float>>& encodings) {
    const double lambda = slice_->weight.lambda;
    RegularizedModel<float> model{encodings.front(), slice_->weight.eigenvalue, penalty_.at(run_, group.frames.front()),
                                  slice_->support};
    const ArrayRef<Complex> images = images_.of(group);
    std::vector<SolverReport> reports;
    if (!finished_.find(run_.ctx, group, images, reports)) {
      const auto states = finished_.states(group);
      reports = recon::least_squares_images(run_, group.title(scan_), model, encodings, lambda, group, options_,
                                            states.get(), images);
      finished_.keep(run_.ctx, group, images, reports);
    }
    std::move(reports.begin(), reports.end(), std::back_inserter(result_.reports));
    for (std::size_t i = 0; i < encodings.size(); ++i) {
      model.encoding = encodings[i];
      error_bars_.add_least_squares(run_, frame_image(group.first + static_cast<Index>(i)), model, lambda);
    }
  }

  void with_encodings(const recon::FrameGroup& group, const recon::GroupWork& work) {
    recon::with_group_encodings(run_, share_, encodings_, slice_->own_maps, scan_.coils, group, work);
  }

  // The model of a group; the first of its slice finds the largest eigenvalue.
  RegularizedModel<float> model_of(const recon::FrameGroup& group, const Operator<float>& encoding,
                                   const Operator<float>* weighed) {
    const ScanFrame& first = group.frames.front();
    RegularizedModel<float> model{encoding, 1, penalty_.at(run_, first), slice_->support};
    if (weighed != nullptr) {
      slice_->weight =
          recon::slice_weight(run_, {*weighed, 1, model.penalties, model.support}, first, options_, nullptr, exponent_);
    }
    model.eigenvalue = slice_->weight.eigenvalue;
    return model;
  }

  void solve_regularized(const recon::FrameGroup& group) {
    bool weigh = !std::exchange(slice_->weighed, true);
    const recon::FrameRange since{recon::first_of_slice(slices_, group.first), group.first};
    if (weigh && since.count() > 0) {  // the first group is another rank's
      weigh = false;
      const auto first = recon::frame_groups(scan_, since, frames_together_, recon::frames_share(options_)).front();
      with_encodings(first, [&](const Operator<float>& encoding, const Operator<float>& weighed) {
        recon::find_weights(run_, model_of(first, encoding, &weighed), first, options_, slice_->weights, exponent_);
      });
    }
    with_encodings(group, [&](const Operator<float>& encoding, const Operator<float>& weighed) {
      solve_regularized(group, model_of(group, encoding, weigh ? &weighed : nullptr));
    });
  }

  void solve_regularized(const recon::FrameGroup& group, const RegularizedModel<float>& model) {
    const ArrayRef<Complex> images = images_.of(group);
    const bool chooses = slice_->weights.unit == 0;
    const recon::RegularizedImages found = recon::regularized_images(run_, group.title(scan_), model, group, options_,
                                                                     slice_->weights, exponent_, finished_, images);
    const auto& choice = slice_->weights.choice;
    if (chooses && choice) result_.lambdas.push_back({slice_->number, *choice});
    result_.reports.insert(result_.reports.end(), group.frames.size(), found.report);
    recon::put_parts(run_.ctx.host(), found.parts, group.first, static_cast<Index>(scan_.frames.size()), result_.parts);
    error_bars_.add_regularized(group.first, found.noise);
  }

  // Frames come one by one, those of a slice in their order.
  void invert(const recon::FrameGroup& group) {
    const ScanFrame& frame = group.frames.front();
    const recon::CoilTransform& transform = encodings_.transform(run_, frame);
    if (slice_->joint == nullptr) {
      slice_->joint = std::make_unique<Nlinv<float>>(recon::joint_solver(
          run_, image(), scan_.coils, transform, options_, tiles_.maps ? &spill_ : nullptr, slice_->support));
    }
    const ArrayRef<Complex> sets =
        recon::sets_of(run_, images_.all().shape(), options_.nlinv.sets, group.first, result_.set_images);
    result_.reports.push_back(
        recon::joint_image(run_, *slice_->joint, transform.of_coils(), frame, images_.of(group.first), sets));
  }

  // Of the slice that was done last.
  void keep_maps() {
    if (!options_.keep_maps || slice_ == nullptr) return;
    slice_->joint != nullptr ? kept_maps_.add(run_, slice_->joint->maps(run_.ctx)) : kept_maps_.add(run_, slice_->maps);
  }

  void grid(const recon::FrameGroup& group) {
    ProgressStage stage(run_.ctx, group.title(scan_), static_cast<Index>(group.frames.size()));
    for (std::size_t i = 0; i < group.frames.size(); ++i) {
      const ScanFrame& frame = group.frames[i];
      const recon::FrameImage what = frame_image(group.first + static_cast<Index>(i));
      const recon::GriddedImages gridded =
          recon::gridded_coil_images(run_, frame, encodings_, tiles_.coils ? &spill_ : nullptr);
      recon::combine_coils(run_, gridded.images, what.maps, options_.combination, images_.of(what.number));
      recon::hold_to<float>(recon::context_at(run_.ctx, what.image.device()), slice_->support.get(),
                            images_.of(what.number));
      error_bars_.add_gridding(run_, what, encodings_.weights(run_, frame).density, gridded.scale);
      stage.advance();
    }
  }

  // The first frame of each slice, with the image that was found.
  void certify_slice(const recon::FrameGroup& group) {
    const ScanFrame& frame = group.frames.front();
    if (options_.certified_samples == 0 || options_.method != ReconMethod::cg_sense ||
        &frame != &first_of_slice(group.first) || !certified_.insert(frame.index.slice).second) {
      return;
    }
    recon::apply_together(
        run_.ctx, share_.team(), [&] { return std::vector{part_of(frame, false)}; },
        [&](const std::vector<Operator<float>>& encodings) {
          result_.certificates.push_back(recon::certify_frame(run_, scan_, frame, encodings.front(), slice_->maps,
                                                              images_.of(group.first), options_));
        });
  }

  // What the leaders of all teams have found, on the first rank.
  void collect() {
    result_.normals = encodings_.take_normals();
    if (share_.alone()) return;
    recon::TeamResult own;
    agree(share_.ranks(), [&] {
      if (share_.leads() && !share_.is_first()) own = team_result();
    });
    others_ = recon::collect(run_, share_.ranks(), share_.leads() ? &own : nullptr);
    if (!share_.is_first()) result_ = {};
  }

  recon::TeamResult team_result() {
    const recon::FrameRange own = share_.frames();
    recon::TeamResult team{own.first,
                           to_host<const Complex>(run_.ctx, images_.all()),
                           std::move(result_.reports),
                           std::move(result_.lambdas),
                           std::move(result_.certificates),
                           std::move(result_.normals),
                           error_bars_.take(result_.reports, run_.notes)};
    recon::keep_rows(run_.ctx.host(), own, team.error_bars);
    return team;
  }

  void finish() {
    Array<Complex>& images = images_.all();
    recon::merge(run_.ctx, others_, images, result_);
    for (const ScanFrame& frame : scan_.frames) result_.frames.push_back({frame.index, frame.geometry});
    keep_maps();
    result_.coil_maps = kept_maps_.take(run_, scan_.coils, images.shape().tail());
    recon::note_certificates(result_.certificates, run_.notes);
    recon::note_lambdas(result_.lambdas, run_.notes);
    result_.images = finish_.take(run_, exponent_, images);
    result_.error_bars = error_bars_.take(result_.reports, run_.notes);
    recon::merge_error_bars(others_, result_.error_bars);
    recon::finish_further(run_, image(), exponent_, finish_.masks(), result_);
    recon::restore_order(run_.ctx.host(), order_, result_);
    result_.notes = std::move(run_.notes);
    result_.stage_seconds = run_.take_stages();
  }

  std::vector<std::size_t> order_;  // of the scan's frames, where they were sorted
  Scan scan_;
  std::vector<int> slices_;  // of each frame
  const ReconOptions options_;
  const recon::Tiles tiles_;
  Index solver_bytes_;  // that are spilled
  Index frames_together_;
  bool plans_ahead_;
  recon::Share share_;
  Context ctx_;
  recon::Run run_;
  recon::ErrorBarMaker error_bars_;
  recon::FinishedFrames finished_{options_.finished.get(), order_};
  recon::Spill spill_{ctx_, options_.spill};
  recon::Encodings encodings_{scan_, options_, tiles_, tiles_.weights ? &spill_ : nullptr, plans_ahead_};
  recon::Penalty penalty_{scan_, options_};
  recon::ImageFinish finish_{scan_, options_, share_.alone() && order_.empty()};
  std::unique_ptr<Slice> slice_;
  recon::KeptMaps kept_maps_;
  int exponent_ = 0;  // images times 2^exponent are in the unit of the data that were given (prepare)
  recon::FrameImages images_;
  std::set<int> certified_;  // slices
  std::vector<recon::TeamResult> others_;
  Reconstruction result_;
};

Reconstruction reconstruct_with(const Context& ctx, Scan&& scan, const ReconOptions& options, const ReconPlan* plan) {
  recon::MemoryNeeds needs;
  const auto check = [&] { needs = recon::checked_memory_needs(ctx, scan, options, plan); };
  options.ranks != nullptr ? agree(*options.ranks, check) : check();
  return Job(ctx, std::move(scan), options, needs).reconstruct();
}

}  // namespace

Reconstruction reconstruct(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  recon::check_scan(scan, options);
  return reconstruct(ctx, clone(ctx, scan), options);
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options) {
  return reconstruct_with(ctx, std::move(scan), options, nullptr);
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options, const ReconPlan& plan) {
  return reconstruct_with(ctx, std::move(scan), options, &plan);
}

}  // namespace whorl
