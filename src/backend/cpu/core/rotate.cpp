// Grids whose origin moves, on a CPU.
#include "kernels/rotate.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

namespace {

template <class Real>
void rotate(const Context&, const std::array<Index, 3>& extent, const std::array<Index, 3>& shift,
            const std::complex<Real>* in, std::complex<Real>* out) {
  const auto [nz, ny, nx] = extent;
  const auto [sz, sy, sx] = shift;
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      const std::complex<Real>* row = in + (z * ny + y) * nx;
      std::complex<Real>* target = out + ((z + sz) % nz * ny + (y + sy) % ny) * nx;
      std::copy(row, row + (nx - sx), target + sx);
      std::copy(row + (nx - sx), row + nx, target);
    }
  }
}

}  // namespace

void register_rotate() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::rotate<Real>.set(DeviceKind::cpu, rotate<Real>);
  });
}

}  // namespace whorl::backend::cpu
