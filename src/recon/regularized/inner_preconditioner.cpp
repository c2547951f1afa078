#include "recon/regularized/inner_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"

namespace whorl::recon {

namespace {

// Values of the spectrum below this part of its largest, which no samples and no term back, count as it.
constexpr double least = 1e-3;

template <class Real>
class Spectra {
 public:
  using Complex = std::complex<Real>;

  Spectra(const Context& ctx, const Shape& x, Index unknowns)
      : image_(x.tail()),
        frames_(x[0]),
        images_(unknowns / image_.size()),
        plan_(make_fft_plan<Real>(ctx, image_)),
        factors_(ctx, {unknowns}),
        inverse_factors_(ctx, {unknowns}) {}

  /// Whether H has a response in each frame.
  bool take(const Context& ctx, const NormalFunction<Real>& H, const std::vector<DualTerm<Real>>& terms) {
    std::vector<Index> all_frames;
    for (Index f = 0; f < frames_; ++f) all_frames.push_back(f);
    of_H_ = spectra_of(ctx, all_frames,
                       [&](ArrayRef<const Complex> point, ArrayRef<Complex> response) { H(ctx, point, response); });
    std::fill(of_H_.begin() + frames_ * image_.size(), of_H_.end(), 0.0);
    largest_ = 0;
    for (Index f = 0; f < frames_; ++f) {
      const auto first = of_H_.begin() + f * image_.size();
      const double most = *std::max_element(first, first + image_.size());
      if (!(most > 0)) return false;
      largest_ = std::max(largest_, most);
    }
    of_terms_.assign(of_H_.size(), 0.0);
    for (Index series = 0; series < images_ / frames_; ++series) {
      const Index middle = series * frames_ + frames_ / 2;
      const auto found = spectra_of(ctx, {middle}, [&](ArrayRef<const Complex> point, ArrayRef<Complex> response) {
        fill<Complex>(ctx, response, 0);
        for (const DualTerm<Real>& term : terms) term.add_normal(ctx, 1, point, response);
      });
      const auto from = found.begin() + middle * image_.size();
      for (Index f = 0; f < frames_; ++f) {
        std::copy_n(from, image_.size(), of_terms_.begin() + (series * frames_ + f) * image_.size());
      }
    }
    return true;
  }

  void set(const Context& ctx, double rho) {
    const auto points = static_cast<double>(image_.size());
    Array<Real> factors(ctx.host(), factors_.shape());
    Array<Real> inverse(ctx.host(), factors_.shape());
    const double floor = least * std::max(largest_, rho);
    for (std::size_t i = 0; i < of_H_.size(); ++i) {
      const double root = std::sqrt(std::max(of_H_[i] + rho * of_terms_[i], floor));
      factors.span()[i] = static_cast<Real>(1 / (root * points));
      inverse.span()[i] = static_cast<Real>(root / points);
    }
    copy<Real>(ctx, factors, factors_);
    copy<Real>(ctx, inverse, inverse_factors_);
    ctx.synchronize();
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

  // The spectra, frequency 0 first, of what `respond` makes of the middle pixel of some images; of the others nothing.
  template <class Respond>
  std::vector<double> spectra_of(const Context& ctx, const std::vector<Index>& images, const Respond& respond) const {
    Index middle = 0;
    for (const Index n : image_) middle = middle * n + n / 2;
    Array<Complex> point = zeros<Complex>(ctx.host(), factors_.shape());
    for (const Index i : images) point.data()[i * image_.size() + middle] = 1;
    const Array<Complex> there = clone<Complex>(ctx, point.ref());
    Array<Complex> response(ctx, factors_.shape());
    respond(there, response);
    Array<Complex> here = to_host<Complex>(ctx, response.ref());
    std::vector<double> spectra(static_cast<std::size_t>(factors_.size()), 0.0);
    for (const Index i : images) {
      const ArrayRef<Complex> one(here.data() + i * image_.size(), image_, here.device());
      centered_fft<Real>(ctx.host(), FftDirection::forward, one, image_.rank());
      // The centered transform is unitary and begins with the lowest frequency.
      const double scale = std::sqrt(static_cast<double>(image_.size()));
      for (Index r = 0; r < image_.size(); ++r) {
        spectra[static_cast<std::size_t>(i * image_.size() + place_from_zero(r))] = scale * one.data()[r].real();
      }
    }
    return spectra;
  }

  // Where the frequency at r of a centered spectrum is in one that begins with frequency 0.
  Index place_from_zero(Index r) const {
    Index place = 0;
    Index stride = 1;
    for (int axis = 1; axis <= image_.rank(); ++axis) {
      const Index n = image_[-axis];
      place += (r % n + n - n / 2) % n * stride;
      r /= n;
      stride *= n;
    }
    return place;
  }

  Shape image_;
  Index frames_;
  Index images_;
  std::shared_ptr<const FftPlan<Real>> plan_;
  std::vector<double> of_H_;
  std::vector<double> of_terms_;  // sum_t W_t^H W_t
  double largest_ = 0;            // of H
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
