// Steps: one list for the memory plan and the run. A method (recon/methods) is one step, which states its bytes and its work side by
// side in one file, and not a list of its own. How many frames and replicas it takes at a time follows from the bytes of its stages
// together (most_that_fit). Its stages repeat in loops that the data decide: inner solves, restarts, trials of weights. Several ranks
// apply parts of the operator inside of the solver. A flat list would need the loop around each of its entries.
#include "recon/steps.hpp"

#include <functional>
#include <iterator>
#include <utility>

#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/map_memory.hpp"
#include "recon/field_of_view.hpp"
#include "recon/finish_images.hpp"
#include "recon/gridding/gridding_recon.hpp"
#include "recon/prepare.hpp"
#include "recon/tiles/tiles.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/note.hpp"

namespace whorl::recon {

namespace {

bool starts_work(const Workplace& at, const FrameGroup& group) { return group.first == at.share.frames().first; }

template <class Work>
void on_leader(Workplace& at, const Work& work) {
  agree_within(at.share.team(), [&] {
    if (at.share.leads()) work();
  });
}

bool weighs_first(const MemorySizes& sizes) {
  return weighs_for_maps(sizes.scan, sizes.frame, sizes.coils, sizes.options);
}

void add_weights(const MemorySizes& sizes, MemoryPlan& plan) {
  plan.add(gridding_weights_memory(sizes.ctx, sizes.frame, sizes.image, sizes.options, sizes.tiles.weights),
           stages::density_compensation);
}

const CoilTransform& plan_transform(Workplace& at, const ScanFrame& first) {
  return at.encodings.transform(at.run, at.method->planned(first));
}

void take_maps(Workplace& at, const FrameGroup& group, const std::function<CoilMaps()>& make) {
  CoilMaps found = team_maps(at.run, at.share, at.image().with_front(at.scan.coils), make);
  at.maps = std::move(found.maps);
  at.own_maps = own_maps(at.run, at.share, at.maps);
  if (starts_work(at, group)) at.run.notes.emplace_back(std::move(found.origin));
}

// The data, at the magnitude and with the coils that the solver takes.
constexpr Step preparation_step{Turn::first,
                                [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
                                  hold_joined_copies(plan, sizes.ctx, sizes.scans);
                                  add_preparation(plan, sizes.ctx, sizes.scan, sizes.options, sizes.tiles);
                                },
                                [](Workplace& at, const FrameGroup& /*group*/) {
                                  prepare(at.run, at.scan, at.options, at.tiles);
                                  if (!at.share.note().empty()) at.run.notes.emplace_back(at.share.note());
                                  for (Note& note : describe_transform(at.scan, at.options)) {
                                    at.run.notes.emplace_back(std::move(note));
                                  }
                                }};

// One scan of several that are solved together.
constexpr Step joining_step{
    Turn::first,
    [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
      add_joined_preparation(plan, sizes.ctx, sizes.scans, sizes.trajectories, sizes.tiles);
    },
    [](Workplace& at, const FrameGroup& /*group*/) { at.joined.join(at.run, at.scan, at.encodings); }};

// Room for the images of the result, and of error bars.
constexpr Step images_step{
    Turn::first,
    [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
      if (!sizes.tiles.images) plan.hold(sizes.images * sizes.image_bytes());
      if (sizes.on_host()) plan.hold(error_bar_results(sizes.options.error_bars, sizes.image.size(), sizes.images));
    },
    [](Workplace& at, const FrameGroup& /*group*/) {
      if (!at.share.leads()) return;
      // The first rank has those of the others too, in the end.
      const FrameRange own = at.share.is_first() ? FrameRange{0, std::ssize(at.scan.frames)} : at.share.frames();
      at.images.make(at.run, at.image(), images_of(at.scan, own, at.options), at.tiles.images ? &at.spill : nullptr);
    }};

// Parts that the frames of a slice share.
constexpr Step slice_step{
    Turn::slice,
    [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) { plan.hold(sizes.joined_positions()); },
    [](Workplace& at, const FrameGroup& group) { at.method->enter_slice(group); }};

constexpr Step support_step{Turn::slice,
                            [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
                              plan.add(support_memory(sizes.ctx, sizes.scan, sizes.options));
                            },
                            [](Workplace& at, const FrameGroup& group) {
                              at.support = support_at(at.run.ctx, at.scan, at.first_of_slice(group.first), at.options);
                              if (starts_work(at, group)) note_support(at.run, at.options, at.support.get());
                            }};

// Weights and planning take more than maps do, so they come before.
constexpr Step weights_for_maps_step{Turn::slice,
                                     [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
                                       if (weighs_first(sizes)) add_weights(sizes, plan);
                                     },
                                     [](Workplace& at, const FrameGroup& group) {
                                       const ScanFrame& first = at.first_of_slice(group.first);
                                       if (!weighs_for_maps(at.scan, first, at.scan.coils, at.options)) return;
                                       on_leader(at, [&] { static_cast<void>(at.encodings.weights(at.run, first)); });
                                     }};

// In 3D planning takes more than anything after it.
constexpr Step transform_step{
    Turn::slice,
    [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
      plan.add({sizes.transform.plan, sizes.transform.plan + sizes.transform.planning}, stages::plan);
      plan.add(sizes.evolution.stage, when(sizes.options.signal.any(), stages::signal_factors));
    },
    [](Workplace& at, const FrameGroup& group) {
      on_leader(at, [&] { plan_transform(at, at.first_of_slice(group.first)); });
    }};

constexpr Step maps_step{Turn::slice,
                         [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
                           add_maps(sizes.ctx, plan, sizes.scan, sizes.frame, sizes.coils, sizes.transform,
                                    sizes.options, sizes.tiles);
                         },
                         [](Workplace& at, const FrameGroup& group) {
                           take_maps(at, group, [&] {
                             return coil_maps(at.run, at.scan, at.first_of_slice(group.first), at.options, at.encodings,
                                              at.support.get(), at.tiles.maps ? &at.spill : nullptr);
                           });
                         }};

// Several scans have a transform each, planned before their maps.
constexpr Step joined_transform_step{Turn::slice, transform_step.add_memory,
                                     [](Workplace& at, const FrameGroup& group) {
                                       const ScanFrame& first = at.first_of_slice(group.first);
                                       at.encodings.plan(at.run, {at.number_of(first), {&first, 1}});
                                     }};

constexpr Step joined_maps_step{Turn::slice,
                                [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
                                  add_joined_coil_maps(plan, sizes.ctx, sizes.scans);
                                },
                                [](Workplace& at, const FrameGroup& group) {
                                  const Index frame = at.number_of(at.first_of_slice(group.first));
                                  take_maps(at, group, [&] {
                                    return at.joined.coil_maps(at.run, static_cast<std::size_t>(frame), at.options,
                                                               at.support.get());
                                  });
                                }};

// Weights of data that are gridded. The transform of another trajectory is released for them.
constexpr Step weights_step{Turn::group,
                            [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
                              if (!weighs_first(sizes)) add_weights(sizes, plan);
                            },
                            [](Workplace& at, const FrameGroup& group) {
                              static_cast<void>(at.encodings.weights(at.run, group.frames.front()));
                            }};

// Filters work before the transforms are freed: on what goes in, and on two images in turns.
constexpr Step finish_step{
    Turn::last,
    [](const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& /*needs*/) {
      if (sizes.options.filter) plan.use(3 * sizes.images * sizes.image_bytes(), stages::filter);
    },
    [](Workplace& at, const FrameGroup& /*group*/) { at.result.images = at.finish.take(at.run, at.images.all()); }};

void solve_group(Workplace& at, const FrameGroup& group) {
  if (group.first == 0 && !at.joined.any()) {
    note_tiles(at.run, at.scan, at.options, at.tiles, at.spilled_solver_bytes,
               plan_transform(at, at.scan.frames.front()));
  }
  at.images.enter(at.run, group);
  at.method->solve(group);
  at.images.leave(at.run);
  at.finish.hand_over(at.run, at.images.all(), group);
}

}  // namespace

std::vector<Step> steps_of(const ReconOptions& options) {
  std::vector<Step> steps{preparation_step, images_step, slice_step, support_step};
  const bool grids = method_of(options).grids;
  if (!options.joint.empty()) {
    steps.insert(steps.begin() + 1, joining_step);
    steps.insert(steps.end(), {joined_transform_step, joined_maps_step});
  } else if (needs_coil_maps(options)) {
    steps.insert(steps.end(), {weights_for_maps_step, transform_step, maps_step});
    if (grids) steps.push_back(weights_step);
  } else {
    if (grids) steps.push_back(weights_step);
    steps.push_back({Turn::group, transform_step.add_memory,
                     [](Workplace& at, const FrameGroup& group) { plan_transform(at, group.frames.front()); }});
  }
  steps.push_back({Turn::group, method_of(options).add_memory, solve_group});
  steps.push_back(finish_step);
  return steps;
}

}  // namespace whorl::recon
