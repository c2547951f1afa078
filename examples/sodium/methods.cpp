#include "methods.hpp"

#include "whorl/calib/combine.hpp"
#include "whorl/density/pipe_menon.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/prior/edge_weights.hpp"

namespace sodium {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::ArrayRef;
using whorl::Context;
using whorl::Index;

struct Methods::Parts {
  Parts(const Context& ctx, const Measurement& scan, const whorl::ExponentialSignal& decays,
        ArrayRef<const float> proton, const ReconSettings& settings)
      : nufft(std::make_shared<const whorl::Nufft<float>>(
            ctx, scan.points, proton.shape(), scan.maps.extent(0),
            whorl::NufftOptions{.tolerance = 3e-3, .normal = whorl::NormalMethod::automatic})),
        encoding(std::make_shared<const whorl::SenseNufft<float>>(*nufft, whorl::clone(ctx, scan.maps.ref()))),
        density(whorl::pipe_menon_density<float>(ctx, scan.points, proton.shape()).weights),
        differences(
            std::make_shared<const whorl::WeightedDifferences<float>>(ctx, proton.shape(), edges(ctx, proton))) {
    auto factors = whorl::evolution_factors<float>(ctx, decays, scan.times, settings.decay_tolerance);
    decay_factors = factors.maps.extent(0);
    decay_error = factors.error;
    evolution = std::make_shared<const whorl::SignalEvolution<float>>(encoding, std::move(factors));
  }

  static Array<float> edges(const Context& ctx, ArrayRef<const float> proton) {
    return whorl::edge_weights(ctx.host(), std::vector<ArrayRef<const float>>{proton}).weights;
  }

  std::shared_ptr<const whorl::Nufft<float>> nufft;
  whorl::Operator<float> encoding;   // of one image, through the maps
  whorl::Operator<float> evolution;  // the same, with decay
  Index decay_factors = 0;
  double decay_error = 0;
  Array<float> density;
  whorl::Operator<float> differences;
};

Methods::Methods(const Context& ctx, const Measurement& scan, const whorl::ExponentialSignal& decays,
                 ArrayRef<const float> proton, const ReconSettings& settings)
    : parts_(std::make_unique<Parts>(ctx, scan, decays, proton, settings)) {
  const auto& parts = *parts_;
  methods_.push_back({"gridding",
                      [&ctx, &parts, &scan](const Array<Complex>& data) {
                        Array<Complex> weighted(ctx, data.shape());
                        whorl::multiply_weights(ctx, parts.density, data, weighted);
                        Array<Complex> images(ctx, parts.nufft->domain());
                        parts.nufft->adjoint(ctx, weighted, images);
                        return whorl::matched_combination(ctx, images, scan.maps);
                      },
                      nullptr, 0});
  const auto add = [&](const std::string& name, const whorl::Operator<float>& encoding, double eigenvalue,
                       const whorl::Operator<float>& penalty) {
    const double lambda = penalty == nullptr ? settings.lambda : settings.prior_lambda;
    const whorl::LeastSquaresOptions options{settings.iterations, settings.tolerance, lambda};
    const auto model = std::make_shared<const whorl::RegularizedModel<float>>(
        whorl::RegularizedModel<float>{encoding, eigenvalue, {{penalty, 1}}});
    methods_.push_back({name,
                        [=, &ctx](const Array<Complex>& data) {
                          Array<Complex> image(ctx, model->encoding->domain());
                          whorl::least_squares(ctx, name, *model, data, options, image);
                          return image;
                        },
                        model, lambda});
  };
  const double plain = whorl::normal_eigenvalue(ctx, parts.encoding);
  const double decaying = whorl::normal_eigenvalue(ctx, parts.evolution);
  add("least squares", parts.encoding, plain, nullptr);
  add("least squares, decay", parts.evolution, decaying, nullptr);
  add("prior", parts.encoding, plain, parts.differences);
  add("prior, decay", parts.evolution, decaying, parts.differences);
}

Methods::~Methods() = default;

Index Methods::decay_factors() const { return parts_->decay_factors; }
double Methods::decay_error() const { return parts_->decay_error; }

whorl::ExponentialSignal expected_decays(const Context& ctx, const Head& head, ArrayRef<const float> portions) {
  std::vector<whorl::TissueDecay> decays;
  std::vector<double> concentrations;
  for (const HeadTissue& tissue : head.tissues) {
    const HeadTissue& seen = head.tissues[head.index(tissue.taken_for.empty() ? tissue.name : tissue.taken_for)];
    decays.push_back(seen.decay);
    concentrations.push_back(seen.concentration);
  }
  const Index pixels = portions.size() / portions.extent(0);
  Array<float> parts(ctx.host(), portions.shape());
  for (Index r = 0; r < pixels; ++r) {
    double sodium = 0;
    for (std::size_t k = 0; k < decays.size(); ++k) {
      sodium += concentrations[k] * portions.data()[static_cast<Index>(k) * pixels + r];
    }
    const bool air = sodium < 1e-3;
    for (std::size_t k = 0; k < decays.size(); ++k) {
      const Index place = static_cast<Index>(k) * pixels + r;
      const double part =
          air ? (k == head.index("soft tissue") ? 1.0 : 0.0) : concentrations[k] * portions.data()[place] / sodium;
      parts.data()[place] = static_cast<float>(part);
    }
  }
  return whorl::tissue_signal(ctx, parts, decays);
}

}  // namespace sodium
