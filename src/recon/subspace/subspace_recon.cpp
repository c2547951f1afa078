#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/field_of_view.hpp"
#include "recon/frame_groups.hpp"
#include "recon/prepare.hpp"
#include "recon/subspace/slice_frames.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/value_range.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/subspace.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

// [component, sample] on the device
Array<Complex> courses_of(const Context& ctx, const recon::SliceFrames& slice, const SubspaceBasis& basis) {
  Array<Complex> courses(ctx.host(), {basis.components(), slice.samples});
  for (Index k = 0; k < basis.components(); ++k) {
    for (std::size_t t = 0; t < slice.frames.size(); ++t) {
      const std::complex<double> value = basis.vectors.data()[static_cast<Index>(t) * basis.components() + k];
      std::fill_n(courses.data() + k * slice.samples + slice.starts[t], slice.frames[t]->trajectory->samples(),
                  Complex(value));
    }
    for (std::size_t t = 0; t < slice.roots.size(); ++t) {
      Complex* course = courses.data() + k * slice.samples + slice.starts[t];
      for (Index j = 0; j < slice.roots[t].size(); ++j) course[j] *= slice.roots[t].data()[j];
    }
  }
  return clone<Complex>(ctx, courses);
}

// Samples of coils [first, first + count) of all frames, from the host to the device.
Array<Complex> data_of_coils(const Context& ctx, const recon::SliceFrames& slice, Index first, Index count) {
  Array<Complex> data(ctx.host(), {count, slice.samples});
  for (std::size_t t = 0; t < slice.frames.size(); ++t) {
    const Array<Complex>& from = slice.frames[t]->data;
    for (Index coil = 0; coil < count; ++coil) {
      std::copy_n(from.data() + (first + coil) * from.extent(1), from.extent(1),
                  data.data() + coil * slice.samples + slice.starts[t]);
      if (slice.roots.empty()) continue;
      Complex* to = data.data() + coil * slice.samples + slice.starts[t];
      for (Index j = 0; j < slice.roots[t].size(); ++j) to[j] *= slice.roots[t].data()[j];
    }
  }
  return clone<Complex>(ctx, data);
}

// What a slice is solved with.
struct SliceModel {
  Nufft<float> nufft;
  Array<Complex> maps;
  Array<Complex> courses;
  std::shared_ptr<const SubspaceSpectra<float>> spectra;

  // That of coils [first, first + count).
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

ReconOptions with_first_frames(ReconOptions options) {
  options.maps_from = CoilMapData::first_frame;
  return options;
}

class SubspaceJob {
 public:
  SubspaceJob(const Context& ctx, Scan scan, const SubspaceBasis& basis, const ReconOptions& options)
      : scan_(std::move(scan)),
        basis_(basis),
        options_(recon::with_all_frames(options)),
        signal_(options.signal),
        run_(ctx) {}

  Reconstruction reconstruct() {
    const Context host = run_.ctx.host();
    recon::Run preparing(host);  // the data stay on the host
    const int exponent = recon::prepare(preparing, scan_, options_, recon::subspace_tiles(options_));
    run_.notes = std::move(preparing.notes);
    result_.stage_seconds = preparing.take_stages();
    if (scan_.coil_maps.size() > 0 && scan_.coil_maps.device() != run_.ctx.device()) {
      scan_.coil_maps = clone<Complex>(run_.ctx, scan_.coil_maps);
    }
    std::vector<recon::SliceFrames> slices = recon::frames_of_slices(scan_);
    if (signal_.weights != nullptr) {
      for (recon::SliceFrames& slice : slices) {
        for (const ScanFrame* frame : slice.frames) slice.roots.push_back(recon::weight_roots(host, *frame, signal_));
      }
    }
    const Shape volume{scan_.matrix[2], scan_.matrix[1], scan_.matrix[0]};
    const Index count = basis_.components();
    result_.images = Array<Complex>(host, volume.with_front(count * static_cast<Index>(slices.size())));
    run_.notes.push_back(
        fmt::format("Subspace: {} components for {} frames, {}; {:.4g} % of the energy of its signals.", count,
                    basis_.frames(), basis_.origin, 100 * basis_.part));
    ProgressStage progress(run_.ctx, "reconstruction", static_cast<Index>(slices.size()));
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const Array<Complex> solved = solve(slices[s], s == 0);
      const ArrayRef<Complex> to(result_.images.slice(static_cast<Index>(s) * count).data(), solved.shape());
      copy<Complex>(run_.ctx, solved, to);
      for (Index k = 0; k < count; ++k) {
        const ScanFrame& first = *slices[s].frames.front();
        result_.frames.push_back({{.slice = first.index.slice, .contrast = static_cast<int>(k)}, first.geometry});
      }
      progress.advance();
    }
    const double largest = largest_part<float>(host, result_.images);
    check_range<float>("reconstruction: the image", largest, exponent);
    multiply_by_power_of_two<float>(host, exponent, result_.images);
    if (recon::masks_field_of_view(scan_, options_)) {
      const Shape image = scan_.image_shape();
      recon::mask_field_of_view(host, result_.images.ref().reshape(image.with_front(result_.images.extent(0))));
    }
    result_.notes = std::move(run_.notes);
    std::ranges::move(run_.take_stages(), std::back_inserter(result_.stage_seconds));
    return std::move(result_);
  }

 private:
  SliceModel model_of(const recon::SliceFrames& slice, bool is_first) {
    recon::CoilMaps found = recon::coil_maps(run_, scan_, *slice.frames.front(), options_, encodings_);
    if (is_first) run_.notes.push_back(std::move(found.origin));
    const Shape image = scan_.image_shape();
    const Array<double> points = recon::joined_points(run_.ctx, slice);
    return run_.time("plan", [&] {
      const NufftOptions nufft = recon::pair_options(run_.ctx, image, slice.samples, options_);
      Array<Complex> courses = courses_of(run_.ctx, slice, basis_);
      auto spectra = std::make_shared<const SubspaceSpectra<float>>(run_.ctx, points, courses, image, nufft);
      return SliceModel{Nufft<float>(run_.ctx, points, image, scan_.coils, nufft), std::move(found.maps),
                        std::move(courses), std::move(spectra)};
    });
  }

  // A^H d, and |d|^2: some coils at a time.
  double right_hand_side(const recon::SliceFrames& slice, SliceModel& model, Array<Complex>& b) const {
    const Index at_once = std::min<Index>(model.nufft.coils_at_once(), scan_.coils);
    Array<Complex> some(run_.ctx, b.shape());
    double energy = 0;
    for (Index first = 0; first < scan_.coils; first += at_once) {
      const Index count = std::min(at_once, scan_.coils - first);
      const Array<Complex> data = data_of_coils(run_.ctx, slice, first, count);
      energy += dot<float>(run_.ctx, data, data).real();
      model.part(run_.ctx, first, count).adjoint(run_.ctx, data, some);
      axpby<float>(run_.ctx, 1, some, first == 0 ? 0 : 1, b);
    }
    return energy;
  }

  Array<Complex> solve(const recon::SliceFrames& slice, bool is_first) {
    const Context& ctx = run_.ctx;
    SliceModel parts = model_of(slice, is_first);
    const Operator<float> A = parts.all();
    RegularizedModel<float> model{A, 1};
    model.eigenvalue = run_.time("largest eigenvalue", [&] { return normal_eigenvalue<float>(ctx, A); });
    Array<Complex> b(ctx, A.domain());
    const double energy = run_.time("right-hand side", [&] { return right_hand_side(slice, parts, b); });
    axpby<float>(ctx, 1 / model.eigenvalue, b, 0, b);
    Array<Complex> x = zeros<Complex>(ctx, A.domain());
    const std::string title = fmt::format("slice {}", slice.frames.front()->index.slice);
    SolverReport report = run_.time("coefficients", [&] {
      if (options_.regularizers.empty()) {
        return solve_regularized_normal<float>(ctx, title, model,
                                               {options_.iterations, options_.tolerance, options_.lambda}, b, x);
      }
      if (unit_ == 0) unit_ = largest_magnitude<float>(ctx, b);
      if (!(unit_ > 0)) throw ValueError("subspace: the data are zero, which leaves weights no unit");
      const Shape series{basis_.components(), scan_.matrix[2], scan_.matrix[1], scan_.matrix[0]};
      return regularized_least_squares<float>(ctx, title, model,
                                              make_penalties<float>(series, options_.regularizers, unit_),
                                              {options_.iterations, options_.tolerance, options_.lambda,
                                               solver_for(options_.solver, options_.regularizers)},
                                              b, energy / (2 * model.eigenvalue), x);
    });
    result_.reports.insert(result_.reports.end(), static_cast<std::size_t>(basis_.components()), report);
    return x;
  }

  Scan scan_;
  const SubspaceBasis& basis_;
  const ReconOptions options_;
  const SignalOptions signal_;
  recon::Run run_;
  recon::Encodings encodings_{scan_, options_};
  double unit_ = 0;
  Reconstruction result_;
};

}  // namespace

void recon::check_subspace(const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options) {
  // Weights do not go with maps of all frames elsewhere; here these are made without them.
  recon::check_scan(scan, with_first_frames(options));
  const char* wrong = nullptr;
  if (options.method != ReconMethod::cg_sense) wrong = options.method == ReconMethod::nlinv ? "nlinv" : "gridding";
  if (options.penalty != PenaltyKind::tikhonov) wrong = "another penalty than tikhonov";
  if (options.lambda_search) wrong = "a lambda to be chosen";
  if (std::any_of(options.regularizers.begin(), options.regularizers.end(),
                  [](const Regularizer& what) { return what.choice.has_value(); })) {
    wrong = "a weight to be chosen";
  }
  if (options.error_bars.any()) wrong = "error bars";
  if (options.normals != nullptr || options.keep_normals) wrong = "saved normal operators";
  if (options.filter) wrong = "a filter";
  if (options.keep_parts) wrong = "parts to keep";
  if (options.signal.changes()) wrong = "a field map, an R2* map or a concomitant field";
  if (options.certified_samples > 0) wrong = "a certificate";
  if (options.transform == TransformMethod::exact) wrong = "exact sums";
  if (wrong != nullptr) {
    throw ValueError(fmt::format("subspace: {} does not go with a subspace; leave one of both out", wrong));
  }
  if (basis.vectors.rank() != 2 || basis.vectors.size() == 0) {
    throw ShapeError(
        fmt::format("subspace: a basis {}, expected [frame, component]", to_string(basis.vectors.shape())));
  }
  for (const SliceFrames& slice : frames_of_slices(scan)) {
    if (static_cast<Index>(slice.frames.size()) == basis.frames() && basis.frames() > 1) continue;
    throw ValueError(fmt::format("subspace: slice {} has {} frames and the basis {}, expected as many, and at least 2",
                                 slice.frames.front()->index.slice, slice.frames.size(), basis.frames()));
  }
}

Reconstruction reconstruct_subspace(const Context& ctx, Scan scan, const SubspaceBasis& basis,
                                    const ReconOptions& options) {
  const Index needed = subspace_reconstruction_memory(ctx, scan, basis, options);
  const auto there = static_cast<Index>(ctx.pool().limit());
  if (needed > there) {
    throw Error(fmt::format(
        "subspace: needs some {:.4g} MB of memory on {}, where {:.4g} MB may be used; use fewer components, "
        "fewer coils (compression), a larger limit of memory, or another device",
        1e-6 * static_cast<double>(needed), to_string(ctx.device()), 1e-6 * static_cast<double>(there)));
  }
  return SubspaceJob(ctx, std::move(scan), basis, options).reconstruct();
}

}  // namespace whorl
