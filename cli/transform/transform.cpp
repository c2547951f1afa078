#include "cli/transform/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/value_range.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/operator.hpp"

namespace whorl::cli {

namespace {

// The operator of the trajectory used last: frames that share one come one after another in nearly all scans.
template <class Real>
class Operators {
 public:
  Operators(const Scan& scan, Index coils, const TransformOptions& options)
      : scan_(scan), coils_(coils), options_(options) {}

  Operator<Real> of(const Context& ctx, const ScanFrame& frame) {
    if (planned_ == frame.trajectory) return operator_;
    if (frame.trajectory->dim() != scan_.dim()) {
      throw ShapeError(fmt::format("{}: a trajectory of {} dimensions for an image of {}", scan_.source,
                                   frame.trajectory->dim(), to_string(scan_.image_shape())));
    }
    const ArrayRef<const double> points = frame.trajectory->points;
    if (options_.kind == TransformKind::dft) {
      operator_ = std::make_shared<const Dft<Real>>(ctx, points, scan_.image_shape(), coils_, options_.dft);
    } else {
      operator_ = std::make_shared<const Nufft<Real>>(ctx, points, scan_.image_shape(), coils_, options_.nufft);
    }
    planned_ = frame.trajectory;
    eigenvalue_ = 0;
    return operator_;
  }

  /// Largest eigenvalue of the normal operator of the trajectory used last. Coils do not mix, so that all have the same.
  double eigenvalue(const Context& ctx) {
    if (eigenvalue_ == 0) eigenvalue_ = normal_eigenvalue<Real>(ctx, *operator_);
    return eigenvalue_;
  }

 private:
  const Scan& scan_;
  Index coils_;
  const TransformOptions& options_;
  std::shared_ptr<const Trajectory> planned_;
  Operator<Real> operator_;
  double eigenvalue_ = 0;
};

// Images of all frames, and the place of each.
template <class Real>
class Images {
 public:
  using Complex = std::complex<Real>;

  Images(const Context& ctx, const Scan& scan, Index coils)
      : images(ctx, {static_cast<Index>(scan.frames.size()), coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]}),
        frame_shape_(scan.image_shape().with_front(coils)) {}

  ArrayRef<Complex> frame(std::size_t f) { return images.slice(static_cast<Index>(f)).reshape(frame_shape_); }

  Array<Complex> images;

 private:
  Shape frame_shape_;
};

// An input near 1: where it is not, a copy times a power of two, which its transform is multiplied by again.
template <class Real>
class NearOne {
 public:
  using Complex = std::complex<Real>;

  NearOne(const Context& host, ArrayRef<const Complex> given) : values_(given) {
    exponent_ = exponent_far_from_one<Real>(largest_part<Real>(host, given));
    if (exponent_ == 0) return;
    copy_ = clone(host, given);
    multiply_by_power_of_two<Real>(host, -exponent_, copy_);
    values_ = copy_.ref();
  }

  ArrayRef<const Complex> values() const { return values_; }
  /// What the values have to be multiplied by.
  double unit() const { return std::ldexp(1.0, exponent_); }

  /// Throws ValueError if the result does not fit the type.
  void restore(const Context& host, const char* what, ArrayRef<Complex> result) const {
    check_range<Real>(what, largest_part<Real>(host, result), exponent_);
    multiply_by_power_of_two<Real>(host, exponent_, result);
  }

 private:
  int exponent_ = 0;
  Array<Complex> copy_;
  ArrayRef<const Complex> values_;
};

void check_frames(const Scan& scan, std::size_t frames) {
  if (scan.frames.empty()) throw ValueError(scan.source + ": holds no frames");
  if (frames != scan.frames.size()) {
    throw ShapeError(
        fmt::format("{}: {} frames of samples for {} of trajectories", scan.source, frames, scan.frames.size()));
  }
}

std::string title_of(const char* what, std::size_t frame, std::size_t frames) {
  return frames > 1 ? fmt::format("{}, frame {} of {}", what, frame + 1, frames) : what;
}

}  // namespace

template <class Real>
std::vector<Array<std::complex<Real>>> transform_forward(const Context& ctx, ArrayRef<const std::complex<Real>> images,
                                                         const Scan& trajectories, const TransformOptions& options) {
  if (trajectories.frames.empty()) throw ValueError(trajectories.source + ": holds no trajectory");
  const auto along = static_cast<Index>(trajectories.frames.size());
  const Index given = images.extent(0);
  if (along != given && along != 1 && given != 1) {
    throw ShapeError(fmt::format("{}: {} frames of images for {} of trajectories; expected as many, or one of either",
                                 trajectories.source, given, along));
  }
  const Index coils = images.extent(1);
  Operators<Real> operators(trajectories, coils, options);
  std::vector<Array<std::complex<Real>>> samples;
  const Index count = std::max(along, given);
  ProgressStage stage(ctx, "forward transform", count);
  for (Index f = 0; f < count; ++f) {
    const Operator<Real> op = operators.of(ctx, trajectories.frames[static_cast<std::size_t>(along == 1 ? 0 : f)]);
    samples.emplace_back(ctx.host(), op->range());
    const NearOne<Real> image(ctx.host(), images.slice(given == 1 ? 0 : f).reshape(op->domain()));
    const OnDevice<std::complex<Real>> x(ctx, image.values());
    ForDevice<std::complex<Real>> y(ctx, samples.back().ref());
    op->forward(ctx, x.get(), y.get());
    y.deliver();
    image.restore(ctx.host(), "forward transform: the result", samples.back());
    stage.advance();
  }
  return samples;
}

template <class Real>
Array<std::complex<Real>> transform_adjoint(const Context& ctx, const Scan& scan,
                                            const std::vector<Array<std::complex<Real>>>& samples,
                                            const TransformOptions& options) {
  using Complex = std::complex<Real>;
  check_frames(scan, samples.size());
  const Index coils = samples.front().extent(0);
  Operators<Real> operators(scan, coils, options);
  Images<Real> result(ctx.host(), scan, coils);
  ProgressStage stage(ctx, "adjoint transform", static_cast<Index>(samples.size()));
  for (std::size_t f = 0; f < samples.size(); ++f) {
    const ScanFrame& frame = scan.frames[f];
    const Operator<Real> op = operators.of(ctx, frame);
    const NearOne<Real> data(ctx.host(), samples[f]);
    const OnDevice<Complex> y(ctx, data.values());
    ForDevice<Complex> x(ctx, result.frame(f));
    if (options.weighted) {
      if (frame.weights == nullptr) {
        throw ValueError(
            fmt::format("{}: no density weights for frame {}; make some with whorl density", scan.source, f));
      }
      Array<Real> weights(ctx.host(), frame.weights->shape());
      std::copy(frame.weights->span().begin(), frame.weights->span().end(), weights.span().begin());
      Array<Complex> weighted(ctx, samples[f].shape());
      multiply_weights<Real>(ctx, OnDevice<Real>(ctx, weights).get(), y.get(), weighted);
      op->adjoint(ctx, weighted, x.get());
    } else {
      op->adjoint(ctx, y.get(), x.get());
    }
    x.deliver();
    data.restore(ctx.host(), "adjoint transform: the image", result.frame(f));
    stage.advance();
  }
  return std::move(result.images);
}

template <class Real>
LeastSquaresImages<Real> transform_inverse(const Context& ctx, const Scan& scan,
                                           const std::vector<Array<std::complex<Real>>>& samples,
                                           const TransformOptions& options) {
  check_frames(scan, samples.size());
  const Index coils = samples.front().extent(0);
  TransformOptions iterated = options;
  iterated.nufft.normal = NormalMethod::automatic;
  Operators<Real> operators(scan, coils, iterated);
  Images<Real> result(ctx.host(), scan, coils);
  LeastSquaresImages<Real> found;
  LeastSquaresOptions solver = options.solver;
  for (std::size_t f = 0; f < samples.size(); ++f) {
    const Operator<Real> op = operators.of(ctx, scan.frames[f]);
    // The unit of lambda alone depends on it.
    const bool unit = options.solver.lambda == 0 && !options.lambda_search;
    const RegularizedModel<Real> model{op, unit ? 1 : operators.eigenvalue(ctx)};
    const NearOne<Real> data(ctx.host(), samples[f]);
    const OnDevice<std::complex<Real>> y(ctx, data.values());
    if (options.lambda_search && !found.lambda) {
      found.lambda = choose_lambda<Real>(ctx, model, y.get(), *options.lambda_search, data.unit());
      solver.lambda = found.lambda->lambda;
    }
    ForDevice<std::complex<Real>> x(ctx, result.frame(f));
    found.reports.push_back(
        least_squares<Real>(ctx, title_of("least squares", f, samples.size()), model, y.get(), solver, x.get()));
    x.deliver();
    data.restore(ctx.host(), "least squares: the image", result.frame(f));
  }
  found.images = std::move(result.images);
  return found;
}

#define WHORL_INSTANTIATE(Real)                                                                             \
  template std::vector<Array<std::complex<Real>>> transform_forward<Real>(                                  \
      const Context&, ArrayRef<const std::complex<Real>>, const Scan&, const TransformOptions&);            \
  template Array<std::complex<Real>> transform_adjoint<Real>(                                               \
      const Context&, const Scan&, const std::vector<Array<std::complex<Real>>>&, const TransformOptions&); \
  template LeastSquaresImages<Real> transform_inverse<Real>(                                                \
      const Context&, const Scan&, const std::vector<Array<std::complex<Real>>>&, const TransformOptions&)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::cli
