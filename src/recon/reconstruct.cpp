#include "whorl/recon/reconstruct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/field_of_view.hpp"
#include "recon/finish_images.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joined/joined_scans.hpp"
#include "recon/joint_recon.hpp"
#include "recon/memory.hpp"
#include "recon/methods/method.hpp"
#include "recon/prepare.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/ranks/collect.hpp"
#include "recon/ranks/group_encodings.hpp"
#include "recon/ranks/share.hpp"
#include "recon/ranks/team_data.hpp"
#include "recon/recon_plan.hpp"
#include "recon/tiles/frame_images.hpp"
#include "recon/tiles/tiles.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

// One reconstruction, in the order in which it is done.
class Job {
 public:
  Job(const Context& ctx, Scan scan, const ReconOptions& options, const recon::MemoryNeeds& needs)
      : order_(recon::is_sorted_by_slice(options) ? recon::order_by_slice(scan) : std::vector<std::size_t>()),
        scan_(recon::in_order(std::move(scan), order_)),
        slices_(recon::slices_of(scan_)),
        placed_(options.subspace != nullptr ? std::vector<std::size_t>() : order_),
        options_(recon::with_needs(options, needs)),
        signal_(options.signal),
        tiles_(needs.tiles),
        joined_(ctx.host(), scan_, options_, tiles_),
        solver_bytes_(needs.spilled_solver_bytes()),
        frames_together_(needs.frames),
        plans_ahead_(needs.plans_ahead),
        share_(ctx, scan_, slices_, frames_together_, options_),
        ctx_(recon::context_for(ctx, share_.spreads() || tiles_.maps)),
        run_(ctx_),
        error_bars_(ctx_, scan_, options_, needs.replicas) {
    if (tiles_.solver) run_.spill_solver(options_.spill.folder, solver_bytes_, needs.resident_bytes);
  }

  Reconstruction reconstruct() {
    ProgressStage progress(run_.ctx, "reconstruction", share_.frames().count());
    agree(share_.ranks(), [&] { prepare(); });
    // With regularizers the data of frames go out once, for the right-hand side.
    agree(share_.ranks(), [&] {
      if (!options_.regularizers.empty() && options_.subspace == nullptr) return;
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
  void prepare() {
    share_.read_data(run_, slices_, order_, frames_together_, options_, scan_);
    recon::prepare(run_, scan_, options_, tiles_);
    if (joined_.any()) joined_.join(run_, scan_, encodings_);
    if (!share_.note().empty()) run_.notes.push_back(share_.note());
    for (std::string& note : recon::describe_transform(scan_, options_)) run_.notes.push_back(std::move(note));
    // The first rank has those of the others too, in the end.
    const recon::FrameRange own = share_.is_first() ? recon::FrameRange{0, std::ssize(scan_.frames)} : share_.frames();
    if (!share_.leads()) return;
    images_.make(run_, at_.image(), recon::images_of(scan_, own, options_), tiles_.images ? &spill_ : nullptr);
  }

  void solve_frames(ProgressStage& progress) {
    method_ = recon::method_of(options_).make(at_);
    const auto groups = recon::solved_groups(scan_, share_, frames_together_, options_);
    for (const recon::FrameGroup& group : groups) {
      enter_slice(group);
      method_->enter_group(group);
      if (group.first == 0 && !joined_.any()) note_tiles();
      images_.enter(run_, group);
      method_->solve(group, &group == &groups.back() ? nullptr : std::next(&group));
      images_.leave(run_);
      finish_.hand_over(run_, images_.all(), group);
      progress.advance(static_cast<Index>(group.frames.size()));
    }
    keep_maps();
  }

  void note_tiles() {
    recon::note_tiles(run_, scan_, options_, tiles_, solver_bytes_,
                      encodings_.transform(run_, method_->planned(scan_.frames.front())));
  }

  void enter_slice(const recon::FrameGroup& group) {
    const ScanFrame& first = at_.first_of_slice(group.first);
    const bool is_first = !at_.slice;
    if (at_.slice == first.index.slice) return;
    keep_maps();
    // Their memory is free before that of the next slice is taken.
    at_.maps = {};
    at_.own_maps = {};
    method_->enter_slice(group);
    at_.slice = first.index.slice;
    at_.support = recon::support_at(run_.ctx, scan_, first, options_);
    if (is_first) recon::note_support(run_, options_, at_.support.get());
    if (!recon::needs_coil_maps(options_)) return;
    recon::CoilMaps found = recon::team_maps(run_, share_, at_.image().with_front(scan_.coils), [&] {
      if (joined_.any()) {
        encodings_.plan(run_, {number_of(first), {&first, 1}});
        return joined_.coil_maps(run_, static_cast<std::size_t>(number_of(first)), options_, at_.support.get());
      }
      // Before there are maps: density weights and planning take more than they do.
      if (recon::weighs_for_maps(scan_, first, scan_.coils, options_)) {
        static_cast<void>(encodings_.weights(run_, first));
      }
      static_cast<void>(encodings_.transform(run_, method_->planned(first)));
      return recon::coil_maps(run_, scan_, first, options_, encodings_, at_.support.get(),
                              tiles_.maps ? &spill_ : nullptr);
    });
    at_.maps = std::move(found.maps);
    at_.own_maps = recon::own_maps(run_, share_, at_.maps);
    if (is_first) run_.notes.push_back(std::move(found.origin));
  }

  Index number_of(const ScanFrame& frame) const { return &frame - scan_.frames.data(); }

  void keep_maps() {
    if (options_.keep_maps && at_.slice) kept_maps_.add(run_, method_->maps());
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
    const recon::FrameRange own = recon::images_of(scan_, share_.frames(), options_);
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
    result_.frames = recon::places_of_images(scan_, options_);
    result_.coil_maps = kept_maps_.take(run_, scan_.coils, images.shape().tail());
    recon::note_certificates(result_.certificates, run_.notes);
    recon::note_lambdas(result_.lambdas, run_.notes);
    result_.images = finish_.take(run_, images);
    result_.error_bars = error_bars_.take(result_.reports, run_.notes);
    recon::merge_error_bars(others_, result_.error_bars);
    recon::finish_further(run_, at_.image(), finish_.masks(), result_);
    recon::restore_order(run_.ctx.host(), placed_, result_);
    result_.notes = std::move(run_.notes);
    result_.stage_seconds = run_.take_stages();
  }

  std::vector<std::size_t> order_;  // of the scan's frames, where they were sorted
  Scan scan_;
  std::vector<int> slices_;          // of each frame
  std::vector<std::size_t> placed_;  // `order_`, where images are those of frames
  const ReconOptions options_;
  const SignalOptions signal_;  // as it was given
  const recon::Tiles tiles_;
  recon::JoinedScans joined_;  // copied before the rest of the memory is taken
  Index solver_bytes_;         // that are spilled
  Index frames_together_;
  bool plans_ahead_;
  recon::Share share_;
  Context ctx_;
  recon::Run run_;
  recon::ErrorBarMaker error_bars_;
  recon::FinishedFrames finished_{options_.finished.get(), placed_};
  recon::Spill spill_{ctx_, options_.spill};
  recon::Encodings encodings_{scan_, options_, tiles_, tiles_.weights ? &spill_ : nullptr, plans_ahead_};
  recon::ImageFinish finish_{scan_, options_, share_.alone() && placed_.empty()};
  recon::KeptMaps kept_maps_;
  recon::FrameImages images_;
  std::vector<recon::TeamResult> others_;
  Reconstruction result_;
  recon::Workplace at_{.scan = scan_,
                       .slices = slices_,
                       .options = options_,
                       .signal = signal_,
                       .tiles = tiles_,
                       .frames_together = frames_together_,
                       .run = run_,
                       .share = share_,
                       .spill = spill_,
                       .encodings = encodings_,
                       .images = images_,
                       .finished = finished_,
                       .error_bars = error_bars_,
                       .result = result_};
  std::unique_ptr<recon::Method> method_;
};

recon::MemoryNeeds needs_of(const Context& ctx, const Scan& scan, const ReconOptions& options,
                            const ReconPlan* plan = nullptr) {
  recon::MemoryNeeds needs;
  const auto check = [&] { needs = recon::checked_memory_needs(ctx, scan, options, plan); };
  options.ranks != nullptr ? agree(*options.ranks, check) : check();
  return needs;
}

}  // namespace

Reconstruction reconstruct(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  const recon::MemoryNeeds needs = needs_of(ctx, scan, options);
  return Job(ctx, clone(ctx, scan), options, needs).reconstruct();
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options) {
  const recon::MemoryNeeds needs = needs_of(ctx, scan, options);
  return Job(ctx, std::move(scan), options, needs).reconstruct();
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options, const ReconPlan& plan) {
  const recon::MemoryNeeds needs = needs_of(ctx, scan, options, &plan);
  return Job(ctx, std::move(scan), options, needs).reconstruct();
}

}  // namespace whorl
