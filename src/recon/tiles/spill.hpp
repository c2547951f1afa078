// Arrays outside of the context's memory.
#pragma once

#include <complex>
#include <utility>

#include "whorl/core/array.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// The context for work on an array: spilled arrays of a GPU's reconstruction lie on the host.
inline Context context_at(const Context& ctx, Device device) { return device == ctx.device() ? ctx : ctx.host(); }

/// Makes the spilled arrays of a reconstruction: in temporary files for a CPU; for a GPU on the host, in files too where the
/// host has not enough memory.
class Spill {
 public:
  Spill(const Context& ctx, SpillOptions options)
      : host_(ctx.host()), on_host_(ctx.device().kind == DeviceKind::cpu), options_(std::move(options)) {}

  /// A new array on the host.
  Array<std::complex<float>> make(const Shape& shape) const;
  /// The elements, spilled. `ctx`: that of the array's device.
  Array<std::complex<float>> move(const Context& ctx, Array<std::complex<float>> array) const;
  /// The data of a scan, which lie on the host, frame by frame; nothing where they are spilled already.
  void move_data(Scan& scan) const;

 private:
  Context host_;
  bool on_host_;  // the context is that of a CPU
  SpillOptions options_;
};

}  // namespace whorl::recon
