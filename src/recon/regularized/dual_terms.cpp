#include "recon/regularized/dual_terms.hpp"

#include <memory>
#include <utility>

#include "whorl/math/blas1.hpp"

namespace whorl::recon {

namespace {

// A part of an array of all unknowns, as an array of some shape.
template <class T>
ArrayRef<T> part_of(ArrayRef<T> all, Index start, const Shape& shape) {
  return {all.data() + start, shape, all.device()};
}

// weight g(x), with W = 1, by Moreau's identity.
template <class Real>
DualTerm<Real> term_of(const ProximalFunction<Real>& g, double weight, Index copy) {
  using Complex = std::complex<Real>;
  const auto x_of = [&g, copy](auto all) { return part_of(all, copy * g.domain().size(), g.domain()); };
  return {.range = g.domain(),
          .norm = 1,
          .step =
              [&g, weight, x_of](const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x,
                                 ArrayRef<Complex> y) {
                const DualStepSums sums = g.dual_step(ctx, sigma, x_of(x), y, weight, pass);
                return typename DualTerm<Real>::Sums{sums.value, sums.change};
              },
          .add_adjoint = [x_of](const Context& ctx, ArrayRef<const Complex> y,
                                ArrayRef<Complex> sum) { axpby<Real>(ctx, 1, y, 1, x_of(sum)); },
          .add_normal = [x_of](const Context& ctx, double factor, ArrayRef<const Complex> x,
                               ArrayRef<Complex> sum) { axpby<Real>(ctx, factor, x_of(x), 1, x_of(sum)); },
          .has_versions = g.has_versions()};
}

// A minimum over further unknowns, if it has some, which begin at `start`.
template <class Real>
DualTerm<Real> term_of(const InfimalFunction<Real>& g, Index start, Index copy) {
  using Complex = std::complex<Real>;
  const auto x_of = [&g, copy](auto all) { return part_of(all, copy * g.domain().size(), g.domain()); };
  const auto w_of = [&g, start](auto all) { return part_of(all, start, g.auxiliary()); };
  return {
      .range = g.range(),
      .norm = g.norm(),
      .step =
          [&g, x_of, w_of](const Context& ctx, double sigma, Index, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
            const DualStepSums sums = g.dual_step(ctx, sigma, x_of(x), w_of(x), y);
            return typename DualTerm<Real>::Sums{sums.value, sums.change};
          },
      .add_adjoint = [&g, x_of, w_of](const Context& ctx, ArrayRef<const Complex> y,
                                      ArrayRef<Complex> sum) { g.add_adjoint(ctx, y, x_of(sum), w_of(sum)); },
      .add_normal = [&g, x_of, w_of](
                        const Context& ctx, double factor, ArrayRef<const Complex> x,
                        ArrayRef<Complex> sum) { g.add_normal(ctx, factor, x_of(x), w_of(x), x_of(sum), w_of(sum)); }};
}

// The sum of a term's copies.
template <class Real>
DualTerm<Real> sum_of(std::vector<DualTerm<Real>> copies) {
  using Complex = std::complex<Real>;
  if (copies.size() == 1) return std::move(copies.front());
  const auto all = std::make_shared<const std::vector<DualTerm<Real>>>(std::move(copies));
  const Shape range = all->front().range.with_front(static_cast<Index>(all->size()));
  return {.range = range,
          .norm = all->front().norm,
          .step =
              [all](const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
                typename DualTerm<Real>::Sums sums{};
                for (std::size_t i = 0; i < all->size(); ++i) {
                  const auto of_one = (*all)[i].step(ctx, sigma, pass, x, y.slice(static_cast<Index>(i)));
                  sums.value += of_one.value;
                  sums.change += of_one.change;
                }
                return sums;
              },
          .add_adjoint =
              [all](const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> sum) {
                for (std::size_t i = 0; i < all->size(); ++i) {
                  (*all)[i].add_adjoint(ctx, y.slice(static_cast<Index>(i)), sum);
                }
              },
          .add_normal =
              [all](const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
                for (const DualTerm<Real>& one : *all) one.add_normal(ctx, factor, x, sum);
              },
          .has_versions = all->front().has_versions};
}

}  // namespace

template <class Real>
std::vector<DualTerm<Real>> dual_terms(Index elements, const std::vector<ProximalPenalty<Real>>& penalties) {
  std::vector<DualTerm<Real>> terms;
  const Index copies = count_of_copies(elements, penalties);
  Index start = elements;
  for (const ProximalPenalty<Real>& one : penalties) {
    std::vector<DualTerm<Real>> of_copies;
    for (Index copy = 0; copy < copies; ++copy) {
      of_copies.push_back(one.weighted() != nullptr ? term_of<Real>(*one.weighted()->g, one.weighted()->weight, copy)
                                                    : term_of<Real>(*one.infimal(), start, copy));
      start += one.unknowns();
    }
    terms.push_back(sum_of(std::move(of_copies)));
  }
  return terms;
}

template std::vector<DualTerm<float>> dual_terms<float>(Index, const std::vector<ProximalPenalty<float>>&);
template std::vector<DualTerm<double>> dual_terms<double>(Index, const std::vector<ProximalPenalty<double>>&);

}  // namespace whorl::recon
