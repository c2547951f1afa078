#include "recon/joined/joined_scans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "recon/encoding/calibration_frame.hpp"
#include "recon/hold_to.hpp"
#include "recon/joined/check_joined.hpp"
#include "recon/prepare.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/note.hpp"
#include "whorl/correct/align_scan.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

namespace {

// Arrays [coil, ...] of the scans, one after another.
Array<Complex> joined_coils(const Context& ctx, const std::vector<Array<Complex>>& arrays) {
  Index coils = 0;
  for (const auto& one : arrays) coils += one.extent(0);
  Array<Complex> all(ctx, arrays.front().shape().tail().with_front(coils));
  Index first = 0;
  for (const auto& one : arrays) {
    copy<Complex>(ctx, one, all.range(first, first + one.extent(0)));
    first += one.extent(0);
  }
  return all;
}

}  // namespace

JoinedScans::JoinedScans(const Context& ctx, const Scan& first, const ReconOptions& options, const Tiles& tiles)
    : tiles_(tiles) {
  if (options.joint.empty()) return;
  parts_.emplace_back(Scan{}, options_of(options, {nullptr, options.signal}), tiles);
  for (const JointScan& one : options.joint) {
    parts_.emplace_back(in_order(clone(ctx, *one.scan), order_of_frames(first, *one.scan)), options_of(options, one),
                        tiles);
  }
}

void JoinedScans::check_noise(const Run& run, const Scan& scan, const ReconOptions& options) const {
  if (!options.prewhiten || run.noise_found) return;
  throw ValueError(fmt::format(
      "joint scans: the noise of {} is not known, which weighs it beside the others; give its noise scan, or "
      "do without prewhitening, and all samples count alike",
      name_of_joined(scan)));
}

void JoinedScans::prepare_others(Run& run) {
  const int exponent = run.exponent;
  const double noise = run.noise;
  for (auto part = std::next(parts_.begin()); part != parts_.end(); ++part) {
    const std::size_t said = run.notes.size();
    recon::prepare(run, part->scan, part->options, tiles_);
    check_noise(run, part->scan, part->options);
    // In the unit of the first: its data times 2^exponent are in that of the data that were given.
    restore_unit(run.ctx, run.exponent - exponent, part->scan,
                 "joint scans: the data of " + name_of_joined(part->scan));
    for (std::size_t i = said; i < run.notes.size(); ++i) {
      run.notes[i] = with_name(name_of_joined(part->scan), run.notes[i]);
    }
  }
  run.exponent = exponent;
  run.noise = noise;
}

// The range of a stack of encodings.
Array<Complex> JoinedScans::joined_data(const Context& ctx, std::size_t frame) {
  Index coils = 0;
  Index elements = 0;
  bool alike = true;
  const Array<Complex>& first = parts_.front().scan.frames[frame].data;
  for (const Part& part : parts_) {
    const Array<Complex>& data = part.scan.frames[frame].data;
    coils += data.extent(0);
    elements += data.size();
    alike = alike && data.extent(1) == first.extent(1);
  }
  const Context there = context_at(ctx, first.device());
  const auto all = std::make_shared<Array<Complex>>(there, alike ? Shape{coils, first.extent(1)} : Shape{elements});
  Complex* to = all->data();
  for (Part& part : parts_) {
    Array<Complex>& data = part.scan.frames[frame].data;
    // In the place of its own memory it then has a part of that of all.
    Array<Complex> here = Array<Complex>::adopt(std::shared_ptr<Complex>(all, to), data.shape(), data.device());
    copy<Complex>(there, data, here);
    to += data.size();
    data = std::move(here);
  }
  return all->share();
}

void JoinedScans::join(Run& run, Scan& first, Encodings& encodings) {
  check_noise(run, first, parts_.front().options);
  prepare_others(run);
  parts_.front().scan = std::move(first);
  const Scan& own = parts_.front().scan;
  first = {};
  first.source = own.source;
  first.matrix = own.matrix;
  std::vector<Encodings::Part> all;
  for (Part& part : parts_) {
    all.push_back({&part.scan, &part.encodings, first.coils});
    first.coils += part.scan.coils;
  }
  // One for all frames that have the same of each scan.
  std::map<Trajectories, std::shared_ptr<const Trajectory>> known;
  for (std::size_t f = 0; f < own.frames.size(); ++f) {
    Trajectories each;
    for (const Part& part : parts_) each.push_back(part.scan.frames[f].trajectory);
    std::shared_ptr<const Trajectory>& joined = known[each];
    if (joined == nullptr) joined = one_after_another(run.ctx, each);
    first.frames.push_back({own.frames[f].index, joined, nullptr, joined_data(run.ctx, f), own.frames[f].geometry});
  }
  encodings.join(std::move(all));
  run.notes.emplace_back(fmt::format("Joint scans: {} of one object, {} coils in all.", parts_.size(), first.coils));
}

CoilMaps JoinedScans::coil_maps(Run& run, std::size_t frame, const ReconOptions& options,
                                const Array<float>* support) const {
  const Shape image = parts_.front().scan.image_shape();
  std::vector<Array<Complex>> each;
  CoilMaps found;
  if (options.coil_maps == CoilMapMethod::file) {
    for (const Part& part : parts_) {
      each.push_back(clone<Complex>(run.ctx, part.scan.coil_maps.ref().reshape(image.with_front(part.scan.coils))));
    }
    found = {unit_maps<float>(run.ctx, joined_coils(run.ctx, each)),
             "Coil maps: those that came with the scans, scaled to sum |s|^2 = 1 over all coils."};
  } else {
    found = run.time(stages::coil_maps, [&] {
      for (const Part& part : parts_) {
        const ScanFrame& own = part.scan.frames[frame];
        const auto calibration = [&](const ScanFrame& of) {
          doubt_gaps_of_center(run, of, image);
          return calibration_region(run.ctx, of, image, options.calibration, part.options.signal);
        };
        each.push_back(joins_frames(part.scan, own, part.options)
                           ? calibration(joined_frame(run.ctx, part.scan, own, part.options))
                           : calibration(own));
      }
      return espirit_maps(run.ctx, joined_coils(run.ctx, each), image, options);
    });
    found.origin += ", of all scans together.";
  }
  hold_to<float>(run.ctx, support, found.maps);
  return found;
}

}  // namespace whorl::recon
