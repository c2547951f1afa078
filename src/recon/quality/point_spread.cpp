#include "whorl/recon/point_spread.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recon/quality/main_lobe.hpp"
#include "whorl/recon/expected_image.hpp"

namespace whorl {

namespace {

Index offset_of(const std::vector<Index>& voxel, const Shape& shape) {
  bool inside = static_cast<int>(voxel.size()) == shape.rank();
  Index offset = 0;
  for (int axis = 0; inside && axis < shape.rank(); ++axis) {
    const Index i = voxel[static_cast<std::size_t>(axis)];
    inside = i >= 0 && i < shape[axis];
    offset = offset * shape[axis] + i;
  }
  if (!inside) {
    throw ShapeError(fmt::format("point spread: voxel [{}] of an image {}; expected an index along each axis, from 0",
                                 fmt::join(voxel, ", "), to_string(shape)));
  }
  return offset;
}

// The values on the line along an axis that goes through the element at `offset`.
template <class Real>
std::vector<std::complex<double>> line_through(ArrayRef<const std::complex<Real>> image, Index offset, Index at,
                                               Index extent, Index stride) {
  std::vector<std::complex<double>> line;
  for (Index i = 0; i < extent; ++i) line.emplace_back(image.data()[offset + (i - at) * stride]);
  return line;
}

}  // namespace

template <Precision Real>
PointSpread<Real> point_spread(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                               const LeastSquaresOptions& options, const std::vector<Index>& voxel) {
  using Complex = std::complex<Real>;
  const Shape& shape = model.encoding->domain();
  const Index offset = offset_of(voxel, shape);
  Array<Complex> point = zeros<Complex>(ctx.host(), shape);
  point.data()[offset] = 1;
  Array<Complex> image = clone<Complex>(ctx, point);
  Array<Complex> response(ctx, shape);
  PointSpread<Real> result;
  result.report = expected_image<Real>(ctx, title, model, options, image, response);
  result.response = to_host<Complex>(ctx, response);
  for (const Complex value : result.response.span()) result.sum += std::complex<double>(value);
  result.peak = std::complex<double>(result.response.data()[offset]);
  Index stride = shape.size();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    stride /= shape[axis];
    const Index at = voxel[static_cast<std::size_t>(axis)];
    result.widths.push_back(
        recon::main_lobe_width(line_through<Real>(result.response, offset, at, shape[axis], stride), at));
  }
  return result;
}

template PointSpread<float> point_spread(const Context&, const std::string&, const RegularizedModel<float>&,
                                         const LeastSquaresOptions&, const std::vector<Index>&);
template PointSpread<double> point_spread(const Context&, const std::string&, const RegularizedModel<double>&,
                                          const LeastSquaresOptions&, const std::vector<Index>&);

}  // namespace whorl
