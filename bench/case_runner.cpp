#include "bench/case_runner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/position_dft.hpp"

namespace whorl::bench {

namespace {

// The transform of Dft by PositionDft: the pixels are positions, counted from the center, x first.
class PixelsAsPositions final : public LinearOperator<float> {
 public:
  PixelsAsPositions(const Context& ctx, ArrayRef<const double> points, const Shape& image, Index coils)
      : LinearOperator<float>(image.with_front(coils), {coils, points.extent(0)}),
        dft_(ctx, points, positions_of(ctx.host(), image), coils),
        scale_(1 / std::sqrt(static_cast<double>(image.size()))) {}

 private:
  static Array<double> positions_of(const Context& ctx, const Shape& image) {
    Array<double> positions(ctx, {image.size(), image.rank()});
    for (Index pixel = 0; pixel < image.size(); ++pixel) {
      Index rest = pixel;
      for (int axis = 0; axis < image.rank(); ++axis) {
        const Index extent = image[image.rank() - 1 - axis];
        const Index center = extent / 2;
        positions.view<2>()(pixel, axis) = static_cast<double>(rest % extent - center);
        rest /= extent;
      }
    }
    return positions;
  }

  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    dft_.forward(ctx, x.reshape(dft_.domain()), y);
    axpby<float>(ctx, scale_, y, 0, y);
  }

  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    dft_.adjoint(ctx, y, x.reshape(dft_.domain()));
    axpby<float>(ctx, scale_, x, 0, x);
  }

  PositionDft<float> dft_;
  double scale_;
};

}  // namespace

double Measurement::samples_per_s() const { return static_cast<double>(samples * what.coils) / (1e-3 * median_ms); }

double Measurement::pairs_per_s() const { return samples_per_s() * static_cast<double>(what.problem->image.size()); }

void CaseRunner::make_operator() {
  const Shape& image = case_.problem->image;
  operator_.reset();  // two plans at once would be a peak that no user sees
  switch (case_.transform) {
    case Transform::nufft:
      operator_ = std::make_unique<Nufft<float>>(
          ctx_, trajectory_.points, image, case_.coils,
          NufftOptions{.tolerance = case_.tolerance,
                       .normal = case_.direction == Direction::normal ? NormalMethod::automatic : NormalMethod::pair,
                       .accuracy = case_.accuracy});
      break;
    case Transform::dft:
      operator_ = std::make_unique<Dft<float>>(ctx_, trajectory_.points, image, case_.coils,
                                               DftOptions{.tolerance = case_.tolerance});
      break;
    case Transform::position_dft:
      operator_ = std::make_unique<PixelsAsPositions>(ctx_, trajectory_.points, image, case_.coils);
      break;
  }
}

void CaseRunner::make_exact() {
  switch (case_.direction) {
    case Direction::forward:
      exact_ = exact_forward(host_, trajectory_.points, image_);
      break;
    case Direction::adjoint:
      exact_ = exact_adjoint(host_, trajectory_.points, data_, case_.problem->image);
      break;
    case Direction::normal:
      exact_ = exact_normal(host_, trajectory_.points, image_);
      break;
  }
}

void CaseRunner::prepare(const Case& what) {
  case_ = what;
  const std::string problem = fmt::format("{} {}", what.problem->name, to_string(what.problem->image));
  if (problem_ != problem) {
    operator_.reset();
    operator_name_.clear();
    ctx_.pool().trim();
    trajectory_ = what.problem->make_trajectory(host_);
    problem_ = problem;
  }
  const std::string inputs = fmt::format("{}, {} coils", problem, what.coils);
  if (input_name_ != inputs) {
    image_ = Array<Complex>(host_, what.problem->image.with_front(what.coils));
    data_ = Array<Complex>(host_, {what.coils, trajectory_.samples()});
    fill_random_normal<float>(ctx_.host(), image_, 1);
    fill_random_normal<float>(ctx_.host(), data_, 2);
    device_image_ = clone<Complex>(ctx_, image_);
    device_data_ = clone<Complex>(ctx_, data_);
    input_name_ = inputs;
  }
  // What a plan holds for the normal operator would only take memory from the other two directions.
  const std::string operator_name =
      fmt::format("{}, {}, {}, {}, {}", inputs, to_string(what.transform), what.tolerance,
                  static_cast<int>(what.accuracy), what.direction == Direction::normal ? "normal" : "one way");
  if (operator_name_ != operator_name) {
    operator_name_.clear();
    make_operator();
    operator_name_ = operator_name;
  }
  const Shape& shape = what.direction == Direction::forward ? operator_->range() : operator_->domain();
  if (result_.shape() != shape) result_ = Array<Complex>(ctx_, shape);
  const std::string exact_name = fmt::format("{}, {}", inputs, to_string(what.direction));
  if (exact_name_ != exact_name) {
    exact_name_.clear();
    make_exact();
    exact_name_ = exact_name;
  }
}

void CaseRunner::apply() {
  switch (case_.direction) {
    case Direction::forward:
      operator_->forward(ctx_, device_image_, result_);
      break;
    case Direction::adjoint:
      operator_->adjoint(ctx_, device_data_, result_);
      break;
    case Direction::normal:
      operator_->normal(ctx_, device_image_, result_);
      break;
  }
}

double CaseRunner::error() const { return relative_error(to_host<const Complex>(ctx_, result_), exact_); }

ArrayRef<const std::complex<float>> CaseRunner::input() const {
  return case_.direction == Direction::adjoint ? data_.ref() : image_.ref();
}

Measurement CaseRunner::measure(const Case& what, Effort effort) {
  prepare(what);
  const Timing timing = time_work(ctx_, effort, [this] { apply(); });
  return {what, trajectory_.samples(), timing.repetitions, timing.median_ms, error()};
}

}  // namespace whorl::bench
