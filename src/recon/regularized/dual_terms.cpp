#include "recon/regularized/dual_terms.hpp"

#include "whorl/math/blas1.hpp"

namespace whorl::recon {

namespace {

// A part of an array of all unknowns, as an array of some shape.
template <class T>
ArrayRef<T> part_of(ArrayRef<T> all, Index start, const Shape& shape) {
  return {all.data() + start, shape, all.device()};
}

// Total variation by its dual step.
template <class Real>
DualTerm<Real> term_of(const TotalVariation<Real>& tv) {
  using Complex = std::complex<Real>;
  const Shape image = tv.domain();
  return {.range = tv.range(),
          .norm = 1,
          .step =
              [&tv, image](const Context& ctx, double sigma, Index, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
                const DualStepSums sums = tv.dual_step(ctx, sigma, part_of(x, 0, image), y);
                return typename DualTerm<Real>::Sums{sums.value, sums.change};
              },
          .add_adjoint = [&tv, image](const Context& ctx, ArrayRef<const Complex> y,
                                      ArrayRef<Complex> sum) { tv.add_adjoint(ctx, y, part_of(sum, 0, image)); },
          .add_normal =
              [&tv, image](const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
                tv.add_normal(ctx, factor, part_of(x, 0, image), part_of(sum, 0, image));
              }};
}

// weight g(x), with W = 1, by Moreau's identity.
template <class Real>
DualTerm<Real> term_of(const ProximalFunction<Real>& g, double weight) {
  using Complex = std::complex<Real>;
  return {
      .range = g.domain(),
      .norm = 1,
      .step =
          [&g, weight](const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
            const DualStepSums sums = g.dual_step(ctx, sigma, part_of(x, 0, g.domain()), y, weight, pass);
            return typename DualTerm<Real>::Sums{sums.value, sums.change};
          },
      .add_adjoint = [](const Context& ctx, ArrayRef<const Complex> y,
                        ArrayRef<Complex> sum) { axpby<Real>(ctx, 1, y, 1, part_of(sum, 0, y.shape())); },
      .add_normal =
          [&g](const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
            axpby<Real>(ctx, factor, part_of(x, 0, g.domain()), 1, part_of(sum, 0, g.domain()));
          }};
}

// A minimum over further unknowns, which begin at `start`.
template <class Real>
DualTerm<Real> term_of(const InfimalFunction<Real>& g, Index start) {
  using Complex = std::complex<Real>;
  const auto x_of = [&g](auto all) { return part_of(all, 0, g.domain()); };
  const auto w_of = [&g, start](auto all) { return part_of(all, start, g.auxiliary()); };
  return {.range = g.range(),
          .norm = g.norm(),
          .step =
              [&g, x_of, w_of](const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x,
                               ArrayRef<Complex> y) {
                const DualStepSums sums = g.dual_step(ctx, sigma, x_of(x), w_of(x), y, pass);
                return typename DualTerm<Real>::Sums{sums.value, sums.change};
              },
          .add_adjoint = [&g, x_of, w_of](const Context& ctx, ArrayRef<const Complex> y,
                                          ArrayRef<Complex> sum) { g.add_adjoint(ctx, y, x_of(sum), w_of(sum)); },
          .add_normal =
              [&g, x_of, w_of](const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
                g.add_normal(ctx, factor, x_of(x), w_of(x), x_of(sum), w_of(sum));
              }};
}

}  // namespace

template <class Real>
std::vector<DualTerm<Real>> dual_terms(Index elements, const std::vector<ProximalPenalty<Real>>& penalties) {
  std::vector<DualTerm<Real>> terms;
  Index start = elements;
  for (const ProximalPenalty<Real>& one : penalties) {
    if (one.infimal != nullptr) {
      terms.push_back(term_of<Real>(*one.infimal, start));
      start += one.infimal->auxiliary().size();
    } else if (one.total_variation != nullptr) {
      terms.push_back(term_of<Real>(*one.total_variation));
    } else {
      terms.push_back(term_of<Real>(*one.function, one.weight));
    }
  }
  return terms;
}

template std::vector<DualTerm<float>> dual_terms<float>(Index, const std::vector<ProximalPenalty<float>>&);
template std::vector<DualTerm<double>> dual_terms<double>(Index, const std::vector<ProximalPenalty<double>>&);

}  // namespace whorl::recon
