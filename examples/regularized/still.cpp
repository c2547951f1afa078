#include <numbers>

#include "cases.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/plot/montage.hpp"
#include "whorl/trajectory/radial.hpp"

namespace regularized {

using whorl::Array;
using whorl::Context;
using whorl::Index;

Study still_images(const Context& ctx, const Settings& settings) {
  const Context host = ctx.host();
  const Index n = settings.size;
  const std::array<Index, 3> matrix{n, n, 1};
  const auto spokes = static_cast<Index>(std::numbers::pi / 2 * static_cast<double>(n) / settings.reduction);
  whorl::Scan plan;
  plan.matrix = matrix;
  plan.trajectory_kind = "radial";
  plan.frames.emplace_back().trajectory = std::make_shared<whorl::Trajectory>(
      whorl::radial_trajectory(host, spokes, 2 * n, whorl::SpokeOrder::golden_angle));
  Study study{"still", {}, {}};
  std::vector<whorl::Picture> panels;
  for (const auto& [name, phantom] : {std::pair{"Shepp-Logan", whorl::shepp_logan(2, whorl::PhantomContrast::modified)},
                                      std::pair{"brain", whorl::brain_phantom(2)}}) {
    const whorl::Scan scan = with_true_maps(
        host, whorl::phantom_scan(host, phantom, whorl::clone(host, plan),
                                  {.coils = settings.coils, .noise_standard_deviation = settings.noise}));
    Array<float> truth = true_image(host, settings, phantom, n);
    // The brightest tissue is thin.
    const double high = whorl::percentile_window(truth, 0, 97).high;
    panels.push_back(panel(host, std::string(name) + ", truth", truth.slice(0), high, 2));
    truth.reshape({1, 1, n, n});
    const std::vector<double> weights{1e-4, 3e-4, 1e-3, 3e-3};
    for (const Candidates& candidates :
         {Candidates{"", {1e-3, 1e-2, 1e-1}}, Candidates{"tv:{:g},unit=largest", weights},
          Candidates{"wavelet:{:g},unit=largest,taps=4", weights}, Candidates{"tgv:{:g},unit=largest", weights}}) {
      const Result best = best_of(host, name, candidates, known_maps(settings), truth, of_scan(ctx, scan));
      study.rows.push_back(best.row);
      panels.push_back(panel(host, caption_of(best), best.magnitude.slice(0).slice(0), high, 2));
    }
  }
  study.picture = whorl::in_rows(panels, 5, 6);
  return study;
}

}  // namespace regularized
