// A function of the caller's as a term of a reconstruction.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "recon/regularizers/term.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

// The shape without axes of length 1, by which [y, x] is [1, y, x].
Shape compact(const Shape& shape) {
  std::vector<Index> extents;
  for (const Index extent : shape) {
    if (extent != 1) extents.push_back(extent);
  }
  return Shape(std::move(extents));
}

// u^2 g(x / u), of each frame of a series by itself where g is a function of one image. With prox_{t g} it has
// prox(x) = u prox_{t g}(x / u).
class OwnTerm final : public ProximalFunction<float> {
 public:
  // series [frame, z, y, x]; u above 0. Throws ShapeError where g is neither of the series nor of an image.
  OwnTerm(const Shape& series, std::shared_ptr<const ProximalFunction<float>> g, double u);

 private:
  using Complex = std::complex<float>;

  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;

  std::shared_ptr<const ProximalFunction<float>> g_;
  double unit_;
};

OwnTerm::OwnTerm(const Shape& series, std::shared_ptr<const ProximalFunction<float>> g, double u)
    : ProximalFunction<float>(series, g->name()), g_(std::move(g)), unit_(u > 0 ? u : 1) {
  const Shape image = series.tail();
  const Shape own = compact(g_->domain());
  if (own == compact(g_->domain().size() == series.size() ? series : image)) return;
  throw ShapeError(fmt::format("regularizer '{}': a function of arrays {}, expected the image {} or the series {}",
                               g_->name(), to_string(g_->domain()), to_string(image), to_string(series)));
}

double OwnTerm::do_value(const Context& ctx, ArrayRef<const Complex> x) const {
  const Index elements = g_->domain().size();
  Array<Complex> scaled(ctx, {elements});
  double sum = 0;
  for (Index start = 0; start < x.size(); start += elements) {
    const ArrayRef<const Complex> one(x.data() + start, {elements}, x.device());
    axpby<float>(ctx, 1 / unit_, one, 0, scaled);
    sum += g_->value(ctx, std::as_const(scaled).ref().reshape(g_->domain()));
  }
  return unit_ * unit_ * sum;
}

void OwnTerm::do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  const Index elements = g_->domain().size();
  axpby<float>(ctx, 1 / unit_, x, 0, x);
  for (Index start = 0; start < x.size(); start += elements) {
    g_->prox(ctx, step, ArrayRef<Complex>(x.data() + start, g_->domain(), x.device()), pass);
  }
  axpby<float>(ctx, unit_, x, 0, x);
}

ProximalPenalty<float> make_own(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const OwnTerm>(series, what.function, unit), what.weight};
}

ProximalPenalty<double> refuse_double(const Shape& /*series*/, const Regularizer& what, double /*unit*/) {
  throw Unsupported("regularizer '" + to_text(what) + "': a function of float for images of double");
}

}  // namespace

extern const RegularizerTerm own_term{
    .kind = RegularizerKind::own,
    .word = nullptr,
    .options = {{{"weight"}}},
    .spans_frames = [](const Regularizer& what) { return what.function->domain().rank() > 3; },
    .threshold = [](const Regularizer& /*what*/, const Shape& /*series*/) { return 1.0; },
    .arrays = [](const Regularizer& /*what*/, Index /*image_axes*/) { return TermArrays{}; },
    .make = make_own,
    .make_double = refuse_double};

}  // namespace whorl::recon
