#include "recon/regularized/inner_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "op/circulant_factors.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

// Values of the spectrum below this part of its largest, which no samples and no term back, count as it.
constexpr double least = 1e-3;
// Q, relative to rho times the largest eigenvalue of the terms. Twice or half as much takes about as many applications.
constexpr double hold = 0.3;

Index square(Index n) { return n * n; }

template <class Real>
class Spectra {
 public:
  using Complex = std::complex<Real>;

  Spectra(const Context& ctx, const Shape& x, Index unknowns)
      : image_(x.tail()),
        frames_(x[0]),
        images_(unknowns / image_.size()),
        plan_(make_fft_plan<Real>(ctx, image_)),
        inside_(ctx, {frames_ * image_.size()}),
        of_terms_(ctx, {images_, image_.size()}),
        factors_(ctx, {unknowns}) {}

  /// Whether H responds in each frame.
  bool take(const Context& ctx, const NormalFunction<Real>& H, const std::vector<DualTerm<Real>>& terms,
            ArrayRef<const Complex> b, EncodingSpectra<Real>* known) {
    set_magnitudes<Real>(ctx, b, inside_);
    const Index place = find_support(ctx);
    if (place < 0) return false;
    if (known != nullptr) of_H_ = *known;
    if (of_H_.values == nullptr && !take_encoding(ctx, H, place)) return false;
    if (known != nullptr) *known = of_H_;
    return take_terms(ctx, terms);
  }

  void set(const Context& ctx, double rho) {
    // The FFT is not normalized: P takes it forth and back.
    const double scale = 1 / static_cast<double>(image_.size());
    set_circulant_factors<Real>(ctx, *of_H_.values, of_terms_, rho, least * std::max(of_H_.largest, rho), scale,
                                factors_);
    held_ = rho * hold * largest_of_terms_;
    outside_ = 1 / (rho * mean_of_terms_ + held_);
  }

  void apply(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    copy<Complex>(ctx, x, y);
    if (has_outside_) axpby_outside<Real>(ctx, inside_, 0, x, 0, y);
    plan_->execute(ctx, FftDirection::forward, y.data(), images_);
    const auto flat = y.reshape({y.size()});
    multiply_weights<Real>(ctx, factors_, flat, flat);
    plan_->execute(ctx, FftDirection::inverse, y.data(), images_);
    if (has_outside_) axpby_outside<Real>(ctx, inside_, outside_, x, 0, y);
  }

  void add_proximal(const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    if (has_outside_) axpby_outside<Real>(ctx, inside_, factor * held_, x, 1, y);
  }

 private:
  // The pixel of the middle frame's support that is nearest to the middle of the image; -1 without a support.
  Index find_support(const Context& ctx) {
    const Array<Real> here = to_host<const Real>(ctx, inside_);
    has_outside_ = std::find(here.span().begin(), here.span().end(), Real(0)) != here.span().end();
    const Real* const frame = here.data() + frames_ / 2 * image_.size();
    Index nearest = -1;
    Index distance = std::numeric_limits<Index>::max();
    const Index length = image_[-1];
    for (Index row = 0; row < image_.size() / length; ++row) {
      Index of_row = 0;
      Index rest = row;
      for (int axis = 2; axis <= image_.rank(); ++axis) {
        of_row += square(rest % image_[-axis] - image_[-axis] / 2);
        rest /= image_[-axis];
      }
      for (Index x = 0; x < length && of_row < distance; ++x) {
        const Index squares = of_row + square(x - length / 2);
        if (frame[row * length + x] == 0 || squares >= distance) continue;
        nearest = row * length + x;
        distance = squares;
      }
    }
    return nearest;
  }

  bool take_encoding(const Context& ctx, const NormalFunction<Real>& H, Index place) {
    std::vector<Index> all_frames(static_cast<std::size_t>(frames_));
    std::iota(all_frames.begin(), all_frames.end(), Index{0});
    Array<Complex> response(ctx, {images_, image_.size()});
    H(ctx, points(ctx, all_frames, place), response.ref().reshape(factors_.shape()));
    plan_->execute(ctx, FftDirection::forward, response.data(), frames_);
    double largest = 0;
    for (Index f = 0; f < frames_; ++f) {
      const double most = largest_magnitude<Real>(ctx, response.slice(f));
      if (!(most > 0)) return false;
      largest = std::max(largest, most);
    }
    auto values = std::make_shared<Array<Real>>(zeros<Real>(ctx, of_terms_.shape()));
    set_magnitudes<Real>(ctx, response, ArrayRef<Real>(values->data(), {frames_ * image_.size()}, values->device()));
    of_H_ = {std::move(values), largest};
    return true;
  }

  bool take_terms(const Context& ctx, const std::vector<DualTerm<Real>>& terms) {
    Index place = 0;
    for (const Index n : image_) place = place * n + n / 2;
    Array<Complex> response(ctx, {images_, image_.size()});
    for (Index middle = frames_ / 2; middle < images_; middle += frames_) {
      fill<Complex>(ctx, response, 0);
      const Array<Complex> point = points(ctx, {middle}, place);
      for (const DualTerm<Real>& term : terms) {
        term.add_normal(ctx, 1, point, response.ref().reshape(factors_.shape()));
      }
      const ArrayRef<Complex> of_image = response.slice(middle);
      // Within x, or within a further unknown: what couples these is left to conjugate gradient.
      const ArrayRef<const Complex> of_frames(of_image.data() - frames_ / 2 * image_.size(), {frames_, image_.size()},
                                              of_image.device());
      const double among_frames = norm<Real>(ctx, of_frames) / norm<Real>(ctx, of_image);
      if (middle < frames_) mean_of_terms_ = value_at(ctx, of_image, place);
      plan_->execute(ctx, FftDirection::forward, of_image.data(), 1);
      if (middle < frames_) {
        largest_of_terms_ = largest_magnitude<Real>(ctx, of_image);
        const bool flat = largest_of_terms_ < 1.01 * mean_of_terms_;
        if (flat && among_frames > 1.01) return false;
      }
      const Index first = middle - frames_ / 2;
      const ArrayRef<Real> found = of_terms_.slice(first);
      set_magnitudes<Real>(ctx, of_image, found);
      for (Index f = first + 1; f < first + frames_; ++f) copy<Real>(ctx, found, of_terms_.slice(f));
    }
    return largest_of_terms_ > 0;
  }

  // The mean of a spectrum is what the pixel itself has of its response.
  static double value_at(const Context& ctx, ArrayRef<const Complex> image, Index place) {
    return std::abs(
        to_host<const Complex>(ctx, ArrayRef<const Complex>(image.data() + place, {1}, image.device())).data()[0]);
  }

  // 1 at one pixel of some images. The spectrum of a response to it is that of the convolution times a phase.
  Array<Complex> points(const Context& ctx, const std::vector<Index>& images, Index place) const {
    Array<Complex> all = zeros<Complex>(ctx, factors_.shape());
    for (const Index i : images) {
      fill<Complex>(ctx, ArrayRef<Complex>(all.data() + i * image_.size() + place, {1}, all.device()), 1);
    }
    return all;
  }

  Shape image_;
  Index frames_;
  Index images_;
  std::shared_ptr<const FftPlan<Real>> plan_;
  Array<Real> inside_;  // |b|, [frame, pixel]
  bool has_outside_ = false;
  EncodingSpectra<Real> of_H_;
  Array<Real> of_terms_;  // of sum_t W_t^H W_t, [image, pixel]
  double largest_of_terms_ = 0;
  double mean_of_terms_ = 0;
  Array<Real> factors_;
  double held_ = 0;     // Q
  double outside_ = 0;  // P^-1
};

}  // namespace

template <class Real>
InnerPreconditioner<Real> circulant_inner_preconditioner(const Context& ctx, const NormalFunction<Real>& H,
                                                         const std::vector<DualTerm<Real>>& terms, const Shape& x,
                                                         Index unknowns, ArrayRef<const std::complex<Real>> b,
                                                         EncodingSpectra<Real>* known) {
  using Complex = std::complex<Real>;
  const auto spectra = std::make_shared<Spectra<Real>>(ctx, x, unknowns);
  if (!spectra->take(ctx, H, terms, b, known)) return {};
  return {[spectra](const Context& c, double rho) { spectra->set(c, rho); },
          [spectra](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) { spectra->apply(c, p, q); },
          [spectra](const Context& c, double factor, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
            spectra->add_proximal(c, factor, p, q);
          }};
}

#define WHORL_INSTANTIATE(Real)                                                                             \
  template InnerPreconditioner<Real> circulant_inner_preconditioner<Real>(                                  \
      const Context&, const NormalFunction<Real>&, const std::vector<DualTerm<Real>>&, const Shape&, Index, \
      ArrayRef<const std::complex<Real>>, EncodingSpectra<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl::recon
