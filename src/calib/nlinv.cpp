#include "whorl/calib/nlinv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "calib/joint_model.hpp"
#include "kernels/modulate.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/core/progress.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

namespace {

// Root mean square of the images of the coils after scaling: that of data of norm 100 on 256 x 256 voxels, which the
// papers' alpha is for.
constexpr double scaled_voxel = 100.0 / 256;

SmoothMapOptions map_options(const NlinvOptions& options) {
  return {.smoothness = options.smoothness, .order = options.order, .period = options.period};
}

Shape checked_image(const Shape& image, Index coils, const NlinvOptions& options) {
  check_options(options);
  if (image.rank() < 2 || image.rank() > 3 || image.size() == 0) {
    throw ShapeError(fmt::format("nlinv: an image of shape {}, expected [y, x] or [z, y, x]", to_string(image)));
  }
  if (coils < 1) throw ShapeError(fmt::format("nlinv: {} coils, expected one or more", coils));
  return image;
}

}  // namespace

template <class Real>
class Nlinv<Real>::Solver {
 public:
  Solver(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options)
      : options_(options),
        image_(checked_image(image, coils, options)),
        model_(ctx, image, coils, options.sets, map_options(options)),
        x_(ctx, {model_.unknowns()}) {
    start_anew(ctx);
  }

  NlinvReport solve(const Context& ctx, const LinearOperator<Real>& transform, ArrayRef<const Complex> data) {
    check_transform(transform, data);
    const OnDevice<Complex> here(ctx, data);
    // P^H P is scaled by this, to a mean eigenvalue of 1.
    const double unit = static_cast<double>(model_.voxels()) / static_cast<double>(data.extent(1));
    Array<Complex> gridded(ctx, transform.domain());
    transform.adjoint(ctx, here.get(), gridded);
    if (scale_ == 0) find_scale(ctx, transform, gridded);
    axpby<Real>(ctx, 0, gridded, unit * scale_, gridded);
    const double energy = unit * std::pow(scale_ * norm<Real>(ctx, here.get()), 2);
    if (!std::isfinite(energy)) throw ValueError("nlinv: the data hold values that are not finite");

    Array<Complex> reference = zeros<Complex>(ctx, x_.shape());
    if (frames_ > 0 && options_.damping > 0) axpby<Real>(ctx, options_.damping, x_, 0, reference);
    if (frames_ > 0 && options_.damping == 0) start_anew(ctx);
    NlinvReport report;
    ProgressStage stage(ctx, "nlinv", options_.steps);
    double alpha = options_.alpha;
    for (int n = 0; n < options_.steps; ++n, alpha /= options_.reduction) {
      report.steps.push_back(step(ctx, transform, unit, gridded, energy, reference, alpha));
      stage.advance(1, fmt::format("misfit {:.3g}", report.steps.back().misfit));
    }
    Array<Complex> residual = std::move(gridded);
    report.misfit = find_residual(ctx, transform, unit, energy, residual);
    ++frames_;
    return report;
  }

  Array<Complex> image(const Context& ctx) const {
    Array<Complex> result(ctx, image_);
    if (options_.sets == 1) {
      write_set(ctx, 0, result.ref().reshape({model_.voxels()}));
      return result;
    }
    Array<Complex> of_coils(ctx, image_.with_front(model_.coils()));
    model_.value(ctx, of_coils);
    to_complex<Real>(ctx, root_sum_of_squares<Real>(ctx, of_coils), result);
    axpby<Real>(ctx, 0, result, 1 / checked_scale(), result);
    return result;
  }

  Array<Complex> set_images(const Context& ctx) const {
    Array<Complex> result(ctx, image_.with_front(options_.sets));
    for (Index m = 0; m < options_.sets; ++m) write_set(ctx, m, result.slice(m).reshape({model_.voxels()}));
    return result;
  }

  Array<Complex> maps(const Context& ctx) const {
    Array<Complex> result(ctx, image_.with_front(model_.coils()).with_front(options_.sets));
    for (Index m = 0; m < options_.sets; ++m) {
      const Array<Complex> unit = unit_maps<Real>(ctx, model_.maps().slice(m));
      copy<Complex>(ctx, unit.ref().reshape(result.slice(m).shape()), result.slice(m));
    }
    return result;
  }

 private:
  void start_anew(const Context& ctx) {
    fill<Complex>(ctx, x_, 0);
    fill<Complex>(ctx, model_.images_of(x_), 1);
  }

  void check_transform(const LinearOperator<Real>& transform, ArrayRef<const Complex> data) const {
    const Shape expected = image_.with_front(model_.coils());
    if (transform.domain() != expected) {
      throw ShapeError(fmt::format("nlinv: the transform {} takes images of shape {}, expected [coil, (z,) y, x] = {}",
                                   transform.name(), to_string(transform.domain()), to_string(expected)));
    }
    if (data.shape() != transform.range() || data.rank() != 2 || data.size() == 0) {
      throw ShapeError(fmt::format("nlinv: data of shape {}, expected [coil, sample] = {}", to_string(data.shape()),
                                   to_string(transform.range())));
    }
  }

  // One step of steepest descent from 0 has the size of the images: s b with s = |b|^2 / b^H P^H P b.
  void find_scale(const Context& ctx, const LinearOperator<Real>& transform, ArrayRef<const Complex> gridded) {
    Array<Complex> seen(ctx, gridded.shape());
    transform.normal(ctx, gridded, seen);
    const double square = std::pow(norm<Real>(ctx, gridded), 2);
    const double seen_square = dot<Real>(ctx, gridded, seen).real();
    if (square == 0) throw ValueError("nlinv: all data are zero");
    const double size = std::sqrt(square) * square / seen_square;
    if (!std::isfinite(size) || !(size > 0)) throw ValueError("nlinv: the data hold values that are not finite");
    scale_ = scaled_voxel * std::sqrt(static_cast<double>(model_.voxels())) / size;
  }

  double checked_scale() const {
    if (scale_ == 0) throw ValueError("nlinv: no frame was solved yet");
    return scale_;
  }

  // right holds P^H y, and is left with P^H (y - P G(x)) at the present x; the misfit of that.
  double find_residual(const Context& ctx, const LinearOperator<Real>& transform, double unit, double energy,
                       Array<Complex>& right) {
    model_.linearize(ctx, x_);
    Array<Complex> images(ctx, right.shape());
    model_.value(ctx, images);
    Array<Complex> seen(ctx, right.shape());
    transform.normal(ctx, images, seen);
    const double square =
        energy - 2 * dot<Real>(ctx, images, right).real() + unit * dot<Real>(ctx, images, seen).real();
    axpby<Real>(ctx, -unit, seen, 1, right);
    if (!std::isfinite(square)) throw ValueError("nlinv: a step gave values that are not finite; take a larger alpha");
    return std::sqrt(std::max(0.0, square) / energy);
  }

  NlinvStep step(const Context& ctx, const LinearOperator<Real>& transform, double unit,
                 ArrayRef<const Complex> gridded, double energy, ArrayRef<const Complex> reference, double alpha) {
    Array<Complex> images = clone<Complex>(ctx, gridded);
    NlinvStep made{.alpha = alpha, .misfit = find_residual(ctx, transform, unit, energy, images)};
    Array<Complex> right(ctx, x_.shape());
    model_.adjoint(ctx, images, right);
    axpby<Real>(ctx, alpha, reference, 1, right);
    axpby<Real>(ctx, -alpha, x_, 1, right);
    Array<Complex> seen(ctx, images.shape());
    const auto normal = [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
      model_.derivative(c, x, images);
      transform.normal(c, images, seen);
      model_.adjoint(c, seen, z);
      axpby<Real>(c, alpha, x, unit, z);
    };
    Array<Complex> dx = zeros<Complex>(ctx, x_.shape());
    const SolverReport report = conjugate_gradient<Real>(
        ctx, normal, right, dx, {.iterations = options_.iterations, .tolerance = options_.tolerance});
    made.iterations = report.iterations;
    axpby<Real>(ctx, 1, dx, 1, x_);
    make_orthogonal(ctx);
    return made;
  }

  // Modified Gram-Schmidt, without scaling.
  void make_orthogonal(const Context& ctx) {
    for (Index m = 1; m < options_.sets; ++m) {
      const ArrayRef<Complex> of_set = model_.coefficients_of(x_, m);
      for (Index n = 0; n < m; ++n) {
        const ArrayRef<Complex> before = model_.coefficients_of(x_, n);
        const double square = dot<Real>(ctx, before, before).real();
        if (square == 0) continue;
        axpby<Real>(ctx, -dot<Real>(ctx, before, of_set) / square, before, 1, of_set);
      }
    }
  }

  void write_set(const Context& ctx, Index set, ArrayRef<Complex> image) const {
    const Array<Real> root = root_sum_of_squares<Real>(ctx, model_.maps().slice(set));
    to_complex<Real>(ctx, root, image);
    kernels::modulate<Real>(ctx, kernels::Factor::plain, 1, model_.voxels(), model_.images().slice(set).data(),
                            image.data(), image.data());
    axpby<Real>(ctx, 0, image, 1 / checked_scale(), image);
  }

  NlinvOptions options_;
  Shape image_;
  JointModel<Real> model_;
  Array<Complex> x_;
  double scale_ = 0;  // of the data; 0: no frame yet
  int frames_ = 0;
};

template <class Real>
Nlinv<Real>::Nlinv(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options)
    : solver_(std::make_unique<Solver>(ctx, image, coils, options)) {}
template <class Real>
Nlinv<Real>::Nlinv(Nlinv&&) noexcept = default;
template <class Real>
Nlinv<Real>::~Nlinv() = default;

template <class Real>
NlinvReport Nlinv<Real>::solve(const Context& ctx, const LinearOperator<Real>& transform,
                               ArrayRef<const Complex> data) {
  return solver_->solve(ctx, transform, data);
}
template <class Real>
Array<std::complex<Real>> Nlinv<Real>::image(const Context& ctx) const {
  return solver_->image(ctx);
}
template <class Real>
Array<std::complex<Real>> Nlinv<Real>::set_images(const Context& ctx) const {
  return solver_->set_images(ctx);
}
template <class Real>
Array<std::complex<Real>> Nlinv<Real>::maps(const Context& ctx) const {
  return solver_->maps(ctx);
}

template <class Real>
Index nlinv_memory(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options,
                   const NufftMemory& transform) {
  const JointModelMemory model = joint_model_memory<Real>(ctx, image, coils, options.sets, map_options(options));
  const auto bytes = static_cast<Index>(sizeof(std::complex<Real>));
  const Index x = model.unknowns * bytes;
  const Index images = coils * image.size() * bytes;
  const Index gridding = x + images + transform.adjoint;
  // x and its reference; the data gridded, the residual, and G(x) before and after P^H P.
  const Index residual = 2 * x + 4 * images + transform.normal;
  // Also right-hand side and solution, and residual, direction and its image of conjugate gradient.
  const Index solving = 7 * x + 3 * images + std::max(transform.normal, model.scratch);
  return model.kept + std::max({gridding, residual, solving});
}

template class Nlinv<float>;
template class Nlinv<double>;
template Index nlinv_memory<float>(const Context&, const Shape&, Index, const NlinvOptions&, const NufftMemory&);
template Index nlinv_memory<double>(const Context&, const Shape&, Index, const NlinvOptions&, const NufftMemory&);

}  // namespace whorl
