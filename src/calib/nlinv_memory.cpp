#include <algorithm>

#include "calib/joint_model.hpp"
#include "calib/nlinv_tiles.hpp"
#include "core/block_source.hpp"

namespace whorl {

template <class Real>
Index detail::tiled_nlinv_memory(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options,
                                 const NufftMemory& transform, Index coils_at_once, Index samples) {
  const JointModelMemory model =
      joint_model_memory<Real>(ctx, image, coils, options.sets, map_options(options), coils_at_once);
  const auto bytes = static_cast<Index>(sizeof(std::complex<Real>));
  // The unknowns lie behind each other: the pool rounds up their block, not that of an image.
  const auto x = static_cast<Index>(bytes_of_block(static_cast<std::size_t>(model.unknowns * bytes)));
  const Index images = coils_at_once * image.size() * bytes;
  const Index gridding = x + images + coils_at_once * samples * bytes + transform.adjoint;
  // x, its reference and the right-hand side; P^H y of these coils, and G(x) before and after P^H P.
  const Index residual = 3 * x + 3 * images + transform.normal;
  // The three of x; the solution, residual, direction and its image of conjugate gradient.
  const Index solving = 7 * x + 2 * images + std::max(transform.normal, model.scratch);
  return model.kept + std::max({gridding, residual, solving});
}

#define WHORL_INSTANTIATE(Real)                                                                             \
  template Index detail::tiled_nlinv_memory<Real>(const Context&, const Shape&, Index, const NlinvOptions&, \
                                                  const NufftMemory&, Index, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
