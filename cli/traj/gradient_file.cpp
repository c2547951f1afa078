// Gradient waveforms as files.
#include <fmt/format.h>

#include "cli/traj/traj.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

std::string to_csv(const Context& ctx, const Gradients& gradients) {
  const auto g = gradients.mt_per_m.view<3>();
  const Array<double> slew = slew_rates(ctx, gradients);
  const bool several = g.extent(0) > 1;
  std::string text = several ? "waveform,time_us" : "time_us";
  for (Index axis = 0; axis < g.extent(2); ++axis) text += fmt::format(",g{}_mt_per_m", "xyz"[axis]);
  text += ",slew_t_per_m_s\n";
  for (Index waveform = 0; waveform < g.extent(0); ++waveform) {
    ctx.check_cancel("writing gradients");
    for (Index i = 0; i < g.extent(1); ++i) {
      if (several) text += fmt::format("{},", waveform);
      text += fmt::format("{:.9g}", (static_cast<double>(i) + 0.5) * gradients.raster_us);
      for (Index axis = 0; axis < g.extent(2); ++axis) text += fmt::format(",{:.9g}", g(waveform, i, axis));
      text += fmt::format(",{:.9g}\n", slew.view<2>()(waveform, i));
    }
  }
  return text;
}

}  // namespace

void write_gradients(const Context& ctx, const Gradients& gradients, const std::string& path) {
  if (path.ends_with(".csv")) {
    write_file(path, to_csv(ctx, gradients));
    return;
  }
  Array<double> time(ctx, {gradients.mt_per_m.extent(1)});
  for (Index i = 0; i < time.size(); ++i) {
    time.data()[i] = (static_cast<double>(i) + 0.5) * gradients.raster_us;
  }
  std::vector<NamedArray> arrays;
  arrays.push_back({"time_us", std::move(time)});
  arrays.push_back({"gradient_mt_per_m", clone(ctx, gradients.mt_per_m.ref())});
  arrays.push_back({"slew_t_per_m_s", slew_rates(ctx, gradients)});
  write_arrays(ctx, path, arrays);
}

void write_sequence(const Context& ctx, MadeTrajectory& made, PulseqShot shot, const TrajImage& image,
                    const std::string& path) {
  if (!made.gradients) throw ValueError("pulseq: the trajectory has no designed gradients");
  shot.field_of_view_mm = image.field_of_view_mm;
  DesignedTrajectory designed{{Array<double>::refer_to(made.trajectory.points), made.trajectory.readout_length},
                              {Array<double>::refer_to(made.gradients->mt_per_m), made.gradients->raster_us},
                              made.dwell_us,
                              made.played,
                              made.gamma_mhz_per_t};
  write_pulseq(ctx, designed, shot, path);
}

}  // namespace whorl::cli
