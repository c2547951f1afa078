// The models of kernels/fit/voxel_fit.hpp, one statement for all backends. Included inside a backend's namespace, once for
// each instruction set, which defines before
//
//   WHORL_LANE_FUNCTION  what marks a function, WHORL_LANE_UNROLL a loop over an array in registers
//   L                    (template parameter) lanes: Value, numbers in double, one per voxel, with + - * /; Mask; set,
//                        exp, log, cosine, sine, magnitude, less, both, select, none, any
//   Data                 (template parameter) a voxel's values and weights: value(i), weight(i), settings()
//
// A model has: parameters; rows of values for each row of settings; loses_signs, whether its magnitudes may be fitted; `at`, the signal and its derivatives; `is_valid`, where
// parameters are allowed; `start`, where the iteration begins, not finite or not valid where there is no start.

template <class L, int kParameters>
struct NormalEquations {
  using V = typename L::Value;
  static constexpr int pairs = kParameters * (kParameters + 1) / 2;

  V normal[pairs];  // rows of the lower triangle
  V right[kParameters];

  WHORL_LANE_FUNCTION void clear() {
    WHORL_LANE_UNROLL
    for (int k = 0; k < pairs; ++k) normal[k] = L::set(0);
    WHORL_LANE_UNROLL
    for (int k = 0; k < kParameters; ++k) right[k] = L::set(0);
  }
  WHORL_LANE_FUNCTION void add(const V (&slope)[kParameters], V weight, V rest) {
    WHORL_LANE_UNROLL
    for (int k = 0; k < kParameters; ++k) {
      const V weighted = weight * slope[k];
      WHORL_LANE_UNROLL
      for (int l = 0; l <= k; ++l) normal[k * (k + 1) / 2 + l] = normal[k * (k + 1) / 2 + l] + weighted * slope[l];
      right[k] = right[k] + weighted * rest;
    }
  }
};

// L D L^T of the lower triangle, whose diagonal is multiplied by 1 + damping. A matrix that is not positive leaves numbers
// that are not finite or a step that lessens nothing.
template <class L, int kParameters>
struct Factors {
  using V = typename L::Value;
  static constexpr int pairs = kParameters * (kParameters + 1) / 2;

  V lower[pairs];  // of L, and on the diagonal 1 / D

  WHORL_LANE_FUNCTION void factor(const V (&normal)[pairs], V damping) {
    WHORL_LANE_UNROLL
    for (int k = 0; k < kParameters; ++k) {
      V product[kParameters];
      WHORL_LANE_UNROLL
      for (int l = 0; l < k; ++l) {
        V sum = normal[k * (k + 1) / 2 + l];
        WHORL_LANE_UNROLL
        for (int m = 0; m < l; ++m) sum = sum - product[m] * lower[l * (l + 1) / 2 + m];
        product[l] = sum;  // L_kl D_l
      }
      V pivot = normal[k * (k + 1) / 2 + k];
      pivot = pivot + pivot * damping;
      WHORL_LANE_UNROLL
      for (int l = 0; l < k; ++l) {
        const V factor = product[l] * lower[l * (l + 1) / 2 + l];
        pivot = pivot - product[l] * factor;
        lower[k * (k + 1) / 2 + l] = factor;
      }
      lower[k * (k + 1) / 2 + k] = L::set(1) / pivot;
    }
  }
  WHORL_LANE_FUNCTION void solve(const V (&right)[kParameters], V (&x)[kParameters]) const {
    WHORL_LANE_UNROLL
    for (int k = 0; k < kParameters; ++k) {
      x[k] = right[k];
      WHORL_LANE_UNROLL
      for (int l = 0; l < k; ++l) x[k] = x[k] - lower[k * (k + 1) / 2 + l] * x[l];
    }
    WHORL_LANE_UNROLL
    for (int k = 0; k < kParameters; ++k) x[k] = x[k] * lower[k * (k + 1) / 2 + k];
    WHORL_LANE_UNROLL
    for (int k = kParameters - 1; k >= 0; --k) {
      WHORL_LANE_UNROLL
      for (int l = k + 1; l < kParameters; ++l) x[k] = x[k] - lower[l * (l + 1) / 2 + k] * x[l];
    }
  }
};

// A exp(-sum_k x_k q_k) of parameters A, q_1, ...
template <class L, int kRates>
struct Exponential {
  using V = typename L::Value;
  static constexpr int parameters = 1 + kRates;
  static constexpr int rows = 1;
  static constexpr bool loses_signs = false;

  WHORL_LANE_FUNCTION static void at(const V (&p)[parameters], const double* x, V (&signal)[1],
                                     V (&slope)[1][parameters]) {
    V exponent = L::set(0);
    WHORL_LANE_UNROLL
    for (int k = 0; k < kRates; ++k) exponent = exponent - L::set(x[k]) * p[1 + k];
    slope[0][0] = L::exp(exponent);
    signal[0] = p[0] * slope[0][0];
    WHORL_LANE_UNROLL
    for (int k = 0; k < kRates; ++k) slope[0][1 + k] = L::set(-x[k]) * signal[0];
  }
  // The elements of a tensor have either sign, and noise gives it to its eigenvalues.
  WHORL_LANE_FUNCTION static typename L::Mask is_valid(const V (&p)[parameters]) {
    if constexpr (kRates == 1) return L::both(L::less(L::set(0), p[0]), L::less(L::set(0), p[1]));
    return L::less(L::set(0), p[0]);
  }
  // The linear fit of log S, weighted by S^2, as the errors of logarithms ask for.
  template <class Data>
  WHORL_LANE_FUNCTION static void start(const Data& data, V (&p)[parameters]) {
    NormalEquations<L, parameters> line;
    line.clear();
    for (int i = 0; i < data.settings(); ++i) {
      const V value = data.value(i);
      const typename L::Mask positive = L::less(L::set(0), value);
      const V inside = L::select(positive, value, L::set(1));
      const V weight = L::select(positive, data.weight(i) * value * value, L::set(0));
      const double* x = data.setting(i);
      V slope[parameters];
      slope[0] = L::set(1);
      WHORL_LANE_UNROLL
      for (int k = 0; k < kRates; ++k) slope[1 + k] = L::set(-x[k]);
      line.add(slope, weight, L::log(inside));
    }
    Factors<L, parameters> factors;
    factors.factor(line.normal, L::set(0));
    factors.solve(line.right, p);
    p[0] = L::exp(p[0]);
  }
};

// A (1 - B exp(-t R)) of parameters A, R, B.
template <class L>
struct Recovery {
  using V = typename L::Value;
  static constexpr int parameters = 3;
  static constexpr int rows = 1;
  static constexpr bool loses_signs = true;

  WHORL_LANE_FUNCTION static void at(const V (&p)[3], const double* x, V (&signal)[1], V (&slope)[1][3]) {
    const V t = L::set(x[0]);
    const V e = L::exp(L::set(0) - t * p[1]);
    slope[0][0] = L::set(1) - p[2] * e;
    slope[0][1] = p[0] * p[2] * t * e;
    slope[0][2] = L::set(0) - p[0] * e;
    signal[0] = p[0] * slope[0][0];
  }
  WHORL_LANE_FUNCTION static typename L::Mask is_valid(const V (&p)[3]) {
    return L::both(L::less(L::set(0), p[0]), L::less(L::set(0), p[1]));
  }
  // The best of several rates, with A and A B solved for.
  template <class Data>
  WHORL_LANE_FUNCTION static void start(const Data& data, V (&p)[3]) {
    V best = L::set(-1);
    p[0] = p[1] = p[2] = L::set(0);
    for (int n = 0; n < data.starts(); ++n) {
      const double* const rate = data.start(n);
      V one = L::set(0);
      V e = L::set(0);
      V ee = L::set(0);
      V y = L::set(0);
      V ye = L::set(0);
      for (int i = 0; i < data.settings(); ++i) {
        const V here = L::set(rate[1 + i]);
        const V weight = data.weight(i);
        const V value = weight * data.value(i);
        one = one + weight;
        e = e + weight * here;
        ee = ee + weight * here * here;
        y = y + value;
        ye = ye + value * here;
      }
      const V determinant = one * ee - e * e;
      const V a = (y * ee - ye * e) / determinant;
      const V ab = (y * e - ye * one) / determinant;
      const V explained = a * y - ab * ye;  // of the sum of squares
      const typename L::Mask better = L::both(
          L::both(L::less(L::set(1e-12) * one * ee, determinant), L::less(L::set(0), a)), L::less(best, explained));
      best = L::select(better, explained, best);
      p[0] = L::select(better, a, p[0]);
      p[1] = L::select(better, L::set(rate[0]), p[1]);
      p[2] = L::select(better, ab / a, p[2]);
    }
  }
};

// (W + c F) exp(-t R - 2 pi i t f) of parameters Re W, Im W, Re F, Im F, f, R.
template <class L>
struct WaterFat {
  using V = typename L::Value;
  static constexpr int parameters = 6;
  static constexpr int rows = 2;
  static constexpr bool loses_signs = false;
  static constexpr double turn = 6.283185307179586477;

  // e = exp(-t R - 2 pi i t f), and c e
  struct Phasors {
    V real, imag, fat_real, fat_imag;
  };
  WHORL_LANE_FUNCTION static Phasors phasors(const V& f, const V& rate, const double* x) {
    const V size = L::exp(L::set(-x[0]) * rate);
    const V angle = L::set(-turn * x[0]) * f;
    Phasors e;
    e.real = size * L::cosine(angle);
    e.imag = size * L::sine(angle);
    e.fat_real = L::set(x[1]) * e.real - L::set(x[2]) * e.imag;
    e.fat_imag = L::set(x[1]) * e.imag + L::set(x[2]) * e.real;
    return e;
  }
  WHORL_LANE_FUNCTION static void amplitudes(const Phasors& e, V (&slope)[2][6]) {
    slope[0][0] = e.real;
    slope[0][1] = L::set(0) - e.imag;
    slope[0][2] = e.fat_real;
    slope[0][3] = L::set(0) - e.fat_imag;
    slope[1][0] = e.imag;
    slope[1][1] = e.real;
    slope[1][2] = e.fat_imag;
    slope[1][3] = e.fat_real;
  }
  WHORL_LANE_FUNCTION static void at(const V (&p)[6], const double* x, V (&signal)[2], V (&slope)[2][6]) {
    amplitudes(phasors(p[4], p[5], x), slope);
    WHORL_LANE_UNROLL
    for (int r = 0; r < 2; ++r) {
      signal[r] = slope[r][0] * p[0] + slope[r][1] * p[1] + slope[r][2] * p[2] + slope[r][3] * p[3];
    }
    // d/df = -2 pi i t S
    slope[0][4] = L::set(turn * x[0]) * signal[1];
    slope[1][4] = L::set(-turn * x[0]) * signal[0];
    slope[0][5] = L::set(-x[0]) * signal[0];
    slope[1][5] = L::set(-x[0]) * signal[1];
  }
  // Noise gives a slow decay either sign.
  WHORL_LANE_FUNCTION static typename L::Mask is_valid(const V (&p)[6]) { return L::less(p[5], L::set(1e6)); }
  // f and R are given; W and F are solved for.
  template <class Data>
  WHORL_LANE_FUNCTION static void start(const Data& data, V (&p)[6]) {
    NormalEquations<L, 4> linear;
    linear.clear();
    for (int i = 0; i < data.settings(); ++i) {
      V both[2][6];
      amplitudes(phasors(p[4], p[5], data.setting(i)), both);
      WHORL_LANE_UNROLL
      for (int r = 0; r < 2; ++r) {
        const V slope[4] = {both[r][0], both[r][1], both[r][2], both[r][3]};
        linear.add(slope, data.weight(2 * i + r), data.value(2 * i + r));
      }
    }
    Factors<L, 4> factors;
    factors.factor(linear.normal, L::set(0));
    V x[4];
    factors.solve(linear.right, x);
    WHORL_LANE_UNROLL
    for (int k = 0; k < 4; ++k) p[k] = x[k];
  }
};
