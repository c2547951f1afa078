// What coil maps that came with the scan decide: mirrored or swapped axes, the sign of the transform, the place of
// the image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "doctor/check.hpp"
#include "whorl/scan/image_center.hpp"
#include "whorl/scan/shift_field_of_view.hpp"

namespace whorl::doctor {

namespace {

using Maps = detail::Matrix<double>;

constexpr double least_explained = 0.5;  // of what the maps do not explain, a change must explain
constexpr double least_move = 0.25;      // pixels
constexpr double half_slack = 0.15;      // pixels
constexpr int steps = 40;                // of each search along an axis

// Image axis a is the axis `from[a]` of the nominal image, mirrored where sign is -1.
struct Turn {
  std::array<int, 3> from{0, 1, 2};
  std::array<int, 3> sign{1, 1, 1};

  bool is_none() const { return from == std::array{0, 1, 2} && sign == std::array{1, 1, 1}; }
};

std::vector<Turn> turns(const Scan& scan) {
  const int dim = scan.dim();
  std::array<int, 3> from{0, 1, 2};
  std::vector<Turn> all;
  do {
    for (int mirrored = 0; mirrored < 1 << dim; ++mirrored) {
      Turn turn{from, {1, 1, 1}};
      for (int axis = 0; axis < dim; ++axis) {
        if ((mirrored >> axis & 1) != 0) turn.sign[static_cast<std::size_t>(axis)] = -1;
      }
      all.push_back(turn);
    }
  } while (std::next_permutation(from.begin(), from.begin() + dim));
  return all;
}

std::string text_of(const Turn& turn, int dim) {
  constexpr std::array names{"x", "y", "z"};
  std::string text;
  for (int axis = 0; axis < dim; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    text += fmt::format("{}{}{}", axis > 0 ? "," : "", turn.sign[a] < 0 ? "-" : "",
                        names[static_cast<std::size_t>(turn.from[a])]);
  }
  return text;
}

// The maps at the places of a fit's voxels, [voxel, coil], by linear interpolation.
Maps maps_on_grid(const Scan& scan, Index grid) {
  const int dim = scan.dim();
  const Index voxels = dim == 3 ? grid * grid * grid : grid * grid;
  const auto maps = scan.coil_maps.ref().reshape({scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]});
  Maps all = Maps::Zero(voxels, scan.coils);
  for (Index v = 0; v < voxels; ++v) {
    std::array<Index, 3> low{};
    std::array<double, 3> part{};
    Index rest = v;
    for (int axis = 0; axis < dim; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const Index n = scan.matrix[a];
      const double r = static_cast<double>(rest % grid) - static_cast<double>(grid - 1) / 2;
      rest /= grid;
      const double place =
          std::clamp(r * static_cast<double>(n) / static_cast<double>(grid) + std::floor(static_cast<double>(n) / 2),
                     0.0, static_cast<double>(n - 1));
      low[a] = std::min(static_cast<Index>(place), std::max<Index>(0, n - 2));
      part[a] = place - static_cast<double>(low[a]);
    }
    for (int corner = 0; corner < 1 << dim; ++corner) {
      double weight = 1;
      std::array<Index, 3> at = low;
      for (int axis = 0; axis < dim; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const bool upper = (corner >> axis & 1) != 0;
        weight *= upper ? part[a] : 1 - part[a];
        at[a] = std::min(at[a] + (upper ? 1 : 0), scan.matrix[a] - 1);
      }
      if (weight == 0) continue;
      for (Index c = 0; c < scan.coils; ++c) {
        all(v, c) +=
            weight * std::complex<double>(
                         maps.data()[((c * scan.matrix[2] + at[2]) * scan.matrix[1] + at[1]) * scan.matrix[0] + at[0]]);
      }
    }
  }
  return all;
}

// k of image axis a becomes sign[a] k of axis from[a]: the image turns along.
void turn_trajectory(const Context& ctx, Scan& scan, const Turn& turn) {
  for (ScanFrame& frame : scan.frames) {
    Trajectory other{clone(ctx.host(), frame.trajectory->points.ref()), frame.trajectory->readout_length};
    const auto before = frame.trajectory->points.view<2>();
    const auto after = other.points.view<2>();
    for (Index j = 0; j < before.extent(0); ++j) {
      for (Index axis = 0; axis < before.extent(1); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        after(j, axis) = turn.sign[a] * before(j, turn.from[a]);
      }
    }
    frame.trajectory = std::make_shared<const Trajectory>(std::move(other));
  }
}

// One object that the coils of the scan see through their maps, for turned positions.
class MapModel {
 public:
  MapModel(const Context& ctx, Examination& examination, const Turn& turn = {}) : dim_(examination.scan().dim()) {
    const Place place = [&](Index j) {
      const std::array<double, 3> k = examination.nominal(j);
      std::array<double, 3> to{};
      for (int axis = 0; axis < dim_; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        // Cycles per pixel stay: axes of other extents have other fields of view.
        const auto from = static_cast<std::size_t>(turn.from[a]);
        to[a] = turn.sign[a] * k[from] * static_cast<double>(examination.scan().matrix[a]) /
                static_cast<double>(examination.scan().matrix[from]);
      }
      return to;
    };
    const double radius = detail::center_radius(dim_);
    for (int axis = 0; axis < dim_; ++axis) {
      extents_[static_cast<std::size_t>(axis)] =
          static_cast<double>(examination.scan().matrix[static_cast<std::size_t>(axis)]);
    }
    samples_ = examination.center_samples(ctx, examination.samples_within(place, radius), place);
    maps_ = maps_on_grid(examination.scan(), detail::center_grid(dim_)) * examination.virtual_coils(ctx).conjugate();
    model_ = std::make_unique<const detail::CenterModel>(ctx, dim_, samples_.places);
    if (!model_->is_empty()) factor_ = model_->factor(maps_);
  }

  detail::CenterFit fit(const std::array<double, 3>& pixels = {}) const {
    const std::array<double, 3> views{pixels[0] / extents_[0], pixels[1] / extents_[1], pixels[2] / extents_[2]};
    return model_->fit(samples_.moved(views), maps_, factor_);
  }

 private:
  int dim_;
  std::array<double, 3> extents_{1, 1, 1};
  detail::CenterSamples samples_;
  Maps maps_;
  std::unique_ptr<const detail::CenterModel> model_;
  Maps factor_;
};

Findings find_turn(const Context& ctx, Examination& examination, const MapModel& nominal) {
  const Scan& scan = examination.scan();
  const double before = nominal.fit().residual;
  if (examination.is_consistent(ctx, before)) return {};
  Turn best;
  detail::CenterFit least;
  least.residual = before;
  for (const Turn& turn : turns(scan)) {
    if (turn.is_none()) continue;
    const detail::CenterFit fit = MapModel(ctx, examination, turn).fit();
    if (fit.residual >= least.residual) continue;
    least = fit;
    best = turn;
  }
  if (best.is_none() || !examination.explains(ctx, before, least)) return {};
  const bool all = std::all_of(best.sign.begin(), best.sign.begin() + scan.dim(), [](int s) { return s < 0; });
  const bool sign = all && best.from == std::array{0, 1, 2};
  const std::string axes = text_of(best, scan.dim());
  return {{.check = sign ? "sign of the transform" : "axes",
           .what = fmt::format(
               "{}: with the positions {} the data contradict the coil maps of the scan by {:.3g}, as they are "
               "by {:.3g}",
               sign ? "the transform has the other sign" : "the axes of the trajectory are swapped or mirrored", axes,
               least.residual, before),
           .value = before,
           .unit = "of the signal",
           .confidence = explained(before, least.residual),
           .remedy = "whorl doctor --fix (arrays: whorl convert --trajectory with the names in another order)",
           .mend_text = fmt::format("positions turned to {}", axes),
           .mend = [best](const Context& c, Scan& of) { turn_trajectory(c, of, best); }}};
}

// The move that the maps explain best, axis by axis: a coarse search over the field of view, then ever finer ones.
std::array<double, 3> best_move(const Scan& scan, const MapModel& model) {
  std::array<double, 3> pixels{};
  double least = model.fit(pixels).residual;
  double step = 0;
  for (int axis = 0; axis < scan.dim(); ++axis) {
    step = std::max(step, static_cast<double>(scan.matrix[static_cast<std::size_t>(axis)]) / 16);
  }
  for (int tries = 0; step > 0.02 && tries < steps; ++tries) {
    bool better = false;
    for (int axis = 0; axis < scan.dim(); ++axis) {
      for (const double by : {-step, step}) {
        std::array<double, 3> other = pixels;
        other[static_cast<std::size_t>(axis)] += by;
        const double left = model.fit(other).residual;
        if (left >= least) continue;
        least = left;
        pixels = other;
        better = true;
      }
    }
    if (!better) step /= 2;
  }
  return pixels;
}

Findings find_move(const Context& ctx, Examination& examination, const MapModel& model) {
  const Scan& scan = examination.scan();
  const double before = model.fit().residual;
  const std::array<double, 3> pixels = best_move(scan, model);
  const detail::CenterFit after = model.fit(pixels);
  double most = 0;
  bool half = true;
  std::string option;
  for (int axis = 0; axis < scan.dim(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    most = std::max(most, std::abs(pixels[a]));
    half &= scan.matrix[a] % 2 == 0 && std::abs(pixels[a] - 0.5) < half_slack;
    option += fmt::format("{}{:.2f}", axis > 0 ? "," : "", pixels[a]);
  }
  if (most < least_move || !examination.explains(ctx, before, after)) return {};
  Finding finding{
      .check = half ? "half-pixel center" : "off-center shift",
      .what = fmt::format("the image lies {} pixels off the coil maps of the scan (contradiction {:.3g}, after "
                          "the move {:.3g})",
                          option, before, after.residual),
      .value = most,
      .unit = "pixels",
      .confidence = explained(before, after.residual),
      .remedy = half ? "whorl convert --center middle" : "whorl recon --shift-fov " + option,
      .mend_text = half ? "image center moved from between two voxels to voxel N/2"
                        : fmt::format("field of view moved by {} pixels", option)};
  finding.mend = [half, pixels](const Context& c, Scan& of) {
    // The maps say where the image belongs: they stay.
    Array<std::complex<float>> maps = clone(c.host(), of.coil_maps.ref());
    if (half) {
      apply_image_center(of, ImageCenter::middle);
    } else {
      shift_field_of_view(of, pixels);
      of.notes.pop_back();
    }
    of.coil_maps = std::move(maps);
  };
  return {finding};
}

}  // namespace

// Any image satisfies the data of a single coil. Coil maps tell which of the turned and moved ones is right: that
// whose coil images are one object times the maps.
Findings compare_with_maps(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (scan.coil_maps.size() == 0 || scan.coils < 2) return {};
  if (examination.nominal_fit(ctx).grid == 0) return {};
  const MapModel model(ctx, examination);
  Findings turn = find_turn(ctx, examination, model);
  if (!turn.empty()) return turn;
  return find_move(ctx, examination, model);
}

}  // namespace whorl::doctor
