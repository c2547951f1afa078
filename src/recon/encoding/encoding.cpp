// A reconstruction is data: A RegularizedModel (recon/least_squares.hpp) holds an encoding operator A, its largest
// eigenvalue, and penalty terms; a solver takes it with options. Operators share what they are built from (Operator,
// Array::share), so models can be stored and passed on. recon/reconstruct.cpp only puts parts together: Encodings plans
// the transform of each trajectory (CoilTransform: for all coils, or for one image through coil maps), a slice has its
// maps and SliceWeight, and a FrameGroup is solved at once (conjugate_gradients: several systems, each with its own
// steps and the encoding of its trajectory; those that have ended drop out). On a GPU PlanAhead plans the transforms of
// the next group in a thread and a stream of its own. Every part gets one Run: context, times, notes. KeptPlans hands
// the plan of a trajectory from one reconstruction to the next, and a FrameStore finished frames and the states of
// solvers (SolverStates); the program keeps the latter two in a folder (src/job/checkpoint). Extensions go here:
//
// Another penalty with a proximal operator: a ProximalFunction in prox/, a descriptor in recon/regularizers, which
// everything asks that depends on the kind (ARCHITECTURE.md, Recipes). regularized_least_squares passes the terms' functions to FISTA, ADMM or
// the primal-dual solver. The latter two know a term only by its dual variable y (DualTerm): y = prox(y + sigma W x),
// W^H y and W^H W x. Total variation does the first in one pass over y and x. A function that is a minimum over further
// unknowns (InfimalFunction: total generalized variation, low rank plus sparse) has them behind x in the solver's
// array.
//
// More physics of the signal: recon/encoding/signal_model makes the evolution of a frame from maps and times, as a sum
// of exponentials. CoilTransform::evolving wraps its transforms in SignalEvolution, which shares them. Nothing after it
// changes. Where spectra_are_faster says so, its normal operator is that of a subspace (SubspaceSpectra) with the
// factors' maps around it. exact_signal is the oracle of all of it, and certify measures against it. Weights of samples
// (SampleWeights) go the same way: their roots multiply the factors' courses and, in recon/prepare, the data.
// readout_field finds the field itself, with masks of samples in the courses.
//
// *Image and maps together* (calib/nlinv): Gauss-Newton around conjugate gradient. JointModel has the product of image
// and maps and its derivative; SmoothMaps makes maps from few Fourier coefficients, by one matrix per axis
// (kernels/matrix_products). It needs nothing of the transform but its normal operator. A slice keeps its Nlinv, where
// the next frame starts.
//
// *A subspace* (recon/methods/within_subspace): one operator from coefficients to the samples of all frames of a slice
// (Subspace), whose normal operator is a convolution of the components with each other (SubspaceSpectra). The images of
// a group are the coefficients, where others have those of its frames (FrameGroup::images), and penalties apply to them.
//
// *Frames* are made before a reconstruction, from the readouts of a scan (make_frames in scan/frame_options.hpp):
// joined by counters, cut, or gated. What follows sees a scan like any other; ReconOptions::maps_from has coil maps from all of
// its frames. Regularizers that span frames have all frames of a slice as one image, and a BlockDiagonal of their encodings
// (frames_encoding), which keeps the transforms of all trajectories.
#include "recon/encoding/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "density/density_memory.hpp"
#include "op/nufft_workload.hpp"
#include "op/side_by_side.hpp"
#include "recon/encoding/known_normals.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/methods/entry.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/density/impulse_response.hpp"
#include "whorl/trajectory/fingerprint.hpp"

namespace whorl::recon {

namespace {

DensityWeights<float> make_weights(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                   const ReconOptions& options, const Spill* spill) {
  if (options.density == DensityMethod::file && frame.weights == nullptr) {
    throw ValueError("reconstruction: no density weights came with the scan" +
                     (scan.source.empty() ? std::string() : " " + scan.source) +
                     "; use pipe-menon or radial density weights");
  }
  return detail::density_weights_with<float>(
      ctx, *frame.trajectory, scan.image_shape(), frame.weights.get(), options.density, options.density_options,
      [&](const Shape& grid) { return spill != nullptr ? spill->make(grid) : Array<std::complex<float>>(ctx, grid); });
}

// Which weights, and how good they are.
std::string describe(const Context& ctx, const Scan& scan, const ScanFrame& frame, const DensityWeights<float>& made) {
  const auto response = impulse_response<float>(ctx, frame.trajectory->points, made.weights, scan.image_shape());
  return fmt::format(
      "Density weights: {}; impulse response {:.2f} pixels wide, side lobes {:.1f} %, energy beyond {} "
      "pixels {:.1f} %.",
      made.origin, response.width, 100 * response.side_lobe, main_lobe_radius, 100 * response.side_lobe_energy);
}

// Whether the normal operator is a thing of its own, and not the transform's to choose.
bool has_normal_apart(const ReconOptions& options) {
  return !method_of(options).grids && !options.signal.any() &&
         (options.transform == TransformMethod::exact || options.resources.normals != nullptr || options.keep_normals);
}

// How a normal operator is made that the options do not give.
std::string origin_of(const ReconOptions& options) {
  if (options.transform == TransformMethod::exact) return "exact sums";
  return fmt::format("NUFFT of tolerance {:g}", nufft_tolerance(options));
}

// The spectrum that a transform makes of itself, on a GPU, with arrays in the memory of the host.
NormalSpectrum<float> spectrum_by_the_bus(const Context& ctx, ArrayRef<const double> points, const Shape& image,
                                          const NufftOptions& options) {
  const Context there = ctx.spilled();
  const NormalSpectrum<float> made = nufft_normal<float>(there, points, image, options);
  NormalSpectrum<float> here{image, clone<float>(ctx, made.values.ref())};
  ctx.synchronize();  // before the memory of the host goes
  return here;
}

bool keeps_plans(const ReconOptions& options) {
  return options.resources.plans != nullptr && !has_normal_apart(options);
}

KeptPlans::Plan::Key key_of(const Context& ctx, const Scan& scan, const std::shared_ptr<const Trajectory>& trajectory,
                            Index coils, const ReconOptions& options) {
  const Shape image = scan.image_shape();
  return {.trajectory = trajectory,
          .image = image,
          .coils = coils,
          .nufft = transform_options(ctx, image, trajectory->samples(), options),
          .exact = options.transform == TransformMethod::exact,
          .device = ctx.device()};
}

}  // namespace

bool plan_is_kept(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index coils,
                  const ReconOptions& options) {
  return keeps_plans(options) &&
         options.resources.plans->plan().is_for(key_of(ctx, scan, frame.trajectory, coils, options));
}

NufftOptions transform_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options) {
  NufftOptions transform = options.nufft;
  transform.tolerance = nufft_tolerance(options);
  // The normal operator of a signal that evolves is none of the transform's.
  if (!method_of(options).grids && !options.signal.any()) transform.normal = options.normal;
  return same_on_every_device<float>(ctx, image, samples, transform);
}

NufftMemory transform_memory(const Context& ctx, const Shape& image, ArrayRef<const double> points, Index coils,
                             const ReconOptions& options) {
  const Index samples = points.extent(0);
  NufftOptions transform = transform_options(ctx, image, samples, options);
  const bool apart = has_normal_apart(options);
  if (apart) transform.normal = NormalMethod::toeplitz;
  NufftMemory memory = nufft_memory<float>(ctx, points, image, coils, transform);
  const Index grid = normal_grid(image).size();
  const Index spectrum = apart ? grid * static_cast<Index>(sizeof(float)) : 0;
  if (options.transform == TransformMethod::exact) {
    memory.plan = samples * image.rank() * static_cast<Index>(sizeof(double)) + spectrum;
    memory.forward = memory.adjoint = dft_memory(ctx, samples, image, coils);
    const Index making =
        samples * complex_bytes + memory.plan - spectrum + dft_memory(ctx, samples, normal_grid(image), 1);
    memory.planning = grid * complex_bytes + std::max(making, grid * complex_bytes);
  }
  if (options.resources.normals != nullptr) memory.planning = 0;
  memory.planning += spectrum;  // beside the convolution's own
  if (options.signal.any()) {
    // An image and its samples under one factor; A^H A makes the samples first.
    const bool of_coils = method_of(options).grids || options.coil_maps == CoilMapMethod::walsh;
    const Index under_factor = ((of_coils ? coils : 1) * image.size() + coils * samples) * complex_bytes;
    memory.forward += under_factor;
    memory.adjoint += under_factor;
    memory.normal = std::max(memory.forward, memory.adjoint) + coils * samples * complex_bytes;
  }
  return memory;
}

Notes describe_transform(const Scan& scan, const ReconOptions& options) {
  Notes notes;
  const Shape image = scan.image_shape();
  const Index samples = scan.frames.front().trajectory->samples();
  const auto terms = [&](const Shape& grid) { return static_cast<double>(samples) * static_cast<double>(grid.size()); };
  if (options.transform == TransformMethod::exact) {
    notes.emplace_back(fmt::format("Transform: exact sums, {:.2g} terms for each direction of a frame of {} coils.",
                                   terms(image) * static_cast<double>(scan.coils), scan.coils));
  }
  if (options.resources.normals != nullptr) {
    notes.emplace_back(
        fmt::format("Normal operator: from an earlier run ({}).", options.resources.normals->normals.front().origin));
  } else if (has_normal_apart(options)) {
    notes.emplace_back(
        fmt::format("Normal operator: {}.",
                    options.transform == TransformMethod::exact
                        ? fmt::format("exact sums, {:.2g} terms for each trajectory", terms(normal_grid(image)))
                        : origin_of(options)));
  }
  return notes;
}

NormalSpectrum<float> Encodings::normal(Run& run, const Trajectory& trajectory) {
  const Shape image = scan_.image_shape();
  const std::string fingerprint = trajectory_fingerprint(trajectory.points);
  const auto known = [&](const SavedNormals& normals) { return find_normal(normals, fingerprint); };
  const SavedNormal* saved = options_.resources.normals != nullptr ? known(*options_.resources.normals) : known(kept_);
  if (saved != nullptr) return {image, clone(run.ctx, saved->spectrum.ref())};
  return run.time(stages::normal_operator, [&] {
    if (options_.transform == TransformMethod::exact) return exact_normal<float>(run.ctx, trajectory.points, image);
    return nufft_normal<float>(run.ctx, trajectory.points, image,
                               transform_options(run.ctx, image, trajectory.samples(), options_));
  });
}

void Encodings::keep(const Context& ctx, const Trajectory& trajectory, const NormalSpectrum<float>& normal) {
  const std::string fingerprint = trajectory_fingerprint(trajectory.points);
  if (find_normal(kept_, fingerprint) != nullptr) return;
  const SavedNormal* const given =
      options_.resources.normals == nullptr ? nullptr : find_normal(*options_.resources.normals, fingerprint);
  kept_.image = normal.image;
  kept_.normals.push_back({fingerprint, trajectory.samples(), given != nullptr ? given->origin : origin_of(options_),
                           to_host<const float>(ctx, normal.values)});
}

std::shared_ptr<const CoilTransform> Encodings::make(const Context& ctx, const Trajectory& trajectory,
                                                     const NormalSpectrum<float>* normal) const {
  const Shape image = scan_.image_shape();
  const auto& points = trajectory.points;
  const auto shared = [](auto transform) { return std::make_shared<const CoilTransform>(std::move(transform)); };
  if (options_.transform == TransformMethod::exact) {
    if (normal == nullptr) return shared(std::make_shared<const Dft<float>>(ctx, points, image, scan_.coils));
    return shared(std::make_shared<const Dft<float>>(ctx, points, image, scan_.coils, DftOptions{}, *normal));
  }
  const NufftOptions options = transform_options(ctx, image, trajectory.samples(), options_);
  if (normal == nullptr && tiles_.spectrum &&
      nufft_workload<float>(ctx, image, trajectory.samples(), scan_.coils, options).convolution) {
    const NormalSpectrum<float> made = spectrum_by_the_bus(ctx, points, image, options);
    return shared(std::make_shared<const Nufft<float>>(ctx, points, image, scan_.coils, options, made));
  }
  if (normal == nullptr) return shared(std::make_shared<const Nufft<float>>(ctx, points, image, scan_.coils, options));
  return shared(std::make_shared<const Nufft<float>>(ctx, points, image, scan_.coils, options, *normal));
}

const CoilTransform& Encodings::transform(Run& run, const ScanFrame& frame) {
  if (ahead_.has(frame.trajectory)) {
    release_others(run.ctx, {&frame, 1});
    take_planned_ahead(run);
  }
  if (find(frame) == nullptr) {
    release_others(run.ctx, {});  // their memory, before that of the next is taken
    planned_.push_back({frame.trajectory});
    plan_missing(run);
  }
  Planned& planned = *find(frame);
  if (!options_.signal.any()) return *planned.transform;
  if (planned.evolving == nullptr || planned.place != frame.geometry) {
    const bool first = !said_signal_;
    planned.evolving.reset();  // its memory, before that of the next is taken
    EvolutionFactors<float> factors =
        run.time(stages::signal_factors, [&] { return signal_factors(run, scan_, frame, options_.signal, first); });
    auto spectra = evolution_spectra(run, *frame.trajectory, factors, first);
    planned.evolving =
        std::make_unique<const CoilTransform>(planned.transform->evolving(std::move(factors), std::move(spectra)));
    said_signal_ = true;
    planned.place = frame.geometry;
  }
  return *planned.evolving;
}

std::shared_ptr<const SubspaceSpectra<float>> Encodings::evolution_spectra(Run& run, const Trajectory& trajectory,
                                                                           const EvolutionFactors<float>& factors,
                                                                           bool first) const {
  const Index count = factors.maps.extent(0);
  if (!takes_spectra(run.ctx, scan_, trajectory, scan_.coils, count, options_)) return nullptr;
  if (first) {
    run.notes.emplace_back(
        fmt::format("Normal operator: convolutions with the {} spectra of pairs of factors.", count * (count + 1) / 2));
  }
  const Shape image = scan_.image_shape();
  return run.time(stages::signal_spectra, [&] {
    return std::make_shared<const SubspaceSpectra<float>>(
        run.ctx, trajectory.points, factors.courses, image,
        transform_options(run.ctx, image, trajectory.samples(), options_));
  });
}

Encodings::Planned* Encodings::find(const ScanFrame& frame) {
  const auto found = std::ranges::find(planned_, frame.trajectory, &Planned::trajectory);
  return found == planned_.end() || found->transform == nullptr ? nullptr : &*found;
}

bool Encodings::is_listed(const std::shared_ptr<const Trajectory>& trajectory) const {
  return std::ranges::find(planned_, trajectory, &Planned::trajectory) != planned_.end();
}

void Encodings::release_others(const Context& ctx, std::span<const ScanFrame> frames) {
  if (ahead_.is_busy()) ctx.synchronize();
  std::erase_if(planned_, [&](const Planned& planned) {
    return std::ranges::find(frames, planned.trajectory, &ScanFrame::trajectory) == frames.end();
  });
}

void Encodings::plan_ahead(Run& run, const FrameGroup& next) {
  if (!parts_.empty() || !may_plan_ahead_ || run.ctx.device().kind == DeviceKind::cpu || has_normal_apart(options_))
    return;
  PlanAhead::Trajectories trajectories;
  for (const ScanFrame& frame : next.frames) {
    if (is_listed(frame.trajectory) || std::ranges::find(trajectories, frame.trajectory) != trajectories.end())
      continue;
    trajectories.push_back(frame.trajectory);
  }
  if (trajectories.empty() || ahead_.is_busy()) return;
  ahead_.start(run.ctx, std::move(trajectories),
               [this](const Context& ctx, const Trajectory& trajectory) { return make(ctx, trajectory, nullptr); });
}

void Encodings::take_planned_ahead(Run& run) {
  const std::vector<PlanAhead::Transform> made = run.time(stages::plan, [&] { return ahead_.take(); });
  for (std::size_t i = 0; i < made.size(); ++i) {
    planned_.push_back({ahead_.trajectories()[i], made[i]});
    tile(planned_.back());
  }
  if (!keeps_plans(options_)) return;
  options_.resources.plans->plan().keep(key_of(run.ctx, scan_, planned_.back().trajectory, scan_.coils, options_),
                                        made.back());
}

// Kept plans are without tiles, for another reconstruction may have others.
void Encodings::tile(Planned& planned) const {
  std::shared_ptr<const CoilTransform>& transform = planned.transform;
  if (tiles_.single) transform = std::make_shared<const CoilTransform>(transform->taking_single_coils());
  if (tiles_.files)
    transform = std::make_shared<const CoilTransform>(transform->in_files(options_.resources.spill.folder));
}

void Encodings::plan_missing(Run& run) {
  const bool keeps = keeps_plans(options_);
  const auto key = [&](const Planned& planned) {
    return key_of(run.ctx, scan_, planned.trajectory, scan_.coils, options_);
  };
  std::vector<Planned*> without;
  std::vector<Planned*> missing;
  for (Planned& planned : planned_) {
    if (planned.transform != nullptr) continue;
    if (keeps) planned.transform = options_.resources.plans->plan().take(key(planned));
    without.push_back(&planned);
    if (planned.transform == nullptr) missing.push_back(&planned);
  }
  if (!missing.empty()) {
    make(run, missing);
    if (keeps) options_.resources.plans->plan().keep(key(*missing.back()), missing.back()->transform);
  }
  for (Planned* const planned : without) tile(*planned);
}

void Encodings::make(Run& run, const std::vector<Planned*>& missing) {
  if (has_normal_apart(options_)) {
    for (Planned* const one : missing) {
      const NormalSpectrum<float> normal = this->normal(run, *one->trajectory);
      if (options_.keep_normals) keep(run.ctx, *one->trajectory, normal);
      run.time(stages::plan, [&] { one->transform = make(run.ctx, *one->trajectory, &normal); });
    }
    return;
  }
  run.time(stages::plan, [&] {
    const auto make_one = [&](const Context& ctx, Index i) {
      Planned& planned = *missing[static_cast<std::size_t>(i)];
      planned.transform =
          make(tiles_.files ? ctx.spilled(options_.resources.spill.folder) : ctx, *planned.trajectory, nullptr);
    };
    const auto count = static_cast<Index>(missing.size());
    if (run.ctx.device().kind == DeviceKind::cpu) {
      return side_by_side(run.ctx, count, scan_.image_shape().size(), make_one);
    }
    for (Index i = 0; i < count; ++i) make_one(run.ctx, i);  // planning waits for a GPU
  });
}

const GriddingWeights& Encodings::weights(Run& run, const ScanFrame& frame) {
  if (weighted_ != frame.trajectory) {
    if (find(frame) == nullptr) release_others(run.ctx, {});
    weights_ = {};
    run.time(stages::density_compensation, [&] {
      const Context there = spill_ != nullptr ? run.ctx.host() : run.ctx;
      DensityWeights<float> made = make_weights(there, scan_, frame, options_, spill_);
      // Said for the first trajectory alone: it costs two transforms more, and the others are of its kind.
      if (weighted_ == nullptr) run.notes.emplace_back(describe(there, scan_, frame, made));
      if (!(made.weights.device() == run.ctx.device())) made.weights = clone(run.ctx, made.weights.ref());
      weights_ = gridding_weights(run.ctx, *frame.trajectory, scan_.image_shape(), std::move(made.weights));
    });
    weighted_ = frame.trajectory;
  }
  return weights_;
}

}  // namespace whorl::recon
