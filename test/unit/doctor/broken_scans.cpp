#include "broken_scans.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "support/phantom_scan.hpp"
#include "whorl/core/random.hpp"
#include "whorl/correct/gradient_delays.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl::test {

namespace {

using Position = std::array<double, 3>;
using std::numbers::pi;

constexpr Index coils = 6;
constexpr double mean_intensity = 0.7;  // of the brain phantom over the pixels that it fills, to 20 %
constexpr double noise = mean_intensity / 20;

// Replaces each position, in cycles per pixel.
void change_positions(Scan& scan, const std::function<Position(const Position&)>& change) {
  ScanFrame& frame = scan.frames.front();
  Trajectory changed{clone(Context(), frame.trajectory->points.ref()), frame.trajectory->readout_length};
  const auto k = changed.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    const Position to = change({k(j, 0), k(j, 1), k.extent(1) > 2 ? k(j, 2) : 0});
    for (Index axis = 0; axis < k.extent(1); ++axis)
      k(j, axis) = std::clamp(to[static_cast<std::size_t>(axis)], -0.5, 0.5);
  }
  frame.trajectory = std::make_shared<const Trajectory>(std::move(changed));
}

// Multiplies each sample by exp(2 pi i turns(sample number, position)).
void turn_samples(Scan& scan, const std::function<double(Index, const Position&)>& turns) {
  const auto k = scan.frames.front().trajectory->points.view<2>();
  const auto data = scan.frames.front().data.view<2>();
  for (Index j = 0; j < data.extent(1); ++j) {
    const std::complex<float> factor(
        std::polar(1.0, 2 * pi * turns(j, {k(j, 0), k(j, 1), k.extent(1) > 2 ? k(j, 2) : 0})));
    for (Index c = 0; c < data.extent(0); ++c) data(c, j) *= factor;
  }
}

double clip(Scan& scan) {
  double largest = 0;
  for (const std::complex<float> value : scan.frames.front().data.span()) {
    largest =
        std::max({largest, std::abs(static_cast<double>(value.real())), std::abs(static_cast<double>(value.imag()))});
  }
  const auto limit = static_cast<float>(0.2 * largest);
  double cut = 0;
  for (std::complex<float>& value : scan.frames.front().data.span()) {
    cut += (std::abs(value.real()) >= limit ? 1 : 0) + (std::abs(value.imag()) >= limit ? 1 : 0);
    value = {std::clamp(value.real(), -limit, limit), std::clamp(value.imag(), -limit, limit)};
  }
  return cut;
}

double add_spikes(Scan& scan) {
  const auto k = scan.frames.front().trajectory->points.view<2>();
  const auto data = scan.frames.front().data.view<2>();
  float largest = 0;
  for (const std::complex<float> value : scan.frames.front().data.span()) largest = std::max(largest, std::abs(value));
  double added = 0;
  for (Index j = 37; added < 5; j += data.extent(1) / 7) {
    while (std::hypot(k(j % data.extent(1), 0), k(j % data.extent(1), 1)) < 0.2) ++j;
    for (Index c = 0; c < data.extent(0); ++c) data(c, j % data.extent(1)) += 0.3F * largest;
    ++added;
  }
  return added;
}

void reverse_readouts(Scan& scan, Index first, Index every) {
  const auto data = scan.frames.front().data.view<2>();
  const Index length = scan.frames.front().trajectory->readout_length;
  for (Index readout = first; readout < data.extent(1) / length; readout += every) {
    for (Index c = 0; c < data.extent(0); ++c) {
      std::reverse(&data(c, readout * length), &data(c, readout * length) + length);
    }
  }
}

// The positions that are written are those of gradients without the delays of the scan.
double take_delays_off(const Context& ctx, Scan& scan, const GradientDelays& delays) {
  ScanFrame& frame = scan.frames.front();
  frame.trajectory = std::make_shared<const Trajectory>(
      delayed(ctx, *frame.trajectory, {.x = -delays.x, .y = -delays.y, .z = -delays.z, .xy = -delays.xy}));
  return std::max({std::abs(delays.x), std::abs(delays.y), std::abs(delays.z), std::abs(delays.xy)});
}

// Each readout has a center of its own, half a cycle or less from their mean.
double shift_readouts_apart(Scan& scan) {
  ScanFrame& frame = scan.frames.front();
  Trajectory changed{clone(Context(), frame.trajectory->points.ref()), frame.trajectory->readout_length};
  const auto k = changed.points.view<2>();
  const Index readouts = k.extent(0) / changed.readout_length;
  std::vector<Position> shifts(static_cast<std::size_t>(readouts));
  Position mean{};
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
      shifts[i][axis] = 0.6 * (random_uniform(3 + axis, i) - 0.5);
      mean[axis] += shifts[i][axis] / static_cast<double>(readouts);
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) square += std::pow(shifts[i][axis] - mean[axis], 2);
    largest = std::max(largest, std::sqrt(square));
  }
  for (Index j = 0; j < k.extent(0); ++j) {
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const Position& shift = shifts[static_cast<std::size_t>(j / changed.readout_length)];
      k(j, axis) = std::clamp(k(j, axis) + shift[a] / static_cast<double>(scan.matrix[a]), -0.5, 0.5);
    }
  }
  frame.trajectory = std::make_shared<const Trajectory>(std::move(changed));
  return largest;
}

Damage unit(const std::string& name, const Position& factor, double value) {
  return {name, "trajectory unit",
          [factor, value](Scan& scan) {
            change_positions(scan, [&](const Position& k) {
              return Position{k[0] * factor[0], k[1] * factor[1], k[2] * factor[2]};
            });
            return value;
          },
          1e-9};
}

}  // namespace

Scan good_scan(const Context& ctx, const std::string& name) {
  Trajectory trajectory;
  std::array<Index, 3> matrix{72, 64, 1};
  if (name == "radial") trajectory = radial_trajectory(ctx, 48, 144, SpokeOrder::golden_angle);
  if (name == "spiral") trajectory = spiral_trajectory(ctx, 8, 1000, 5);
  if (name == "kooshball") {
    trajectory = kooshball_trajectory(ctx, 400, 48);
    matrix = {24, 20, 22};
  }
  Scan nominal = make_trajectory_scan(std::make_shared<const Trajectory>(std::move(trajectory)), matrix);
  nominal.dwell_us = 5;
  nominal.noise_dwell_us = 5;
  return phantom_scan(ctx, brain_phantom(matrix[2] > 1 ? 3 : 2), std::move(nominal),
                      {.coils = coils, .noise_standard_deviation = noise});
}

void add_maps(const Context& ctx, Scan& scan) {
  scan.coil_maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, scan.matrix, scan.coils));
}

std::vector<Damage> damages_of_values(const Context& ctx) {
  return {
      {"clipped samples", "clipping", &clip, 0.5, true, false},
      {"spikes", "spikes", &add_spikes, 0.5},
      // What these coils measured is lost.
      {"a dead coil", "dead coil",
       [](Scan& scan) {
         fill_random_normal<float>(scan.frames.front().data.slice(2), 7);
         for (std::complex<float>& value : scan.frames.front().data.slice(2).span()) value *= static_cast<float>(noise);
         return 1.0;
       },
       0.5, true, true, false},
      {"a coil of zeros", "dead coil",
       [](Scan& scan) {
         fill<std::complex<float>>(scan.frames.front().data.slice(0), 0);
         return 1.0;
       },
       0.5, true, true, false},
      {"a copied coil", "copied coil",
       [](Scan& scan) {
         for (const auto& array : {scan.frames.front().data.ref(), scan.noise.ref()}) {
           for (Index j = 0; j < array.extent(1); ++j) {
             array.slice(scan.coils - 1).data()[j] = std::complex<float>(0.3F, 0.7F) * array.slice(1).data()[j];
           }
         }
         return 1.0;
       },
       0.5, true, true, false},
      {"no noise scan", "noise scan",
       [](Scan& scan) {
         scan.noise = {};
         return 0.0;
       },
       0.5, false},
      {"noise of another gain", "noise scan",
       [](Scan& scan) {
         for (std::complex<float>& value : scan.noise.span()) value *= 5;
         return 25.0;
       },
       // Variances of some thousand samples are right to a few percent.
       2.5},
      {"a noise scan with signal", "noise scan",
       [&ctx](Scan& scan) {
         scan.noise = clone(ctx, scan.frames.front().data.ref());
         return 100.0;
       },
       // The fourth moment of k-space over that of noise: large, and otherwise as it is.
       97.0},
      // As strong as noise, and without large values: reconstructions leave it out.
      {"a noise scan of one frequency", "noise scan",
       [](Scan& scan) {
         for (Index c = 0; c < scan.coils; ++c) {
           for (Index j = 0; j < scan.noise.extent(1); ++j) {
             std::complex<float>& value = scan.noise.slice(c).data()[j];
             value = 0.05F * value + std::polar(static_cast<float>(noise), 0.1F * static_cast<float>(j));
           }
         }
         return 0.0;
       }},
  };
}

std::vector<Damage> damages_of_trajectory(const Context& ctx, const std::string& name) {
  const bool volume = name == "kooshball";
  std::vector<Damage> damages{
      unit("half the positions", {0.5, 0.5, 0.5}, 2),
      unit("half the positions along x", {0.5, 1, 1}, 2),
      unit("positions over pi", {1 / pi, 1 / pi, 1 / pi}, pi),
      unit("positions over 2 pi", {1 / (2 * pi), 1 / (2 * pi), 1 / (2 * pi)}, 2 * pi),
      {"an object off center", "off-center object",
       [](Scan& scan) {
         const auto pixels = std::round(0.4 * static_cast<double>(scan.matrix[0]));
         turn_samples(scan, [&](Index, const Position& k) { return -k[0] * pixels; });
         return pixels;
       },
       // The middle of what is seen at a low resolution of a twelfth of the field of view
       volume ? 3.0 : 4.0, true, true, false},
      {"a shift of k-space", "k-space shift",
       [](Scan& scan) {
         change_positions(scan, [&](const Position& k) {
           return Position{k[0] + 3 / static_cast<double>(scan.matrix[0]), k[1], k[2]};
         });
         return 3.0;
       },
       0.3},
  };
  // Five standard errors of some 0.003
  damages.push_back({"readouts with shifts of their own", "readout shifts", &shift_readouts_apart, 0.02});
  if (!volume) {
    damages.push_back({"off-resonance", "off-resonance",
                       [](Scan& scan) {
                         const auto length = static_cast<double>(scan.frames.front().trajectory->readout_length);
                         turn_samples(scan, [&](Index j, const Position&) {
                           return -1.5 * std::fmod(static_cast<double>(j), length) / length;
                         });
                         return 1.5e6 / (length * scan.dwell_us);
                       },
                       0});
    // To a twentieth of a turn
    damages.back().tolerance = name == "radial" ? 70 : 10;
  }
  if (name == "spiral") {
    damages.push_back({"readouts in the other order", "readout order",
                       [](Scan& scan) {
                         reverse_readouts(scan, 0, 1);
                         return 1.0;
                       },
                       0.6});
    // Samples of the spiral's center are close together: the standard error is about 0.03 samples.
    damages.push_back({"delays", "gradient delays",
                       [&ctx](Scan& scan) { return take_delays_off(ctx, scan, {.x = 1.5, .y = -1}); }, 0.15});
  } else {
    damages.push_back({"every second readout in the other order", "readout order",
                       [](Scan& scan) {
                         reverse_readouts(scan, 1, 2);
                         return 0.7;
                       },
                       0.5});
    damages.push_back(
        {"delays", "gradient delays",
         [&ctx](Scan& scan) { return take_delays_off(ctx, scan, {.x = 0.5, .y = -0.3, .z = 0, .xy = 0.1}); }, 0.03});
  }
  return damages;
}

std::vector<Damage> damages_beside_maps(int dim) {
  std::vector<Damage> damages{
      {"swapped axes", "axes",
       [](Scan& scan) {
         change_positions(scan, [](const Position& k) { return Position{k[1], k[0], k[2]}; });
         return 0.5;
       },
       0.5},
      {"a mirrored axis", "axes",
       [](Scan& scan) {
         change_positions(scan, [](const Position& k) { return Position{k[0], -k[1], k[2]}; });
         return 0.5;
       },
       0.5},
      {"the other sign", "sign of the transform",
       [](Scan& scan) {
         change_positions(scan, [](const Position& k) { return Position{-k[0], -k[1], -k[2]}; });
         return 0.5;
       },
       0.5},
      {"half a pixel", "half-pixel center",
       [dim](Scan& scan) {
         turn_samples(scan, [&](Index, const Position& k) { return -(k[0] + k[1] + (dim == 3 ? k[2] : 0)) / 2; });
         return 0.5;
       },
       0.15},
      {"a shift of the object", "off-center shift",
       [](Scan& scan) {
         turn_samples(scan, [](Index, const Position& k) { return -(3.3 * k[0] - 1.6 * k[1]); });
         return 3.3;
       },
       0.3},
  };
  return damages;
}

std::string text_of(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    text += (finding.is_fault ? "\n  fault " : "\n  note ") + finding.check + ": " + finding.what + " [" +
            std::to_string(finding.value) + " " + finding.unit + ", confidence " + std::to_string(finding.confidence) +
            "]";
  }
  for (const std::string& sentence : diagnosis.undecided) text += "\n  undecided: " + sentence;
  return text;
}

}  // namespace whorl::test
