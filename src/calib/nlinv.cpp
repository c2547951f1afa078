#include "whorl/calib/nlinv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calib/joint_model.hpp"
#include "calib/nlinv_tiles.hpp"
#include "calib/nlinv_weight.hpp"
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

Shape checked_image(const Shape& image, Index coils, const NlinvOptions& options) {
  check_options(options);
  if (image.rank() < 2 || image.rank() > 3 || image.size() == 0) {
    throw ShapeError(fmt::format("nlinv: an image of shape {}, expected [y, x] or [z, y, x]", to_string(image)));
  }
  if (coils < 1) throw ShapeError(fmt::format("nlinv: {} coils, expected one or more", coils));
  return image;
}

Index checked_at_once(Index coils_at_once, Index coils) {
  return coils_at_once > 0 ? std::min(coils_at_once, coils) : coils;
}

// The real part of <x, y> coil by coil, so that it does not depend on how many are taken at a time.
template <class Real>
double product_of(const Context& ctx, ArrayRef<const std::complex<Real>> x, ArrayRef<const std::complex<Real>> y) {
  double product = 0;
  for (Index c = 0; c < x.extent(0); ++c) product += dot<Real>(ctx, x.slice(c), y.slice(c)).real();
  return product;
}

}  // namespace

template <class Real>
class Nlinv<Real>::Solver {
 public:
  Solver(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options,
         const detail::NlinvTiles<Real>& tiles)
      : options_(options),
        make_(tiles.make),
        support_(tiles.support),
        image_(checked_image(image, coils, options)),
        model_(ctx, image, coils, options.sets, detail::map_options(options),
               checked_at_once(tiles.coils_at_once, coils)),
        x_(ctx, {model_.unknowns()}) {
    start_anew(ctx);
  }

  NlinvReport solve(const Context& ctx, const LinearOperator<Real>& transform, ArrayRef<const Complex> data) {
    check_transform(transform, data);
    set_transforms(transform);
    // P^H P is scaled by this, to a mean eigenvalue of 1.
    const double unit = static_cast<double>(model_.voxels()) / static_cast<double>(data.extent(1));
    double energy = 0;
    Array<Complex> gridded = grid(ctx, data, energy);
    if (scale_ == 0) find_scale(ctx, gridded);
    axpby<Real>(there(ctx, gridded), 0, gridded, unit * scale_, gridded);
    energy *= unit * std::pow(scale_, 2);
    if (!std::isfinite(energy)) throw ValueError("nlinv: the data hold values that are not finite");

    const bool continues = frames_ > 0 && options_.damping > 0;
    if (frames_ > 0 && !continues) start_anew(ctx);
    Array<Complex> reference = zeros<Complex>(ctx, x_.shape());
    if (continues) axpby<Real>(ctx, options_.damping, x_, 0, reference);
    NlinvReport report;
    ProgressStage stage(ctx, "nlinv", options_.steps);
    detail::NlinvWeight weight(options_);
    Array<Complex> right(ctx, x_.shape());
    for (int n = 0;; ++n) {
      const double misfit = for_residual(ctx, unit, gridded, energy, right);
      const double image = std::pow(norm<Real>(ctx, model_.images_of(x_)), 2) / static_cast<double>(model_.voxels());
      const double left = misfit * misfit * energy / static_cast<double>(data.size());
      report.misfit = misfit;
      if (n == options_.steps || !weight.enter(left, image)) break;
      const double alpha = weight.value();
      // The first step finds maps for an image of 1. Pulled towards 0, it would find the image 0: maps that are 0 yet
      // leave all images alike.
      if (n > 0 || continues) {
        axpby<Real>(ctx, alpha, reference, 1, right);
        axpby<Real>(ctx, -alpha, x_, 1, right);
      }
      report.steps.push_back({alpha, misfit, step(ctx, unit, right, alpha)});
      stage.advance(1, fmt::format("misfit {:.3g}", misfit));
    }
    ++frames_;
    some_.reset();
    last_.reset();
    return report;
  }

  Array<Complex> image(const Context& ctx) {
    Array<Complex> result(ctx, image_);
    if (options_.sets == 1) {
      write_set(ctx, 0, result.ref().reshape({model_.voxels()}));
      return result;
    }
    Array<Complex> of_coils = make(ctx, {model_.coils(), model_.voxels()});
    for_coils(ctx, [&](Index first, Index end) {
      ForDevice<Complex> some(ctx, of_coils.ref().range(first, end));
      model_.value(ctx, some.get());
      some.deliver();
    });
    to_complex<Real>(ctx, root_of_sums(ctx, of_coils), result.ref().reshape({model_.voxels()}));
    axpby<Real>(ctx, 0, result, 1 / checked_scale(), result);
    return result;
  }

  Array<Complex> set_images(const Context& ctx) {
    Array<Complex> result(ctx, image_.with_front(options_.sets));
    for (Index m = 0; m < options_.sets; ++m) write_set(ctx, m, result.slice(m).reshape({model_.voxels()}));
    return result;
  }

  Array<Complex> maps(const Context& ctx) {
    Array<Complex> result = make(ctx, image_.with_front(model_.coils()).with_front(options_.sets));
    for (Index m = 0; m < options_.sets; ++m) {
      const ArrayRef<Complex> of_set = result.slice(m).reshape({model_.coils(), model_.voxels()});
      copy_maps(ctx, m, of_set);
      for_voxels(ctx, of_set, [&](ArrayRef<const Complex> some, Index first, Index end) {
        const Array<Complex> unit = unit_maps<Real>(ctx, some);
        for (Index c = 0; c < model_.coils(); ++c) copy<Complex>(ctx, unit.slice(c), of_set.slice(c).range(first, end));
      });
    }
    return result;
  }

 private:
  void start_anew(const Context& ctx) {
    fill<Complex>(ctx, x_, 0);
    fill<Complex>(ctx, model_.images_of(x_), 1);
    hold_images(ctx, x_);
  }

  // Sets the images among some unknowns to 0 outside the support.
  void hold_images(const Context& ctx, ArrayRef<Complex> x) const {
    if (support_ == nullptr) return;
    const ArrayRef<Complex> images = model_.images_of(x);
    multiply_weights<Real>(ctx, support_->ref().reshape({model_.voxels()}), images, images);
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

  // Memory for an array of all coils, and the context of where it lies.
  Array<Complex> make(const Context& ctx, const Shape& shape) const {
    return make_ ? make_(shape) : Array<Complex>(ctx, shape);
  }
  static Context there(const Context& ctx, const Array<Complex>& array) {
    return array.device() == ctx.device() ? ctx : ctx.host();
  }

  // The coils in parts, which the model enters.
  template <class Work>
  void for_coils(const Context& ctx, const Work& work) {
    for (Index first = 0; first < model_.coils(); first += model_.coils_at_once()) {
      const Index end = std::min(first + model_.coils_at_once(), model_.coils());
      model_.enter(ctx, first, end);
      work(first, end);
    }
  }

  // All coils of some voxels at a time, on the device: as many as one image of the coils has, or all where there is room.
  template <class Work>
  void for_voxels(const Context& ctx, ArrayRef<const Complex> coils, const Work& work) const {
    const Index voxels = coils.extent(1);
    if (model_.coils_at_once() == model_.coils()) return work(coils, 0, voxels);
    const Index step = std::max<Index>(voxels / model_.coils(), 1);
    for (Index first = 0; first < voxels; first += step) {
      const Index end = std::min(first + step, voxels);
      Array<Complex> some(ctx, {coils.extent(0), end - first});
      for (Index c = 0; c < coils.extent(0); ++c) copy<Complex>(ctx, coils.slice(c).range(first, end), some.slice(c));
      work(some, first, end);
    }
  }

  void set_transforms(const LinearOperator<Real>& transform) {
    all_ = &transform;
    const Index count = model_.coils_at_once();
    if (count == model_.coils()) return;
    const auto* const nufft = dynamic_cast<const Nufft<Real>*>(&transform);
    if (nufft == nullptr) {
      throw ValueError(fmt::format("nlinv: {} of {} coils at a time, with the transform {}; expected a NUFFT", count,
                                   model_.coils(), transform.name()));
    }
    some_ = std::make_unique<Nufft<Real>>(*nufft, count);
    const Index rest = model_.coils() % count;
    if (rest > 0) last_ = std::make_unique<Nufft<Real>>(*nufft, rest);
  }

  const LinearOperator<Real>& transform_of(Index coils) const {
    if (coils == model_.coils()) return *all_;
    return coils == model_.coils_at_once() ? *some_ : *last_;
  }

  // P^H y, and |y|^2.
  Array<Complex> grid(const Context& ctx, ArrayRef<const Complex> data, double& energy) {
    Array<Complex> gridded = make(ctx, all_->domain());
    for_coils(ctx, [&](Index first, Index end) {
      const OnDevice<Complex> here(ctx, data.range(first, end));
      energy += product_of<Real>(ctx, here.get(), here.get());
      ForDevice<Complex> some(ctx, gridded.ref().range(first, end));
      transform_of(end - first).adjoint(ctx, here.get(), some.get());
      some.deliver();
    });
    return gridded;
  }

  // One step of steepest descent from 0 has the size of the images: s b with s = |b|^2 / b^H P^H P b.
  void find_scale(const Context& ctx, const Array<Complex>& gridded) {
    double square = 0;
    double seen_square = 0;
    for_coils(ctx, [&](Index first, Index end) {
      const OnDevice<Complex> some(ctx, gridded.ref().range(first, end));
      Array<Complex> seen(ctx, some.get().shape());
      transform_of(end - first).normal(ctx, some.get(), seen);
      square += product_of<Real>(ctx, some.get(), some.get());
      seen_square += product_of<Real>(ctx, some.get(), seen);
    });
    if (square == 0) throw ValueError("nlinv: all data are zero");
    const double size = std::sqrt(square) * square / seen_square;
    if (!std::isfinite(size) || !(size > 0)) throw ValueError("nlinv: the data hold values that are not finite");
    scale_ = scaled_voxel * std::sqrt(static_cast<double>(model_.voxels())) / size;
  }

  double checked_scale() const {
    if (scale_ == 0) throw ValueError("nlinv: no frame was solved yet");
    return scale_;
  }

  // Linearizes at the present x; DG^H P^H (y - P G(x)), and the misfit.
  double for_residual(const Context& ctx, double unit, const Array<Complex>& gridded, double energy,
                      ArrayRef<Complex> right) {
    model_.linearize(ctx, x_);
    double square = energy;
    for_coils(ctx, [&](Index first, Index end) {
      Array<Complex> residual = clone<Complex>(ctx, gridded.ref().range(first, end));
      {
        Array<Complex> images(ctx, residual.shape());
        model_.value(ctx, images);
        Array<Complex> seen(ctx, residual.shape());
        transform_of(end - first).normal(ctx, images, seen);
        square += unit * product_of<Real>(ctx, images, seen) - 2 * product_of<Real>(ctx, images, residual);
        axpby<Real>(ctx, -unit, seen, 1, residual);
      }
      model_.adjoint(ctx, residual, right);
    });
    hold_images(ctx, right);
    if (!std::isfinite(square)) throw ValueError("nlinv: a step gave values that are not finite; take a larger alpha");
    return std::sqrt(std::max(0.0, square) / energy);
  }

  // The iterations that it took.
  int step(const Context& ctx, double unit, const Array<Complex>& right, double alpha) {
    const Shape most = image_.with_front(model_.coils_at_once());
    Array<Complex> images(ctx, most);
    Array<Complex> seen(ctx, most);
    const auto normal = [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
      for_coils(c, [&](Index first, Index end) {
        const Index count = end - first;
        model_.derivative(c, x, images.ref().range(0, count));
        transform_of(count).normal(c, images.ref().range(0, count), seen.ref().range(0, count));
        model_.adjoint(c, seen.ref().range(0, count), z);
      });
      hold_images(c, z);
      axpby<Real>(c, alpha, x, unit, z);
    };
    Array<Complex> dx = zeros<Complex>(ctx, x_.shape());
    const SolverReport report = conjugate_gradient<Real>(
        ctx, normal, right, dx, {.iterations = options_.iterations, .tolerance = options_.tolerance});
    axpby<Real>(ctx, 1, dx, 1, x_);
    make_orthogonal(ctx);
    return report.iterations;
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

  void copy_maps(const Context& ctx, Index set, ArrayRef<Complex> maps) {
    for_coils(ctx, [&](Index first, Index end) { copy<Complex>(ctx, model_.maps(set), maps.range(first, end)); });
  }

  // Root of the sum of squares of images [coil, voxel].
  Array<Real> root_of_sums(const Context& ctx, ArrayRef<const Complex> coils) const {
    Array<Real> root(ctx, {model_.voxels()});
    for_voxels(ctx, coils, [&](ArrayRef<const Complex> some, Index first, Index end) {
      copy<Real>(ctx, root_sum_of_squares<Real>(ctx, some), root.ref().range(first, end));
    });
    return root;
  }

  void write_set(const Context& ctx, Index set, ArrayRef<Complex> image) {
    Array<Complex> maps = make(ctx, {model_.coils(), model_.voxels()});
    copy_maps(ctx, set, maps);
    to_complex<Real>(ctx, root_of_sums(ctx, maps), image);
    kernels::modulate<Real>(ctx, kernels::Factor::plain, 1, model_.voxels(), model_.images().slice(set).data(),
                            image.data(), image.data());
    axpby<Real>(ctx, 0, image, 1 / checked_scale(), image);
  }

  NlinvOptions options_;
  std::function<Array<Complex>(const Shape&)> make_;
  std::shared_ptr<const Array<Real>> support_;
  Shape image_;
  JointModel<Real> model_;
  Array<Complex> x_;
  const LinearOperator<Real>* all_ = nullptr;   // of the frame that is solved: of all coils,
  std::unique_ptr<LinearOperator<Real>> some_;  // of those at a time,
  std::unique_ptr<LinearOperator<Real>> last_;  // and of those that are left
  double scale_ = 0;                            // of the data; 0: no frame yet
  int frames_ = 0;
};

template <class Real>
Nlinv<Real>::Nlinv(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options)
    : solver_(std::make_unique<Solver>(ctx, image, coils, options, detail::NlinvTiles<Real>{})) {}
template <class Real>
Nlinv<Real>::Nlinv(std::unique_ptr<Solver> solver) : solver_(std::move(solver)) {}
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
Nlinv<Real> detail::NlinvTiles<Real>::solver(const Context& ctx, const Shape& image, Index coils,
                                             const NlinvOptions& options) const {
  return Nlinv<Real>(std::make_unique<typename Nlinv<Real>::Solver>(ctx, image, coils, options, *this));
}

template class Nlinv<float>;
template class Nlinv<double>;
template struct detail::NlinvTiles<float>;
template struct detail::NlinvTiles<double>;

}  // namespace whorl
