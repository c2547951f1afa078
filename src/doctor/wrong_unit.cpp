// A trajectory whose numbers are too small.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "doctor/check.hpp"

namespace whorl::doctor {

namespace {

constexpr double as_good = 1.3;  // of the least contradiction
constexpr double beyond = 1.01;  // of Nyquist: positions up to there may be meant

struct Scale {
  std::array<double, 3> factor;
  std::string name;
};

double largest_along(const Examination& examination, std::size_t axis) {
  double most = 0;
  for (Index j = 0; j < examination.frame().trajectory->samples(); ++j) {
    most = std::max(most, std::abs(examination.nominal(j)[axis]));
  }
  return most;
}

// From small to large: the least change that makes sense of the data is the likeliest, since all larger ones make
// sense too.
std::vector<Scale> candidates(const Scan& scan) {
  using std::numbers::pi;
  std::vector<Scale> all{{{2, 2, 2}, "2: cycles per field of view of the oversampled readout, or half of the range"},
                         {{pi, pi, pi}, "pi: half radians"},
                         {{4, 4, 4}, "4"},
                         {{2 * pi, 2 * pi, 2 * pi}, "2 pi: cycles taken for radians"}};
  std::array<double, 3> matrix{};
  std::array<double, 3> radians{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    matrix[axis] = static_cast<double>(scan.matrix[axis]);
    radians[axis] = matrix[axis] / (2 * pi);
  }
  all.push_back({radians, "N/(2 pi): radians per pixel taken for cycles per field of view"});
  all.push_back({matrix, "N: cycles per pixel taken for cycles per field of view"});
  std::sort(all.begin(), all.end(), [](const Scale& a, const Scale& b) { return a.factor[0] < b.factor[0]; });
  std::vector<Scale> single;
  constexpr std::array names{"x", "y", "z"};
  for (int axis = 0; axis < scan.dim(); ++axis) {
    Scale one{{1, 1, 1}, fmt::format("2 along {} alone", names[static_cast<std::size_t>(axis)])};
    one.factor[static_cast<std::size_t>(axis)] = 2;
    single.push_back(one);
  }
  all.insert(all.begin(), single.begin(), single.end());
  return all;
}

void scale(const Context& ctx, Scan& scan, const std::array<double, 3>& factor) {
  std::vector<std::pair<const Trajectory*, std::shared_ptr<const Trajectory>>> done;
  for (ScanFrame& frame : scan.frames) {
    const auto before =
        std::find_if(done.begin(), done.end(), [&](const auto& pair) { return pair.first == frame.trajectory.get(); });
    if (before != done.end()) {
      frame.trajectory = before->second;
      continue;
    }
    Trajectory scaled{clone(ctx.host(), frame.trajectory->points.ref()), frame.trajectory->readout_length};
    const auto k = scaled.points.view<2>();
    for (Index j = 0; j < k.extent(0); ++j) {
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        k(j, axis) = std::clamp(k(j, axis) * factor[static_cast<std::size_t>(axis)], -k_limit, k_limit);
      }
    }
    auto shared = std::make_shared<const Trajectory>(std::move(scaled));
    done.emplace_back(frame.trajectory.get(), shared);
    frame.trajectory = shared;
  }
  scan.trajectory_unit = "cycles/pixel";
}

}  // namespace

// Numbers that are too small make the object larger than the field of view. Numbers that are too large make it small,
// which data alone do not contradict; those beyond Nyquist are refused by the readers.
Findings find_wrong_unit(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  const detail::CenterFit nominal = examination.nominal_fit(ctx);
  if (nominal.grid == 0 || examination.is_consistent(ctx, nominal.residual)) return {};
  std::vector<std::pair<Scale, double>> agreeing;
  double least = nominal.residual;
  for (const Scale& candidate : candidates(scan)) {
    bool fits = true;
    for (int axis = 0; axis < scan.dim(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      fits &= largest_along(examination, a) * candidate.factor[a] <= beyond * static_cast<double>(scan.matrix[a]) / 2;
    }
    if (!fits) continue;
    const detail::CenterFit fit = examination.fit(ctx, [&](Index j) {
      std::array<double, 3> k = examination.nominal(j);
      for (std::size_t axis = 0; axis < 3; ++axis) k[axis] *= candidate.factor[axis];
      return k;
    });
    if (!examination.explains(ctx, nominal.residual, fit) || !examination.is_consistent(ctx, fit.residual)) continue;
    agreeing.emplace_back(candidate, fit.residual);
    least = std::min(least, fit.residual);
  }
  const auto best = std::find_if(agreeing.begin(), agreeing.end(),
                                 [&](const auto& scale) { return scale.second <= as_good * least; });
  if (best == agreeing.end()) return {};
  const auto& [scale_found, residual] = *best;
  return {
      {.check = "trajectory unit",
       .what = fmt::format("the positions are too small by the factor {} (contradiction {:.3g}, with it {:.3g}); they "
                           "were read as {}",
                           scale_found.name, nominal.residual, residual, scan.trajectory_unit),
       .value = *std::max_element(scale_found.factor.begin(), scale_found.factor.end()),
       .unit = "times",
       .confidence = explained(nominal.residual, residual),
       .remedy = "--trajectory-unit, where the file leaves the unit open; else whorl doctor --fix",
       .mend_text = fmt::format("positions multiplied by {}", scale_found.name.substr(0, scale_found.name.find(':'))),
       .mend = [factor = scale_found.factor](const Context& c, Scan& of) { scale(c, of, factor); }}};
}

}  // namespace whorl::doctor
