// A reconstruction, told once: a list of steps, whose bytes the memory plan adds up and whose work the run does.
#pragma once

#include <vector>

#include "recon/methods/method.hpp"

namespace whorl::recon {

/// When a step works: once before all groups, before the first group of a slice, each time that one begins, with each group, or once in the end.
enum class Turn { first, slice, group, last };

/// A step of a reconstruction: what its stages take beside what earlier steps keep, and its work. The stages name themselves
/// in both (MemoryPlan::add, Run::time).
struct Step {
  Turn turn;
  /// Adds the stages. A method also sets how much it does at a time.
  void (*add_memory)(const MemorySizes& sizes, MemoryPlan& plan, MemoryNeeds& needs);
  /// `group`: the one at work, or of a slice the first; without frames before and after all groups.
  void (*run)(Workplace& at, const FrameGroup& group);
};

/// The steps of a reconstruction, in their order. `options` are those that stages work by (working_options).
std::vector<Step> steps_of(const ReconOptions& options);

}  // namespace whorl::recon
