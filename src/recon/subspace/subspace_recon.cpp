#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/out_of_memory.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/field_of_view.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joint_recon.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/memory.hpp"
#include "recon/prepare.hpp"
#include "recon/ranks/collect.hpp"
#include "recon/ranks/group_encodings.hpp"
#include "recon/ranks/on_devices.hpp"
#include "recon/ranks/share.hpp"
#include "recon/ranks/team_data.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/value_range.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/subspace.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/recon/regularized_noise.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;
using recon::SliceFrames;

// What a slice is solved with.
struct SliceModel {
  Nufft<float> nufft;
  Array<Complex> maps;
  Array<Complex> courses;
  std::shared_ptr<const SubspaceSpectra<float>> spectra;
  std::shared_ptr<const Array<float>> support;  // where the coefficients may differ from 0; null: everywhere

  // The operator of coils [first, first + count).
  Subspace<float> part(const Context& ctx, Index first, Index count) {
    const Shape image = maps.shape().tail();
    const ArrayRef<const Complex> some(maps.slice(first).data(), image.with_front(count), maps.device());
    return {SenseNufft<float>(Nufft<float>(nufft, count), clone<Complex>(ctx, some)), courses.share()};
  }
  Operator<float> all() {
    return Subspace<float>(SenseNufft<float>(Nufft<float>(nufft, maps.extent(0)), maps.share()), courses.share(),
                           maps.share(), spectra);
  }
};

class SubspaceJob {
 public:
  SubspaceJob(const Context& ctx, Scan scan, const SubspaceBasis& basis, const ReconOptions& options)
      : scan_(std::move(scan)),
        basis_(basis),
        options_(recon::with_all_frames(options)),
        signal_(options.signal),
        share_(ctx, options.ranks, recon::slice_units(scan_, options), recon::coils_used(scan_, options),
               recon::coils_used(scan_, options), "slices"),
        ctx_(recon::context_for(ctx, share_.spreads())),
        run_(ctx_) {}

  Reconstruction reconstruct() {
    ProgressStage progress(run_.ctx, "reconstruction", share_.frames().count());
    agree(share_.ranks(), [&] { prepare(); });
    agree(share_.ranks(), [&] {
      recon::scatter_coils(run_, run_.ctx.host(), share_, recon::in_slices(scan_, share_.frames()), scan_);
    });
    agree(share_.ranks(), [&] {
      if (!share_.is_idle()) solve_slices(progress);
    });
    collect();
    agree(share_.ranks(), [&] {
      if (share_.is_first()) finish();
    });
    return std::move(result_);
  }

 private:
  void prepare() {
    const Context host = run_.ctx.host();
    recon::Run preparing(host);  // the data stay on the host
    if (options_.frame_data) recon::read_frames(preparing, needed_frames(), {}, options_, scan_);
    exponent_ = recon::prepare(preparing, scan_, options_, recon::subspace_tiles(options_));
    run_.notes = std::move(preparing.notes);
    run_.noise = preparing.noise;
    run_.noise_found = preparing.noise_found;
    result_.stage_seconds = preparing.take_stages();
    if (!share_.note().empty()) run_.notes.push_back(share_.note());
    if (scan_.coil_maps.size() > 0 && scan_.coil_maps.device() != run_.ctx.device()) {
      scan_.coil_maps = clone<Complex>(run_.ctx, scan_.coil_maps);
    }
    slices_ = recon::frames_of_slices(scan_);
    if (signal_.weights != nullptr) {
      for (SliceFrames& slice : slices_) {
        for (const ScanFrame* frame : slice.frames) slice.roots.push_back(recon::weight_roots(host, *frame, signal_));
      }
    }
    const Index count = basis_.components();
    // The first rank has those of the others too, in the end.
    const Index images = count * (share_.is_first() ? std::ssize(slices_) : share_.frames().count());
    if (share_.leads()) {
      result_.images = Array<Complex>(host, Shape{images, scan_.matrix[2], scan_.matrix[1], scan_.matrix[0]});
    }
    run_.notes.push_back(
        fmt::format("Subspace: {} components for {} frames, {}; {:.4g} % of the energy of its signals.", count,
                    basis_.frames(), basis_.origin, 100 * basis_.part));
  }

  std::vector<bool> needed_frames() const {
    return recon::in_slices(scan_, share_.leads() ? share_.frames() : recon::FrameRange{});
  }

  void solve_slices(ProgressStage& progress) {
    const recon::FrameRange own = share_.frames();
    const Index count = basis_.components();
    for (Index s = own.first; s < own.last; ++s) {
      const Array<Complex> solved = solve(slices_[static_cast<std::size_t>(s)], s == own.first);
      if (share_.leads()) {
        const Index first = (share_.is_first() ? s : s - own.first) * count;
        copy<Complex>(run_.ctx, solved, ArrayRef<Complex>(result_.images.slice(first).data(), solved.shape()));
      }
      progress.advance();
    }
  }

  // What the leaders of all teams have found, on the first rank.
  void collect() {
    if (share_.alone()) return;
    recon::TeamResult own;
    own.first = share_.frames().first * basis_.components();
    if (share_.leads() && !share_.is_first()) {
      own.images = std::move(result_.images);
      own.reports = std::move(result_.reports);
    }
    others_ = recon::collect(run_, share_.ranks(), share_.leads() ? &own : nullptr);
    if (!share_.is_first()) result_ = {};
  }

  void finish() {
    const Context host = run_.ctx.host();
    recon::merge(host, others_, result_.images, result_);
    for (const SliceFrames& slice : slices_) {
      const ScanFrame& first = *slice.frames.front();
      for (Index k = 0; k < basis_.components(); ++k) {
        result_.frames.push_back({{.slice = first.index.slice, .contrast = static_cast<int>(k)}, first.geometry});
      }
    }
    const double largest = largest_part<float>(host, result_.images);
    check_range<float>("reconstruction: the image", largest, exponent_);
    multiply_by_power_of_two<float>(host, exponent_, result_.images);
    if (recon::masks_field_of_view(scan_, options_)) {
      const Shape image = scan_.image_shape();
      recon::mask_field_of_view(host, result_.images.ref().reshape(image.with_front(result_.images.extent(0))));
    }
    result_.coil_maps = kept_maps_.take(run_, scan_.coils, result_.images.shape().tail());
    result_.notes = std::move(run_.notes);
    std::ranges::move(run_.take_stages(), std::back_inserter(result_.stage_seconds));
  }

  // For this rank's coils.
  SliceModel model_of(const SliceFrames& slice, bool is_first) {
    const Shape image = scan_.image_shape();
    const auto support = recon::support_at(run_.ctx, scan_, *slice.frames.front(), options_);
    recon::CoilMaps found = recon::team_maps(run_, share_, image.with_front(scan_.coils), [&] {
      return recon::coil_maps(run_, scan_, *slice.frames.front(), options_, encodings_, support.get());
    });
    if (is_first) run_.notes.push_back(std::move(found.origin));
    if (options_.keep_maps) kept_maps_.add(run_, found.maps);
    const Array<double> points = joined_points(run_.ctx, slice);
    return run_.time("plan", [&] {
      const NufftOptions nufft = recon::pair_options(run_.ctx, image, slice.samples, options_);
      Array<Complex> courses = courses_of(run_.ctx, slice, basis_);
      auto spectra = std::make_shared<const SubspaceSpectra<float>>(run_.ctx, points, courses, image, nufft);
      return SliceModel{Nufft<float>(run_.ctx, points, image, share_.coils().count, nufft),
                        recon::own_maps(run_, share_, found.maps), std::move(courses), std::move(spectra), support};
    });
  }

  // A^H d, and |d|^2, of this rank's coils: some of them at a time.
  double right_hand_side(const SliceFrames& slice, SliceModel& model, Array<Complex>& b) const {
    const recon::CoilRange coils = share_.coils();
    const Index start = recon::first_coil(share_, *slice.frames.front());
    const Index at_once = std::min<Index>(model.nufft.coils_at_once(), coils.count);
    Array<Complex> some(run_.ctx, b.shape());
    double energy = 0;
    for (Index first = 0; first < coils.count; first += at_once) {
      const Index count = std::min(at_once, coils.count - first);
      const Array<Complex> data = data_of_coils(run_.ctx, slice, start + first, count);
      energy += dot<float>(run_.ctx, data, data).real();
      model.part(run_.ctx, first, count).adjoint(run_.ctx, data, some);
      axpby<float>(run_.ctx, 1, some, first == 0 ? 0 : 1, b);
    }
    return energy;
  }

  // A^H d and |d|^2 of all coils, on the leader.
  double team_right_hand_side(const SliceFrames& slice, SliceModel& model, Array<Complex>& b) {
    double energy = 0;
    agree_within(share_.team(),
                 [&] { energy = run_.time("right-hand side", [&] { return right_hand_side(slice, model, b); }); });
    if (!share_.spreads()) return energy;
    share_.team().sum(run_.ctx, b, 0);
    double all = 0;
    for (const auto& bytes : share_.team().gather(std::as_bytes(std::span(&energy, 1)), 0)) {
      double of_rank = 0;
      std::memcpy(&of_rank, bytes.data(), sizeof(of_rank));
      all += of_rank;
    }
    return all;
  }

  // Coefficients, on the leader.
  Array<Complex> solve(const SliceFrames& slice, bool is_first) {
    std::unique_ptr<SliceModel> model;
    agree_within(share_.team(), [&] { model = std::make_unique<SliceModel>(model_of(slice, is_first)); });
    Array<Complex> b(run_.ctx, scan_.image_shape().with_front(basis_.components()));
    const double energy = team_right_hand_side(slice, *model, b);
    Array<Complex> x;
    recon::apply_together(
        run_.ctx, share_.team(),
        [&] {
          const recon::CoilRange own = share_.coils();
          return std::vector{recon::EncodingPart{
              model->all(), {scan_.coils, slice.samples}, {{own.first * slice.samples, own.count * slice.samples}}}};
        },
        [&](const std::vector<Operator<float>>& whole) { x = solve(slice, whole.front(), model->support, b, energy); });
    return x;
  }

  Array<Complex> solve(const SliceFrames& slice, const Operator<float>& A,
                       const std::shared_ptr<const Array<float>>& support, Array<Complex>& b, double energy) {
    const Context& ctx = run_.ctx;
    RegularizedModel<float> model{A, 1};
    model.support = support;
    if (&slice == slices_.data()) recon::note_support(run_, options_, support.get());
    model.eigenvalue = run_.time("largest eigenvalue", [&] { return normal_eigenvalue<float>(ctx, A); });
    axpby<float>(ctx, 1 / model.eigenvalue, b, 0, b);
    Array<Complex> x = zeros<Complex>(ctx, b.shape());
    const std::string title = fmt::format("slice {}", slice.frames.front()->index.slice);
    SolverReport report = run_.time("coefficients", [&] {
      if (options_.regularizers.empty()) {
        return solve_regularized_normal<float>(ctx, title, model,
                                               recon::solver_options(run_, options_, options_.lambda), b, x);
      }
      const Shape series{basis_.components(), scan_.matrix[2], scan_.matrix[1], scan_.matrix[0]};
      set_weights(model, series, b);
      return regularized_least_squares<float>(ctx, title, model, make_penalties<float>(series, regularizers_, unit_),
                                              recon::regularized_options(options_), b, energy / (2 * model.eigenvalue),
                                              x);
    });
    result_.reports.insert(result_.reports.end(), static_cast<std::size_t>(basis_.components()), report);
    return x;
  }

  // The weights of the first slice serve all slices.
  void set_weights(const RegularizedModel<float>& model, const Shape& series, ArrayRef<const Complex> b) {
    if (unit_ > 0) return;
    unit_ = largest_magnitude<float>(run_.ctx, b);
    if (!(unit_ > 0)) throw ValueError("subspace: the data are zero, which leaves weights no unit");
    regularizers_ =
        in_units_of_largest(options_.regularizers, series, unit_, noise_of_voxel<float>(run_.ctx, model, run_.noise));
  }

  Scan scan_;
  const SubspaceBasis& basis_;
  const ReconOptions options_;
  const SignalOptions signal_;
  recon::Share share_;
  Context ctx_;
  recon::Run run_;
  recon::Encodings encodings_{scan_, options_};
  std::vector<SliceFrames> slices_;
  recon::KeptMaps kept_maps_;
  int exponent_ = 0;  // images times 2^exponent are in the unit of the data that were given (prepare)
  double unit_ = 0;   // of the weights of these
  std::vector<Regularizer> regularizers_;
  std::vector<recon::TeamResult> others_;
  Reconstruction result_;
};

}  // namespace

Reconstruction reconstruct_subspace(const Context& ctx, Scan scan, const SubspaceBasis& basis,
                                    const ReconOptions& options) {
  const auto check = [&] {
    const Index needed = subspace_reconstruction_memory(ctx, scan, basis, options);
    const Index there = recon::usable_memory(ctx);
    if (needed > there) {
      throw detail::OutOfMemory(fmt::format(
          "subspace: needs some {:.4g} MB of memory on {}, where {:.4g} MB may be planned with; use fewer components, "
          "fewer coils (compression), a larger limit of memory, or another device",
          1e-6 * static_cast<double>(needed), to_string(ctx.device()), 1e-6 * static_cast<double>(there)));
    }
  };
  options.ranks != nullptr ? agree(*options.ranks, check) : check();
  return SubspaceJob(ctx, std::move(scan), basis, options).reconstruct();
}

Reconstruction reconstruct_subspace(std::span<const Context> devices, Scan&& scan, const SubspaceBasis& basis,
                                    const ReconOptions& options) {
  return recon::reconstruct_on_devices(devices, std::move(scan), options,
                                       [&](const Context& ctx, Scan&& part, const ReconOptions& own) {
                                         return reconstruct_subspace(ctx, std::move(part), basis, own);
                                       });
}

std::vector<bool> subspace_frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& options) {
  const recon::Seat seat = recon::seat_of(ranks.rank(), ranks.size(), recon::slice_units(scan, options));
  return recon::in_slices(scan,
                          seat.place > 0 ? recon::FrameRange{} : seat.frames);  // the leader sends the others theirs
}

}  // namespace whorl
