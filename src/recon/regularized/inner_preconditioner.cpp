#include "recon/regularized/inner_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "op/circulant_factors.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

// Values of the spectrum below this part of its largest, which no samples and no term back, count as it.
constexpr double least = 1e-3;
// A pixel whose response to an image of ones is below this part of the root mean square has none; and how many may.
constexpr double no_response = 0.1;
constexpr double most_without = 0.02;

template <class Real>
class Spectra {
 public:
  using Complex = std::complex<Real>;

  Spectra(const Context& ctx, const Shape& x, Index unknowns)
      : image_(x.tail()),
        frames_(x[0]),
        images_(unknowns / image_.size()),
        plan_(make_fft_plan<Real>(ctx, image_)),
        of_H_(zeros<Real>(ctx, {images_, image_.size()})),
        of_terms_(ctx, of_H_.shape()),
        factors_(ctx, {unknowns}),
        inverse_factors_(ctx, {unknowns}) {}

  /// Whether H responds in each frame, and everywhere.
  bool take(const Context& ctx, const NormalFunction<Real>& H, const std::vector<DualTerm<Real>>& terms) {
    Array<Complex> response(ctx, {images_, image_.size()});
    if (!responds_everywhere(ctx, H, response)) return false;
    std::vector<Index> all_frames(static_cast<std::size_t>(frames_));
    std::iota(all_frames.begin(), all_frames.end(), Index{0});
    H(ctx, points(ctx, all_frames), response.ref().reshape(factors_.shape()));
    plan_->execute(ctx, FftDirection::forward, response.data(), frames_);
    largest_ = 0;
    for (Index f = 0; f < frames_; ++f) {
      const double most = largest_magnitude<Real>(ctx, response.slice(f));
      if (!(most > 0)) return false;
      largest_ = std::max(largest_, most);
    }
    set_magnitudes<Real>(ctx, response, ArrayRef<Real>(of_H_.data(), {frames_ * image_.size()}, of_H_.device()));
    std::vector<Index> middles;
    for (Index middle = frames_ / 2; middle < images_; middle += frames_) middles.push_back(middle);
    for (const Index middle : middles) {
      fill<Complex>(ctx, response, 0);
      const Array<Complex> point = points(ctx, {middle});
      for (const DualTerm<Real>& term : terms) {
        term.add_normal(ctx, 1, point, response.ref().reshape(factors_.shape()));
      }
      plan_->execute(ctx, FftDirection::forward, response.slice(middle).data(), 1);
      const Index first = middle - frames_ / 2;
      const ArrayRef<Real> found = of_terms_.slice(first);
      set_magnitudes<Real>(ctx, response.slice(middle), found);
      for (Index f = first + 1; f < first + frames_; ++f) copy<Real>(ctx, found, of_terms_.slice(f));
    }
    return true;
  }

  void set(const Context& ctx, double rho) {
    // The FFT is not normalized: C takes it forth and back.
    const double scale = 1 / static_cast<double>(image_.size());
    set_circulant_factors<Real>(ctx, of_H_, of_terms_, rho, least * std::max(largest_, rho), scale, factors_,
                                inverse_factors_);
  }

  void apply(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const { by(ctx, factors_, x, y); }
  void apply_inverse(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    by(ctx, inverse_factors_, x, y);
  }

 private:
  void by(const Context& ctx, ArrayRef<const Real> factors, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    const auto flat = y.reshape({y.size()});
    copy<Complex>(ctx, x, y);
    plan_->execute(ctx, FftDirection::forward, y.data(), images_);
    multiply_weights<Real>(ctx, factors, flat, flat);
    plan_->execute(ctx, FftDirection::inverse, y.data(), images_);
  }

  // Where coil maps are 0, H is no convolution: it is 0 there, and the preconditioner would hold the image back. The frame in the
  // middle stands for all, which have the same maps.
  bool responds_everywhere(const Context& ctx, const NormalFunction<Real>& H, ArrayRef<Complex> response) const {
    Array<Complex> ones = zeros<Complex>(ctx, factors_.shape());
    const Index count = frames_ * image_.size();
    fill<Complex>(ctx, ArrayRef<Complex>(ones.data(), {count}, ones.device()), 1);
    H(ctx, ones, response.reshape(factors_.shape()));
    const ArrayRef<Complex> middle = response.slice(frames_ / 2);
    const auto pixels = static_cast<double>(image_.size());
    const double least_square = std::pow(no_response * norm<Real>(ctx, middle), 2) / pixels;
    const Array<Complex> here = to_host<const Complex>(ctx, middle);
    const auto dark = std::count_if(here.span().begin(), here.span().end(), [&](Complex value) {
      return !(static_cast<double>(std::norm(value)) > least_square);
    });
    return static_cast<double>(dark) <= most_without * pixels;
  }

  // 1 in the middle of some images. The spectrum of a response to it is that of the convolution times a phase.
  Array<Complex> points(const Context& ctx, const std::vector<Index>& images) const {
    Index middle = 0;
    for (const Index n : image_) middle = middle * n + n / 2;
    Array<Complex> all = zeros<Complex>(ctx, factors_.shape());
    for (const Index i : images) {
      fill<Complex>(ctx, ArrayRef<Complex>(all.data() + i * image_.size() + middle, {1}, all.device()), 1);
    }
    return all;
  }

  Shape image_;
  Index frames_;
  Index images_;
  std::shared_ptr<const FftPlan<Real>> plan_;
  Array<Real> of_H_;      // [image, pixel]
  Array<Real> of_terms_;  // of sum_t W_t^H W_t
  double largest_ = 0;    // of H
  Array<Real> factors_;
  Array<Real> inverse_factors_;
};

}  // namespace

template <class Real>
InnerPreconditioner<Real> circulant_inner_preconditioner(const Context& ctx, const NormalFunction<Real>& H,
                                                         const std::vector<DualTerm<Real>>& terms, const Shape& x,
                                                         Index unknowns) {
  using Complex = std::complex<Real>;
  const auto spectra = std::make_shared<Spectra<Real>>(ctx, x, unknowns);
  if (!spectra->take(ctx, H, terms)) return {};
  return {
      [spectra](const Context& c, double rho) { spectra->set(c, rho); },
      [spectra](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) { spectra->apply(c, p, q); },
      [spectra](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) { spectra->apply_inverse(c, p, q); }};
}

template InnerPreconditioner<float> circulant_inner_preconditioner<float>(const Context&, const NormalFunction<float>&,
                                                                          const std::vector<DualTerm<float>>&,
                                                                          const Shape&, Index);
template InnerPreconditioner<double> circulant_inner_preconditioner<double>(const Context&,
                                                                            const NormalFunction<double>&,
                                                                            const std::vector<DualTerm<double>>&,
                                                                            const Shape&, Index);

}  // namespace whorl::recon
