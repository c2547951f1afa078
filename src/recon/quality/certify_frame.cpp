#include "recon/quality/certify_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "recon/encoding/signal_model.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/concomitant_field.hpp"
#include "whorl/scan/readout_times.hpp"

namespace whorl::recon {

namespace {

std::function<double(Index, Index)> concomitant_turns(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                                      const SignalOptions& signal) {
  if (!signal.larmor_mhz) return {};
  const ReadoutTiming timing = readout_timing(scan, signal.dwell_us, signal.readout_start_us);
  const auto turns = std::make_shared<const ConcomitantTurns>(ctx, scan, frame, timing.dwell_us, *signal.larmor_mhz);
  return [turns](Index sample, Index voxel) { return (*turns)(sample, voxel); };
}

}  // namespace

void check_certificate(const ReconOptions& options) {
  if (options.certified_samples == 0) return;
  if (options.certified_samples < least_certified) {
    throw ValueError(fmt::format("certificate: {} random samples, expected {} or more: fewer say little",
                                 options.certified_samples, least_certified));
  }
}

Certificate certify_frame(Run& run, const Scan& scan, const ScanFrame& frame, const Operator<float>& encoding,
                          ArrayRef<const std::complex<float>> maps, ArrayRef<const std::complex<float>> image,
                          const ReconOptions& options) {
  return run.time(stages::certificate, [&] {
    const Trajectory& trajectory = *frame.trajectory;
    const Array<double> times = options.signal.changes() ? signal_times(run.ctx, scan, trajectory, options.signal)
                                                         : zeros<double>(run.ctx.host(), {trajectory.samples()});
    const Array<float> roots =
        options.signal.weights != nullptr ? weight_roots(run.ctx.host(), frame, options.signal) : Array<float>();
    constexpr std::uint64_t seed = 1;
    Certificate certificate = certify(
        run.ctx, encoding, maps, image, signal_at(run.ctx, scan, frame.geometry, options.signal), trajectory.points,
        times, options.certified_samples, seed, roots, concomitant_turns(run.ctx, scan, frame, options.signal));
    certificate.slice = frame.index.slice;
    return certificate;
  });
}

Index certificate_memory(const Context& ctx, const LeastSquaresSizes& sizes, const Shape& image, Index coils,
                         const ReconOptions& options) {
  if (options.certified_samples == 0) return 0;
  const Index forward = sizes.data + sizes.adjoint();
  if (ctx.device().kind != DeviceKind::cpu) return forward;
  const Index doubled = 2 * ((coils + 1) * image.size() + coils * options.certified_samples) * complex_bytes;
  const Index evolution = options.signal.any() ? 3 * image.size() * static_cast<Index>(sizeof(double)) : 0;
  // Copies of the samples and of one of the two in single precision.
  return std::max(forward, 2 * sizes.data + doubled + coils * image.size() * complex_bytes) + evolution;
}

void note_certificates(const std::vector<Certificate>& certificates, Notes& notes) {
  if (certificates.empty()) return;
  const auto worst = std::max_element(certificates.begin(), certificates.end(),
                                      [](const Certificate& a, const Certificate& b) { return a.bound < b.bound; });
  notes.emplace_back(fmt::format(
      "Certificate: the operator's relative error for the image{} is {:.2e}, below {:.2e} with a confidence of 99 % "
      "({} "
      "random samples by the exact model).",
      certificates.size() > 1 ? fmt::format(" of slice {}, the largest of {},", worst->slice, certificates.size()) : "",
      worst->relative_error, worst->bound, worst->samples));
}

}  // namespace whorl::recon
