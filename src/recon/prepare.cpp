#include "recon/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "calib/in_parts.hpp"
#include "calib/judging_memory.hpp"
#include "recon/encoding/kept_plan.hpp"
#include "recon/encoding/signal_model.hpp"
#include "recon/tiles/spill.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::recon {

namespace {

bool maps_are_kept(const Scan& scan, const ReconOptions& options, const Tiles& tiles) {
  const SliceMaps* const kept = tiles.maps ? nullptr : kept_maps(options);
  return kept != nullptr &&
         std::ranges::all_of(scan.frames, [&](const ScanFrame& frame) { return kept->contains(frame.index.slice); });
}

void bring_to_device(const Context& ctx, const Tiles& tiles, bool with_maps, Scan& scan) {
  const auto bring = [&](Array<std::complex<float>>& array) {
    if (array.size() > 0 && !(array.device() == ctx.device())) array = clone<std::complex<float>>(ctx, array);
  };
  for (ScanFrame& frame : scan.frames) {
    if (!tiles.data) bring(frame.data);
  }
  bring(scan.noise);
  if (!tiles.maps && with_maps) bring(scan.coil_maps);
}

// What the ranks find of the data they have, all of them with equal numbers.
double largest_of_ranks(Communicator& ranks, double own) {
  agree(ranks, [] {});  // a rank that failed before is not in the calls below
  take_largest(ranks, std::span(&own, 1));
  return own;
}

// The first rank has the first frame, whose edge of k-space may be the noise.
NoiseCovariance noise_alike(const Context& there, const Scan& scan, Communicator& ranks) {
  NoiseCovariance covariance;
  covariance.matrix = Array<std::complex<double>>(there.host(), {scan.coils, scan.coils});
  agree(ranks, [&] {
    if (ranks.rank() == 0) covariance = scan_noise(there, scan);
  });
  ranks.broadcast(std::as_writable_bytes(covariance.matrix.span()), 0);
  ranks.broadcast(std::as_writable_bytes(std::span(&covariance.measured, 1)), 0);
  return covariance;
}

// The first rank has the data by which a noise scan is judged.
void judge_noise(Run& run, const Context& there, Scan& scan, Communicator* ranks) {
  if (ranks == nullptr) return leave_out_wrong_noise(there, scan, run.notes);
  bool is_left_out = false;
  agree(*ranks, [&] {
    if (ranks->rank() != 0) return;
    leave_out_wrong_noise(there, scan, run.notes);
    is_left_out = scan.noise.size() == 0;
  });
  ranks->broadcast(std::as_writable_bytes(std::span(&is_left_out, 1)), 0);
  if (is_left_out) remove_noise_scan(scan);
}

// Goes on without a known noise, though prewhitened data were asked for.
void do_without_noise(Run& run, const ReconOptions& options) {
  run.noise_found = false;
  if ((options.cg_sense.lambda_search && options.cg_sense.lambda_search->method == LambdaMethod::discrepancy) ||
      std::any_of(options.regularized.terms.begin(), options.regularized.terms.end(),
                  [](const Regularizer& term) { return term.choice == LambdaMethod::discrepancy; })) {
    throw ValueError(
        "discrepancy principle: the noise is not known: there is no noise scan, and the edge of k-space is not white "
        "noise; give a noise scan, or use gcv");
  }
  if (options.error_bars.of_truth()) {
    throw ValueError(
        "error bars of the truth: the noise is not known: there is no noise scan, and the edge of k-space is not white "
        "noise; give a noise scan");
  }
  if (options.error_bars.standard_deviation) {
    run.notes.emplace_back(
        "Standard deviation: the noise is not known; it is taken as E|n|^2 = 1 in each sample of the data.",
        NoteKind::doubt);
  }
}

// The virtual coils of all ranks' data. The first rank adds the Gram matrices of all frames in their order, as one process does, so
// that they have its bits.
void compress_alike(Run& run, const Context& there, Scan& scan, const CoilCompressionOptions& options,
                    Communicator& ranks, const DataMemory& memory) {
  using Complex = std::complex<double>;
  const auto elements = static_cast<std::size_t>(scan.coils * scan.coils);
  std::vector<std::byte> own;  // of each frame with data its number and its matrix
  agree(ranks, [&] {
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
      if (scan.frames[f].data.size() == 0) continue;
      const Array<Complex> gram = coil_gram<float>(there, scan.frames[f].data);
      const auto number = std::as_bytes(std::span(&f, 1));
      const auto matrix = std::as_bytes(gram.span());
      own.insert(own.end(), number.begin(), number.end());
      own.insert(own.end(), matrix.begin(), matrix.end());
    }
  });
  const std::vector<std::vector<std::byte>> all = ranks.gather(own, 0);
  CoilCompression compression;
  compression.matrix = Array<Complex>(run.ctx.host(), {options.virtual_coils, scan.coils});
  agree(ranks, [&] {
    if (ranks.rank() != 0) return;
    std::map<std::size_t, const std::byte*> grams;
    for (const std::vector<std::byte>& bytes : all) {
      for (const std::byte* at = bytes.data(); at < bytes.data() + bytes.size();
           at += sizeof(std::size_t) + elements * sizeof(Complex)) {
        std::size_t number = 0;
        std::memcpy(&number, at, sizeof(number));
        grams[number] = at + sizeof(number);
      }
    }
    Array<Complex> sum = zeros<Complex>(run.ctx.host(), {scan.coils, scan.coils});
    for (const auto& [number, matrix] : grams) {
      for (std::size_t i = 0; i < elements; ++i) {
        Complex value;
        std::memcpy(&value, matrix + i * sizeof(value), sizeof(value));
        sum.data()[i] += value;
      }
    }
    compression = coil_compression_of_gram(run.ctx, sum, options);
  });
  ranks.broadcast(std::as_writable_bytes(compression.matrix.span()), 0);
  compress_coils(run.ctx, scan, compression, run.notes, memory);
}

bool compresses(const Scan& scan, const ReconOptions& options) {
  return options.virtual_coils > 0 && options.virtual_coils < scan.coils;
}

StageMemory prepare_memory(const Context& ctx, const Scan& scan, const ReconOptions& options, const Tiles& tiles) {
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  Index samples = 0;
  Index largest = 0;
  Index trajectories = 0;
  const Trajectory* last = nullptr;
  const Index ranks =
      options.resources.ranks != nullptr && !options.resources.frame_data ? options.resources.ranks->size() : 1;
  for (const ScanFrame& frame : scan.frames) {
    const Index here = frame.trajectory->samples();
    // Where coils are shared, this rank gets a part of the data that it has not read.
    samples += ranks > 1 && frame.data.size() == 0 ? (here + ranks - 1) / ranks : here;
    largest = std::max(largest, here);
    // Trajectories stay on the host.
    if (on_host && frame.trajectory.get() != last) {
      trajectories += frame.trajectory->points.size() * static_cast<Index>(sizeof(double));
    }
    last = frame.trajectory.get();
  }
  const auto bytes = [&](Index coils, Index count) { return coils * count * complex_bytes; };
  const bool fewer = compresses(scan, options);
  const Index coils = fewer ? options.virtual_coils : scan.coils;
  const Index noise = bytes(scan.noise.size(), 1);
  const Index maps = tiles.maps && !on_host ? 0 : bytes(scan.coil_maps.size(), 1);
  const Index left = trajectories + (noise + maps) / scan.coils * coils;
  // One array after the other is taken to new coils.
  const bool combines = options.prewhiten || fewer;
  const Index combined = std::max({tiles.data ? 0 : bytes(scan.coils, largest), noise, maps});
  const Index judging =
      options.prewhiten ? detail::judging_bytes(scan.coils, largest, noise / bytes(scan.coils, 1)) : 0;
  if (!tiles.data) {
    const Index given = trajectories + bytes(scan.coils, samples) + noise + maps;
    return {left + bytes(coils, samples), given + std::max(judging, combines ? combined : 0)};
  }
  // Spilled data are on the host of a GPU, or in a file, or moved there before anything is taken, and combined in parts.
  const Index parts = bytes(2 * scan.coils, std::min(largest, detail::elements_of_part));
  if (!on_host) return {left, trajectories + noise + maps + (combines ? parts : 0)};
  return {left, trajectories + noise + maps + (combines ? std::max({combined, parts, judging}) : 0)};
}

}  // namespace

void prepare(Run& run, Scan& scan, const ReconOptions& options, const Tiles& tiles) {
  const Spill spill(run.ctx, options.resources.spill);
  DataMemory memory;
  if (tiles.data) {
    run.time(stages::spilling, [&] { spill.move_data(scan); });
    memory = [&](const Shape& shape) { return spill.make(shape); };
  }
  // Where the data are.
  const Context there = tiles.data ? run.ctx.host() : run.ctx;
  const bool with_maps = !maps_are_kept(scan, options, tiles);
  if (with_maps) bring_maps_near_one(run.ctx, scan);
  const bool together = options.resources.ranks != nullptr && options.resources.ranks->size() > 1;
  const auto largest = [&](double own) { return largest_of_ranks(*options.resources.ranks, own); };
  if (options.prewhiten && options.judge_noise && scan.noise.size() > 0) {
    run.time(stages::prewhitening,
             [&] { judge_noise(run, there, scan, together ? options.resources.ranks.get() : nullptr); });
  }
  const bool by_noise_scan = options.prewhiten && scan.noise.size() > 0;
  run.exponent =
      together ? bring_near_one(run.ctx, scan, by_noise_scan, largest) : bring_near_one(run.ctx, scan, by_noise_scan);
  bool noise_is_one = false;
  const auto upload = [&] {
    if (run.ctx.device().kind == DeviceKind::cpu) return;
    run.time(stages::upload, [&] { bring_to_device(run.ctx, tiles, with_maps, scan); });
  };
  if (!tiles.data) upload();
  if (options.prewhiten) {
    run.time(stages::prewhitening, [&] {
      const NoiseCovariance covariance =
          together ? noise_alike(there, scan, *options.resources.ranks) : scan_noise(there, scan);
      prewhiten(run.ctx, scan, covariance, run.notes, together ? DataMemory() : memory);
      noise_is_one = covariance.measured;
    });
    if (!noise_is_one) do_without_noise(run, options);
    if (noise_is_one && !by_noise_scan) run.exponent = 0;  // the edge of k-space is scaled with the data
  }
  run.noise = std::ldexp(noise_is_one ? 1 : options.noise, -run.exponent);
  if (compresses(scan, options)) {
    run.time(stages::coil_compression, [&] {
      const CoilCompressionOptions compression{.virtual_coils = options.virtual_coils};
      together ? compress_alike(run, there, scan, compression, *options.resources.ranks, memory)
               : static_cast<void>(compress_coils(run.ctx, scan, compression, run.notes, memory));
    });
  }
  if (options.signal.weights != nullptr) {
    for (ScanFrame& frame : scan.frames) {
      if (frame.data.extent(1) == 0) continue;  // other ranks have it
      multiply_weights<float>(there, weight_roots(there, frame, options.signal), frame.data, frame.data);
    }
  }
  if (tiles.data) upload();
}

void add_preparation(MemoryPlan& plan, const Context& ctx, const Scan& scan, const ReconOptions& options,
                     const Tiles& tiles) {
  const StageMemory memory = prepare_memory(ctx, scan, options, tiles);
  if (options.prewhiten) return plan.add(memory, stages::prewhitening);
  if (compresses(scan, options)) return plan.add(memory, stages::coil_compression);
  plan.add(memory, when(ctx.device().kind != DeviceKind::cpu, stages::upload));
}

}  // namespace whorl::recon
