// The plan of a NUFFT: the padded transform, the gridding and optionally the convolution of one trajectory.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernels/gridding.hpp"
#include "kernels/nufft_cost.hpp"
#include "kernels/padded_fft.hpp"
#include "op/encoding_shapes.hpp"
#include "op/nonuniform/single_axis_fft.hpp"
#include "op/nufft_design.hpp"
#include "op/toeplitz.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

/// The largest number of coils to transform together, for grids with this number of points.
template <class Real>
Index most_coils_at_once(const Context& ctx, Index grid_points) {
  return kernels::most_coils_at_once(ctx, grid_points * static_cast<Index>(sizeof(std::complex<Real>)));
}

/// True if the options, or their cost model with NormalMethod::automatic, choose a convolution as normal operator.
inline bool wants_toeplitz(const Context& ctx, const NufftDesign& design, const Shape& image, Index samples,
                           const NufftOptions& options) {
  if (image.rank() == 1) {
    if (options.normal != NormalMethod::toeplitz) return false;
    throw Unsupported("nufft: the normal operator of an image of one axis is a pair of transforms, not a convolution");
  }
  if (options.normal == NormalMethod::automatic) return toeplitz_is_faster(ctx, design, normal_grid(image), samples);
  return options.normal == NormalMethod::toeplitz;
}

/// The transform of any number of coils, in batches whose grids fit into fast memory.
template <class Real>
class NufftPlan {
 public:
  using Complex = std::complex<Real>;

  /// `normal`: the known spectrum of the normal operator, or none.
  NufftPlan(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, const NufftOptions& options,
            const NormalSpectrum<Real>* normal)
      : samples_(points.extent(0)),
        design_(fitting_design(ctx, image_shape, points.extent(0), options)),
        tables_(design_tables(design_, image_shape, options)),
        fft_(make_fft(ctx, image_shape)),
        most_at_once_(most_coils_at_once<Real>(ctx, fft_->layout().size())) {
    const OnDevice<double> here(ctx, points);
    gridding_ = kernels::make_gridding_plan<Real>(ctx, {here.get(), fft_->layout(), tables_->polynomial});
    if (normal != nullptr && image_shape.rank() == 1) {
      throw Unsupported(
          "nufft: the normal operator of an image of one axis is a pair of transforms, not a convolution");
    }
    if (normal != nullptr) {
      convolution_ = make_toeplitz(ctx, "nufft", image_shape, *normal);
    } else if (wants_toeplitz(ctx, design_, image_shape, points.extent(0), options)) {
      convolution_ =
          make_toeplitz(ctx, "nufft", image_shape, nufft_normal<Real>(ctx, here.get(), image_shape, options));
    }
  }

  const Window& window() const { return design_.window; }
  const Shape& grid() const { return design_.grid; }
  Index coils_at_once(Index coils) const { return std::min(most_at_once_, coils); }

  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      fft_->forward(ctx, x.slice(first).data(), grids.data(), coils);
      gridding_->interpolate(ctx, grids.data(), y.slice(first).data(), coils);
    });
  }

  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      gridding_->spread(ctx, y.slice(first).data(), grids.data(), coils);
      fft_->adjoint(ctx, grids.data(), x.slice(first).data(), coils);
    });
  }

  /// Forward, then adjoint, one batch of coils after the other. Only the samples of one batch are stored.
  void normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
    if (convolution_) return convolution_->apply(ctx, x.data(), z.data(), x.extent(0));
    for_each_batch_of_samples(ctx, x.extent(0), [&](Array<Complex>& grids, Complex* values, Index first, Index coils) {
      fft_->forward(ctx, x.slice(first).data(), grids.data(), coils);
      gridding_->interpolate(ctx, grids.data(), values, coils);
      gridding_->spread(ctx, values, grids.data(), coils);
      fft_->adjoint(ctx, grids.data(), z.slice(first).data(), coils);
    });
  }

  // forward and adjoint for one image x and the sensitivities of the coils, maps [coil, (z,) y, x]. `sum`: the place of the maps among
  // those of all coils.

  void forward(const Context& ctx, ArrayRef<const Complex> maps, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    for_each_batch(ctx, maps.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      fft_->forward_of_coils(ctx, x.data(), maps.slice(first).data(), grids.data(), coils);
      gridding_->interpolate(ctx, grids.data(), y.slice(first).data(), coils);
    });
  }

  void adjoint(const Context& ctx, ArrayRef<const Complex> maps, ArrayRef<const Complex> y, ArrayRef<Complex> x,
               const kernels::CoilSum<Real>& sum) const {
    for_each_batch(ctx, maps.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      gridding_->spread(ctx, y.slice(first).data(), grids.data(), coils);
      fft_->adjoint_of_coils(ctx, grids.data(), maps.slice(first).data(), x.data(), coils, sum.after(first));
    });
  }

  void normal(const Context& ctx, ArrayRef<const Complex> maps, ArrayRef<const Complex> x, ArrayRef<Complex> z,
              const kernels::CoilSum<Real>& sum) const {
    if (convolution_) {
      return convolution_->apply_over_coils(ctx, x.data(), maps.data(), z.data(), maps.extent(0), sum);
    }
    for_each_batch_of_samples(ctx, maps.extent(0),
                              [&](Array<Complex>& grids, Complex* values, Index first, Index coils) {
                                const Complex* some = maps.slice(first).data();
                                fft_->forward_of_coils(ctx, x.data(), some, grids.data(), coils);
                                gridding_->interpolate(ctx, grids.data(), values, coils);
                                gridding_->spread(ctx, values, grids.data(), coils);
                                fft_->adjoint_of_coils(ctx, grids.data(), some, z.data(), coils, sum.after(first));
                              });
  }

 private:
  template <class Work>
  void for_each_batch(const Context& ctx, Index coils, const Work& work) const {
    const Index batch = coils_at_once(coils);
    Array<Complex> grids(ctx, {batch, fft_->layout().size()});
    for (Index first = 0; first < coils; first += batch) work(grids, first, std::min(batch, coils - first));
  }

  template <class Work>
  void for_each_batch_of_samples(const Context& ctx, Index coils, const Work& work) const {
    Array<Complex> values(ctx, {coils_at_once(coils), samples_});
    for_each_batch(ctx, coils,
                   [&](Array<Complex>& grids, Index first, Index count) { work(grids, values.data(), first, count); });
  }

  std::shared_ptr<const kernels::PaddedFft<Real>> make_fft(const Context& ctx, const Shape& image) const {
    const auto geometry = geometry_of(padded_to_3d(image), padded_to_3d(design_.grid));
    return image.rank() == 1 ? make_single_axis_fft<Real>(ctx, geometry)
                             : kernels::make_padded_fft<Real>(ctx, geometry);
  }

  kernels::PaddedFftGeometry<Real> geometry_of(const std::array<Index, 3>& image,
                                               const std::array<Index, 3>& grid) const {
    kernels::PaddedFftGeometry<Real> geometry{image, grid, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::vector<double>& factor = tables_->deapodization[axis];
      geometry.factor[axis] = std::vector<Real>(factor.begin(), factor.end());
    }
    return geometry;
  }

  static NufftDesign fitting_design(const Context& ctx, const Shape& image, Index samples,
                                    const NufftOptions& options) {
    require_memory_for_grid(ctx, image, sizeof(Complex));
    return design_nufft(ctx, image, samples, options, unit_roundoff<Real>);
  }

  Index samples_;
  NufftDesign design_;
  std::shared_ptr<const DesignTables> tables_;
  std::shared_ptr<const kernels::PaddedFft<Real>> fft_;
  Index most_at_once_;
  std::shared_ptr<const kernels::GriddingPlan<Real>> gridding_;
  std::shared_ptr<const kernels::Convolution<Real>> convolution_;  // F^H F, or nothing: adjoint after forward
};

}  // namespace whorl
