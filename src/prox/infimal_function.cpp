#include "whorl/prox/infimal_function.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "kernels/penalties/shrink.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

void check_above_zero(const std::string& name, const char* what, double value) {
  if (!(value > 0)) throw ValueError(fmt::format("{}: a {} of {}, expected more than 0", name, what, value));
}

void check_shape(const std::string& name, const char* what, const Shape& found, const Shape& expected) {
  if (found == expected) return;
  throw ShapeError(fmt::format("{}: {} of shape {}, expected {}", name, what, to_string(found), to_string(expected)));
}

// In lines of the last axis, so that threads share them.
kernels::Groups groups_of_part(const Shape& image, Index images) {
  return {1, images, {1, image.size() / image[-1], image[-1]}};
}

}  // namespace

template <class Real>
InfimalFunction<Real>::InfimalFunction(std::string name, Shape domain, Index auxiliary, std::vector<Part> parts,
                                       double norm)
    : name_(std::move(name)),
      domain_(std::move(domain)),
      auxiliary_(auxiliary > 0 ? domain_.with_front(auxiliary) : Shape{0}),
      range_(domain_.with_front(std::accumulate(parts.begin(), parts.end(), Index{0},
                                                [](Index sum, const Part& part) { return sum + part.images; }))),
      parts_(std::move(parts)),
      norm_(norm) {
  for (const Part& part : parts_) check_above_zero(name_, "weight", part.radius);
}

template <class Real>
void InfimalFunction<Real>::check(ArrayRef<const Complex> x, ArrayRef<const Complex> w) const {
  check_shape(name_, "x", x.shape(), domain_);
  check_shape(name_, "w", w.shape(), auxiliary_);
}

template <class Real>
void InfimalFunction<Real>::check(ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                                  ArrayRef<const Complex> y) const {
  check(x, w);
  check_shape(name_, "y", y.shape(), range_);
}

template <class Real>
double InfimalFunction<Real>::value(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w) const {
  Array<Complex> y(ctx, range_);
  check(x, w, y);
  do_forward(ctx, x, w, y);
  double sum = 0;
  Index first = 0;
  for (const Part& part : parts_) {
    const Complex* of_part = y.data() + first * domain_.size();
    sum += part.radius *
           (part.function != nullptr
                ? part.function->value(ctx, ArrayRef<const Complex>(of_part, part.function->domain(), y.device()))
                : kernels::sum_of_norms<Real>(ctx, groups_of_part(domain_, part.images), of_part));
    first += part.images;
  }
  return sum;
}

template <class Real>
DualStepSums InfimalFunction<Real>::dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x,
                                              ArrayRef<const Complex> w, ArrayRef<Complex> y) const {
  check(x, w, y);
  check_above_zero(name_, "step", sigma);
  return do_dual_step(ctx, sigma, x, w, y);
}

template <class Real>
DualStepSums InfimalFunction<Real>::do_dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x,
                                                 ArrayRef<const Complex> w, ArrayRef<Complex> y) const {
  Array<Complex> step(ctx, range_);
  do_forward(ctx, x, w, step);
  DualStepSums all;
  Index first = 0;
  for (const Part& part : parts_) {
    const Index start = first * domain_.size();
    first += part.images;
    if (part.function != nullptr) {
      const Shape& shape = part.function->domain();
      const DualStepSums sums =
          part.function->dual_step(ctx, sigma, ArrayRef<const Complex>(step.data() + start, shape, step.device()),
                                   ArrayRef<Complex>(y.data() + start, shape, y.device()), part.radius, 0);
      all.value += sums.value;
      all.change += sums.change;
      continue;
    }
    const kernels::DualSums sums = kernels::groups_dual_step<Real>(ctx, groups_of_part(domain_, part.images), sigma,
                                                                   part.radius, step.data() + start, y.data() + start);
    all.value += part.radius * sums.value;
    all.change += sums.change;
  }
  return all;
}

template <class Real>
void InfimalFunction<Real>::add_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                                        ArrayRef<Complex> sum_w) const {
  check(sum_x, sum_w, y);
  do_add_adjoint(ctx, 1, y, sum_x, sum_w);
}

template <class Real>
void InfimalFunction<Real>::add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x,
                                       ArrayRef<const Complex> w, ArrayRef<Complex> sum_x,
                                       ArrayRef<Complex> sum_w) const {
  check_above_zero(name_, "factor", factor);
  check(x, w);
  check(sum_x, sum_w);
  do_add_normal(ctx, factor, x, w, sum_x, sum_w);
}

template <class Real>
void InfimalFunction<Real>::do_add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x,
                                          ArrayRef<const Complex> w, ArrayRef<Complex> sum_x,
                                          ArrayRef<Complex> sum_w) const {
  Array<Complex> y(ctx, range_);
  do_forward(ctx, x, w, y);
  do_add_adjoint(ctx, factor, y, sum_x, sum_w);
}

template class InfimalFunction<float>;
template class InfimalFunction<double>;

}  // namespace whorl
