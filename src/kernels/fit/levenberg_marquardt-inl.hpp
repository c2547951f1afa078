// The method of Levenberg and Marquardt for a voxel in each lane, one statement for all backends: included after
// signal_models-inl.hpp, which says how. Lanes that are done wait for the others.

template <class L, class Model>
struct Evaluation {
  NormalEquations<L, Model::parameters> equations;
  typename L::Value rest;  // weighted sum of squares

  template <class Data>
  WHORL_LANE_FUNCTION void at(const Data& data, const typename L::Value (&p)[Model::parameters]) {
    using V = typename L::Value;
    equations.clear();
    rest = L::set(0);
    for (int i = 0; i < data.settings(); ++i) {
      V signal[Model::rows];
      V slope[Model::rows][Model::parameters];
      Model::at(p, data.setting(i), signal, slope);
      WHORL_LANE_UNROLL
      for (int r = 0; r < Model::rows; ++r) {
        const V weight = data.weight(Model::rows * i + r);
        const V difference = data.value(Model::rows * i + r) - signal[r];
        equations.add(slope[r], weight, difference);
        rest = rest + weight * difference * difference;
      }
    }
  }
};

template <class L, class Model>
struct LaneFit {
  using V = typename L::Value;
  using Mask = typename L::Mask;
  static constexpr int parameters = Model::parameters;

  V p[parameters];
  Evaluation<L, Model> found;
  Mask good;

  // From the start that the model finds; water_fat reads f and R from p.
  template <class Data>
  WHORL_LANE_FUNCTION void fit(const Data& data, int iterations) {
    // A step that changes the signal by less than this part of it is the last one. The sum of squares, whose rounding hides
    // such steps, is not asked; the next step would be smaller still.
    constexpr double converged = 1e-8;
    constexpr double least_damping = 1e-12;
    constexpr double most_damping = 1e12;
    Model::start(data, p);
    V size = L::set(0);
    for (int i = 0; i < Model::rows * data.settings(); ++i) {
      const V value = data.value(i);
      size = size + data.weight(i) * value * value;
    }
    const V still = L::set(converged * converged) * size;
    found.at(data, p);
    // A start that is not finite leaves a rest that compares with nothing.
    Mask active = L::both(Model::is_valid(p), L::less(found.rest, L::set(1e300)));
    good = L::none();
    V damping = L::set(1e-3);
    for (int n = 0; n < iterations && L::any(active); ++n) {
      Factors<L, parameters> factors;
      factors.factor(found.equations.normal, damping);
      V next[parameters];
      factors.solve(found.equations.right, next);
      // In units of the signal: |J_k| step_k, squared.
      Mask small = L::less(damping, L::set(1));
      WHORL_LANE_UNROLL
      for (int k = 0; k < parameters; ++k) {
        small = L::both(small, L::less(next[k] * next[k] * found.equations.normal[k * (k + 1) / 2 + k], still));
        next[k] = p[k] + next[k];
      }
      Evaluation<L, Model> there;
      there.at(data, next);
      const Mask better =
          L::both(L::both(active, Model::is_valid(next)), L::either(small, L::less_or_equal(there.rest, found.rest)));
      WHORL_LANE_UNROLL
      for (int k = 0; k < parameters; ++k) {
        p[k] = L::select(better, next[k], p[k]);
        found.equations.right[k] = L::select(better, there.equations.right[k], found.equations.right[k]);
      }
      WHORL_LANE_UNROLL
      for (int k = 0; k < NormalEquations<L, parameters>::pairs; ++k) {
        found.equations.normal[k] = L::select(better, there.equations.normal[k], found.equations.normal[k]);
      }
      found.rest = L::select(better, there.rest, found.rest);
      damping = L::select(better, damping * L::set(0.1), damping * L::set(10));
      damping = L::select(L::less(damping, L::set(least_damping)), L::set(least_damping), damping);
      // Done: steps are small, or none lessens the rest, which is then the least to the rounding of its sum.
      const Mask done = L::both(active, L::either(small, L::less(L::set(most_damping), damping)));
      good = L::either(good, done);
      active = L::without(active, done);
    }
  }
};

// Fits the voxels in the lanes of data and hands the results to `data.store`.
template <class L, class Model, class Data>
WHORL_LANE_FUNCTION void fit_lanes(const kernels::VoxelFit& what, Data& data) {
  using V = typename L::Value;
  using Mask = typename L::Mask;
  constexpr int parameters = Model::parameters;
  V largest = L::set(0);
  Mask usable = L::less(L::set(-1), L::set(0));
  const int values = Model::rows * data.settings();
  for (int i = 0; i < values; ++i) {
    const V value = L::magnitude(data.value(i));
    largest = L::select(L::less(largest, value), value, largest);
    const V weight = data.weight(i);
    usable = L::both(usable, L::both(L::less(L::set(0), weight), L::less(weight, L::set(1e300))));
  }
  const Mask inside = L::both(usable, L::less(L::set(what.least), largest));
  if (!L::any(inside)) return data.leave_out();
  LaneFit<L, Model> best;
  data.load_start(best.p);
  best.fit(data, what.iterations);
  if constexpr (Model::loses_signs) {
    for (int flipped = 1; what.magnitudes && flipped <= values; ++flipped) {
      data.flip(flipped);
      LaneFit<L, Model> one;
      one.fit(data, what.iterations);
      const Mask better =
          L::both(one.good, L::either(L::without(one.good, best.good), L::less(one.found.rest, best.found.rest)));
      WHORL_LANE_UNROLL
      for (int k = 0; k < parameters; ++k) best.p[k] = L::select(better, one.p[k], best.p[k]);
      WHORL_LANE_UNROLL
      for (int k = 0; k < NormalEquations<L, parameters>::pairs; ++k) {
        best.found.equations.normal[k] =
            L::select(better, one.found.equations.normal[k], best.found.equations.normal[k]);
      }
      best.found.rest = L::select(better, one.found.rest, best.found.rest);
      best.good = L::either(best.good, one.good);
    }
  }
  // The covariance: variance times the inverse of J^T W J.
  V variance = L::set(what.variance);
  if (data.has_errors()) {
    variance = L::set(1);
  } else if (!(what.variance > 0)) {
    variance = best.found.rest / L::set(values - parameters);
  }
  Factors<L, parameters> factors;
  factors.factor(best.found.equations.normal, L::set(0));
  Mask good = L::both(inside, best.good);
  V covariance[NormalEquations<L, parameters>::pairs];
  WHORL_LANE_UNROLL
  for (int k = 0; k < parameters; ++k) {
    V unit[parameters];
    WHORL_LANE_UNROLL
    for (int l = 0; l < parameters; ++l) unit[l] = L::set(k == l ? 1 : 0);
    V column[parameters];
    factors.solve(unit, column);
    WHORL_LANE_UNROLL
    for (int l = k; l < parameters; ++l) covariance[l * (l + 1) / 2 + k] = variance * column[l];
    // Not a number, infinite or below 0: the values do not determine the parameters.
    const V own = covariance[k * (k + 1) / 2 + k];
    good = L::both(good, L::both(L::less_or_equal(L::set(0), own), L::less(own, L::set(1e300))));
  }
  WHORL_LANE_UNROLL
  for (int k = 0; k < parameters; ++k) best.p[k] = L::select(good, best.p[k], L::set(0));
  WHORL_LANE_UNROLL
  for (int k = 0; k < NormalEquations<L, parameters>::pairs; ++k) {
    covariance[k] = L::select(good, covariance[k], L::set(0));
  }
  data.store(best.p, covariance, inside, good);
}
