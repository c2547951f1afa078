// Preparation of the data before images are made from them.
#pragma once

#include "recon/memory_needs.hpp"
#include "recon/run.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Brings the data of all frames, the noise and the maps to the context's device, once, then prewhitens the data and
/// compresses their coils as the options ask. Where samples have weights, their data are then multiplied by the square roots.
/// Nothing moves where it lies there already. Trajectories and weights stay
/// on the host: whoever plans with them takes them along. Data that are to be spilled (Tiles) go to a file, or stay on a
/// GPU's host, and are combined there, in parts.
///
/// Data and noise so far from 1 that their squares may leave the range of float are multiplied by powers of two first,
/// each by its own. Sets run.exponent e: images of the data that are left, times 2^e, are those of the data that were
/// given (prewhitened ones in units of the noise).
///
/// Data whose noise nothing tells of are not prewhitened, and run.noise_found is false. Throws ValueError where the
/// discrepancy principle needs the noise.
void prepare(Run& run, Scan& scan, const ReconOptions& options, const Tiles& tiles = {});

/// Adds what it makes and keeps: the data on the device, and while coils are combined those of a frame twice.
void add_preparation(MemoryPlan& plan, const Context& ctx, const Scan& scan, const ReconOptions& options,
                     const Tiles& tiles);

}  // namespace whorl::recon
