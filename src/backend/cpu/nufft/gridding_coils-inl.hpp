// Gridding's innermost loops over interleaved coils: a point of the grid is one vector or two, and all vectors of a
// point have the same weight. A part of gridding_loops-inl.hpp, included once per target inside its namespace.

using Coils = hn::CappedTag<Real, 2 * kernels::coils_together>;
constexpr Index coil_lanes{hn::MaxLanes(Coils())};
constexpr Index point_numbers = 2 * kernels::coils_together;

template <int W>
struct WindowOfAxes {
  HWY_INLINE WindowOfAxes(const Job& job, const Sample& sample) {
    WHORL_UNROLL
    for (int axis = 0; axis < dim; ++axis) along[axis].evaluate_at(*job.window, sample.u[axis]);
  }

  // Calls visit(first number of a row along x, weight of the row).
  template <class Pointer, class Visit>
  HWY_INLINE void for_each_row(const Job& job, Pointer corner, const Visit& visit) const {
    for (int z = 0; z < (dim == 3 ? W : 1); ++z) {
      for (int y = 0; y < (dim >= 2 ? W : 1); ++y) {
        Real weight = 1;
        if constexpr (dim >= 2) weight = along[1].value[y];
        if constexpr (dim == 3) weight = along[dim - 1].value[z] * weight;
        visit(corner + (z * job.plane + y * job.row) * point_numbers, weight);
      }
    }
  }

  Weights<W> along[dim];
};

template <int W>
void spread_coils(const Job& job, const Complex* values, Index values_stride, Real* tiles, Index tile_stride,
                  Index batch) {
  const Coils d;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    const WindowOfAxes<W> window(job, sample);
    for (Index b = 0; b < batch; ++b) {
      const auto* value = reinterpret_cast<const Real*>(values) + (b * values_stride + s) * point_numbers;
      Real* const first = tiles + b * tile_stride + corner(job, sample);
      for (Index c = 0; c < point_numbers; c += coil_lanes) {
        hn::Vec<Coils> line[W];
        WHORL_UNROLL
        for (int x = 0; x < W; ++x) {
          line[x] = hn::Mul(hn::Set(d, window.along[0].value[x]), hn::LoadU(d, value + c));
        }
        window.for_each_row(job, first + c, [&](Real* row, Real row_weight) {
          const auto weight = hn::Set(d, row_weight);
          WHORL_UNROLL
          for (int x = 0; x < W; ++x, row += point_numbers) {
            hn::StoreU(hn::MulAdd(weight, line[x], hn::LoadU(d, row)), d, row);
          }
        });
      }
    }
  }
}

template <int W>
void interpolate_coils(const Job& job, const Real* tiles, Index tile_stride, Complex* values, Index values_stride,
                       Index batch) {
  const Coils d;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    const WindowOfAxes<W> window(job, sample);
    for (Index b = 0; b < batch; ++b) {
      auto* value = reinterpret_cast<Real*>(values) + (b * values_stride + s) * point_numbers;
      const Real* const first = tiles + b * tile_stride + corner(job, sample);
      for (Index c = 0; c < point_numbers; c += coil_lanes) {
        hn::Vec<Coils> line[W];
        WHORL_UNROLL
        for (int x = 0; x < W; ++x) line[x] = hn::Zero(d);
        window.for_each_row(job, first + c, [&](const Real* row, Real row_weight) {
          const auto weight = hn::Set(d, row_weight);
          WHORL_UNROLL
          for (int x = 0; x < W; ++x, row += point_numbers) line[x] = hn::MulAdd(weight, hn::LoadU(d, row), line[x]);
        });
        auto sum = hn::Mul(hn::Set(d, window.along[0].value[0]), line[0]);
        WHORL_UNROLL
        for (int x = 1; x < W; ++x) sum = hn::MulAdd(hn::Set(d, window.along[0].value[x]), line[x], sum);
        hn::StoreU(sum, d, value + c);
      }
    }
  }
}
