#include "bench/parity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "bench/kernel_subjects.hpp"
#include "bench/name_filter.hpp"
#include "whorl/core/random.hpp"
#include "whorl/prox/generalized_variation.hpp"
#include "whorl/prox/infimal_variation.hpp"
#include "whorl/prox/l1.hpp"
#include "whorl/prox/locally_low_rank.hpp"
#include "whorl/prox/low_rank_sparse.hpp"
#include "whorl/prox/total_variation.hpp"
#include "whorl/prox/wavelet_l1.hpp"

namespace whorl::bench {

namespace {

using namespace subjects;

template <class Real>
void add_checks(const std::string& precision, std::vector<KernelCheck>& checks) {
  const auto add = [&](const std::string& name, double terms, Make<Real> make) {
    checks.push_back({fmt::format("kernel/{}/{}", name, precision),
                      [=](const Context& ctx) { return compare<Real>(ctx, terms, make); }});
  };
  const Shape shape{7, 137, 153};
  add("axpby", 2, [=](const Context& ctx) { return axpby_subject<Real>(ctx, shape); });
  // Sums in double: what is left is the rounding of the result.
  add("dot", 1, [=](const Context& ctx) { return dot_subject<Real>(ctx, shape); });
  // As for dot: sums in double, of seven products each in double, rounded to the type.
  add("add_products", 7, [=](const Context& ctx) { return products_subject<Real>(ctx, shape); });
  // The bits are equal, and functions of doubles are rounded to the type. In double, the logarithm, the root, the angle's sine and
  // their product: a few roundings.
  add("random_normal", 4, [=](const Context& ctx) {
    return random_subject<Real>(ctx, shape, [](auto&&... args) { fill_random_normal<Real>(args...); });
  });
  add("random_turns", 1, [=](const Context& ctx) {
    return random_subject<Real>(ctx, shape, [](auto&&... args) { fill_random_turns<Real>(args...); });
  });
  add("multiply_weights", 1, [=](const Context& ctx) { return weights_subject<Real>(ctx, shape); });
  add("fft", std::log2(60.0 * 36 * 50), [](const Context& ctx) { return fft_subject<Real>(ctx); });
  for (const Direction direction : {Direction::forward, Direction::adjoint}) {
    add(fmt::format("sense/{}", to_string(direction)), 7,
        [=](const Context& ctx) { return sense_subject<Real>(ctx, shape, direction); });
    // Sums over 4 factors and, adjoint, 7 coils of products of four numbers, which are rounded three times.
    add(fmt::format("evolution/{}", to_string(direction)), 4 * 7 * 3,
        [=](const Context& ctx) { return evolution_subject<Real>(ctx, shape, direction); });
    for (const int dim : {2, 3}) {
      for (const int width : {4, 7, 12}) {
        add(fmt::format("gridding/{}d/width-{}/{}", dim, width, to_string(direction)), std::pow(width, dim),
            [=](const Context& ctx) { return gridding_subject<Real>(ctx, dim, width, direction); });
      }
    }
  }
  // Spectra are adjoint transforms with a window of 8 cells at most, amplified by 2; then sums over 3 components and 5 coils.
  add("subspace/normal", 4 * 64 + 15, [](const Context& ctx) { return subspace_subject<Real>(ctx, {37, 44}); });
  const Shape series{3, 5, 37, 46};
  add("prox/dual_step", 12, [=](const Context& ctx) { return dual_step_subject<Real>(ctx, series); });
  // Six differences with their projections, and up to nine terms of the adjoint for an element.
  constexpr DifferenceAxes space{false, true, true, true};
  add("prox/generalized_variation", 9 * 12, [=](const Context& ctx) {
    return infimal_subject<Real>(ctx, std::make_shared<GeneralizedVariation<Real>>(series, space, 0.3));
  });
  add("prox/infimal_variation", 8 * 12, [=](const Context& ctx) {
    return infimal_subject<Real>(
        ctx, std::make_shared<InfimalVariation<Real>>(series, 0.3, InfimalVariationOptions{.time = 1.5, .mix = 0.25}));
  });
  // A Gram matrix and eigenvectors as below, then transforms over 7 frames.
  add("prox/low_rank_sparse", 1000, [=](const Context& ctx) {
    return infimal_subject<Real>(ctx, std::make_shared<LowRankSparse<Real>>(Shape{7, 5, 37, 46}, 0.3));
  });
  // The value is a sum of 25,530 numbers in double, in another order on each device: the roundings of n additions add up to
  // about sqrt(n) of one, which counts where the numbers themselves are double.
  const int summed = std::is_same_v<Real, double> ? 28 : 0;
  add("prox/l1", 4 + summed,
      [=](const Context& ctx) { return prox_subject<Real>(ctx, std::make_shared<L1<Real>>(series)); });
  add("prox/joint_l1", 6 + summed,
      [=](const Context& ctx) { return prox_subject<Real>(ctx, std::make_shared<L1<Real>>(series, true)); });
  // Three axes of two levels of 8 taps, both ways.
  add("prox/wavelet_l1", 2 * 6 * 8, [=](const Context& ctx) {
    return prox_subject<Real>(ctx, std::make_shared<WaveletL1<Real>>(series, WaveletL1Options{}));
  });
  // Gram matrices and eigenvectors in double; in double the eigenvectors of close eigenvalues differ, but not what is
  // made of them: the function of a matrix is as exact as the matrix over the least singular value, squared.
  add("prox/low_rank", 1000, [=](const Context& ctx) {
    return prox_subject<Real>(
        ctx, std::make_shared<LocallyLowRank<Real>>(Shape{7, 5, 37, 46}, LocallyLowRankOptions{.patch = 4}));
  });
  for (const Direction direction : {Direction::forward, Direction::adjoint, Direction::normal}) {
    add(fmt::format("series_differences/{}", to_string(direction)), 6,
        [=](const Context& ctx) { return series_differences_subject<Real>(ctx, series, direction); });
    if (direction != Direction::normal) {
      for (const int taps : {2, 8, 20}) {
        add(fmt::format("wavelet/taps-{}/{}", taps, to_string(direction)), 6 * taps,
            [=](const Context& ctx) { return wavelet_subject<Real>(ctx, series, taps, direction); });
      }
    }
    add(fmt::format("differences/{}", to_string(direction)), 6,
        [=](const Context& ctx) { return differences_subject<Real>(ctx, shape, direction); });
    for (const Shape& image : {Shape{37, 44}, Shape{10, 13, 18}}) {
      // A window of 5 cells at this tolerance, both ways in a normal operator, and a sum over five coils; the window
      // amplifies by 2 at most, as four times the terms would.
      const double terms = 4 * (2 * std::pow(5, image.rank()) + 5);
      add(fmt::format("sense_nufft/{}d/{}", image.rank(), to_string(direction)), terms,
          [=](const Context& ctx) { return sense_nufft_subject<Real>(ctx, image, direction, NormalMethod::pair); });
      if (direction != Direction::normal) continue;
      add(fmt::format("sense_nufft/{}d/convolution", image.rank()), terms,
          [=](const Context& ctx) { return sense_nufft_subject<Real>(ctx, image, direction, NormalMethod::toeplitz); });
    }
  }
}

}  // namespace

std::vector<Case> parity_cases(const std::string& expression) {
  std::vector<Case> cases = cases_like("small-");
  keep_like("check", expression, cases, [](const Case& one) { return one.name(); });
  return cases;
}

double allowed_error(const Case& what) { return what.tolerance * (what.direction == Direction::normal ? 2 : 1); }

std::vector<KernelCheck> kernel_checks(const std::string& expression) {
  std::vector<KernelCheck> checks;
  add_checks<float>("float", checks);
  add_checks<double>("double", checks);
  for (KernelCheck& check : fit_checks()) checks.push_back(std::move(check));
  for (KernelCheck& check : recon_checks()) checks.push_back(std::move(check));
  for (KernelCheck& check : filter_checks()) checks.push_back(std::move(check));
  keep_like("check", expression, checks, [](const KernelCheck& one) { return one.name; });
  return checks;
}

}  // namespace whorl::bench
