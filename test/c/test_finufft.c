/* A program of C for FINUFFT's guru interface, against the sums of its documentation. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whorl/c/finufft.h"

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: expected %s\n", line, what);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static double uniform(void) { return rand() / (double)RAND_MAX - 0.5; }

enum { M = 211, N = 190, TRANS = 3 };
static const int64_t modes[3] = {9, 8, 5};

/* The number of a mode along an axis at place i of an order. */
static int mode(int64_t n, int64_t i, int modeord) {
  if (modeord == 0) return (int)(i - n / 2);
  return (int)(i < (n + 1) / 2 ? i : i - n);
}

/* sqrt(sum |found - expected|^2 / sum |expected|^2) of sums over j of c[j] exp(i sign phase(j, k)), for every k. */
static double error_of_sums(int dim, int type, int sign, int modeord, double x[3][M], double s[3][N], double complex* c,
                            double complex* f) {
  const int64_t n1 = modes[0], n2 = dim > 1 ? modes[1] : 1, n3 = dim > 2 ? modes[2] : 1;
  const int64_t count = type == 3 ? N : n1 * n2 * n3;
  double square = 0, all = 0;
  for (int b = 0; b < TRANS; ++b) {
    double complex other[M];
    memset(other, 0, sizeof other);
    for (int64_t k = 0; k < count; ++k) {
      const double q[3] = {type == 3 ? s[0][k % N] : mode(n1, k % n1, modeord),
                           type == 3 ? s[1][k % N] : mode(n2, k / n1 % n2, modeord),
                           type == 3 ? s[2][k % N] : mode(n3, k / (n1 * n2), modeord)};
      double complex sum = 0;
      for (int j = 0; j < M; ++j) {
        double phase = 0;
        for (int axis = 0; axis < dim; ++axis) phase += q[axis] * x[axis][j];
        sum += c[b * M + j] * cexp(I * sign * phase);
        other[j] += f[b * count + k] * cexp(I * sign * phase);
      }
      if (type == 2) continue;
      square += pow(cabs(sum - f[b * count + k]), 2);
      all += pow(cabs(sum), 2);
    }
    for (int j = 0; type == 2 && j < M; ++j) {
      square += pow(cabs(other[j] - c[b * M + j]), 2);
      all += pow(cabs(other[j]), 2);
    }
  }
  return sqrt(square / all);
}

/* The tolerance bounds the root mean square error; 2: a margin for few samples. */
static void check(int dim, int type, int sign, int modeord, double tol) {
  static double x[3][M], s[3][N];
  static float xf[3][M], sf[3][N];
  static double complex c[TRANS * M], f[TRANS * 400];
  static float complex cf[TRANS * M], ff[TRANS * 400];
  const int64_t count = type == 3 ? N : modes[0] * (dim > 1 ? modes[1] : 1) * (dim > 2 ? modes[2] : 1);
  for (int axis = 0; axis < 3; ++axis) {
    for (int j = 0; j < M; ++j) x[axis][j] = xf[axis][j] = (float)(12 * uniform());
    for (int k = 0; k < N; ++k) s[axis][k] = sf[axis][k] = (float)(10 * uniform());
  }
  for (int i = 0; i < TRANS * M; ++i) c[i] = cf[i] = (float)uniform() + I * (float)uniform();
  for (int i = 0; i < TRANS * (int)count; ++i) f[i] = ff[i] = (float)uniform() + I * (float)uniform();

  finufft_opts opts;
  finufft_default_opts(&opts);
  opts.modeord = modeord;
  opts.nthreads = 2;
  finufft_plan plan;
  EXPECT(finufft_makeplan(type, dim, modes, sign, TRANS, tol, &plan, &opts) == 0);
  EXPECT(finufft_setpts(plan, M, x[0], dim > 1 ? x[1] : NULL, dim > 2 ? x[2] : NULL, type == 3 ? N : 0, s[0], s[1], s[2]) == 0);
  EXPECT(finufft_execute(plan, c, f) == 0);
  EXPECT(error_of_sums(dim, type, sign, modeord, x, s, c, f) < 2 * tol);
  /* <execute c, f> = <c, execute_adjoint f>: of what was found, |f|^2 or |c|^2. */
  static double complex other[TRANS * 400];
  double left = 0;
  double complex right = 0;
  if (type == 2) {
    EXPECT(finufft_execute_adjoint(plan, c, other) == 0);
    for (int i = 0; i < TRANS * M; ++i) left += pow(cabs(c[i]), 2);
    for (int i = 0; i < TRANS * (int)count; ++i) right += conj(other[i]) * f[i];
  } else {
    EXPECT(finufft_execute_adjoint(plan, other, f) == 0);
    for (int i = 0; i < TRANS * (int)count; ++i) left += pow(cabs(f[i]), 2);
    for (int i = 0; i < TRANS * M; ++i) right += conj(other[i]) * c[i];
  }
  EXPECT(cabs(right - left) < 1e-12 * left);
  EXPECT(finufft_destroy(plan) == 0);

  finufftf_plan single;
  EXPECT(finufftf_makeplan(type, dim, modes, sign, TRANS, 1e-4F, &single, &opts) == 0);
  EXPECT(finufftf_setpts(single, M, xf[0], xf[1], xf[2], type == 3 ? N : 0, sf[0], sf[1], sf[2]) == 0);
  EXPECT(finufftf_execute(single, cf, ff) == 0);
  double square = 0, all = 0;
  for (int i = 0; i < (type == 2 ? TRANS * M : TRANS * (int)count); ++i) {
    const double complex exact = type == 2 ? c[i] : f[i];
    square += pow(cabs((type == 2 ? cf[i] : ff[i]) - exact), 2);
    all += pow(cabs(exact), 2);
  }
  EXPECT(sqrt(square / all) < 2e-4);
  EXPECT(finufftf_destroy(single) == 0);
}

/* Spreading, a Fourier transform, and division by that of the window are a NUFFT; interpolation is the adjoint of spreading. */
static void check_spreading(int dim) {
  enum { SOURCES = 40, MOST = 20 * 18 * 16 };
  static const int64_t n[3] = {20, 18, 16};
  static double complex c[SOURCES], there[SOURCES], grid[MOST], window[MOST], f[MOST];
  static double x[3][SOURCES];
  const double tol = 1e-7;
  const int64_t n2 = dim > 1 ? n[1] : 1, n3 = dim > 2 ? n[2] : 1, count = n[0] * n2 * n3;
  for (int j = 0; j < SOURCES; ++j) {
    c[j] = uniform() + I * uniform();
    for (int axis = 0; axis < 3; ++axis) x[axis][j] = 12 * uniform();
  }
  finufft_opts opts;
  finufft_default_opts(&opts);
  opts.spreadinterponly = 1;
  opts.nthreads = 1;
  opts.modeord = 1; /* without effect, as the sign */
  finufft_plan plan;
  EXPECT(finufft_makeplan(1, dim, n, -1, 1, tol, &plan, &opts) == 0);
  /* The window itself: one source at the first grid point, which lies at -pi. */
  double at[1] = {-M_PI};
  double complex one[1] = {1};
  EXPECT(finufft_setpts(plan, 1, at, at, at, 0, NULL, NULL, NULL) == 0);
  EXPECT(finufft_execute(plan, one, window) == 0);
  EXPECT(cabs(window[0] - 1) < 1e-12);
  EXPECT(finufft_setpts(plan, SOURCES, x[0], x[1], x[2], 0, NULL, NULL, NULL) == 0);
  EXPECT(finufft_execute(plan, c, grid) == 0);
  EXPECT(finufft_destroy(plan) == 0);

  double square = 0, all = 0;
  for (int64_t k3 = -n3 / 4; k3 <= n3 / 4; ++k3) {
    for (int64_t k2 = -n2 / 4; k2 <= n2 / 4; ++k2) {
      for (int64_t k1 = -n[0] / 4; k1 <= n[0] / 4; ++k1) {
        double complex exact = 0, spread = 0, transform = 0;
        for (int j = 0; j < SOURCES; ++j) exact += c[j] * cexp(I * (k1 * x[0][j] + k2 * x[1][j] + k3 * x[2][j]));
        for (int64_t i = 0; i < count; ++i) {
          const double turns = (double)(k1 * (i % n[0])) / n[0] + (double)(k2 * (i / n[0] % n2)) / n2 +
                               (double)(k3 * (i / (n[0] * n2))) / n3;
          spread += grid[i] * cexp(2 * M_PI * I * (turns - 0.5 * (k1 + k2 + k3)));
          transform += window[i] * cexp(2 * M_PI * I * turns);
        }
        square += pow(cabs(spread / creal(transform) - exact), 2);
        all += pow(cabs(exact), 2);
      }
    }
  }
  /* The tolerance is that of the window; its transform, from its values at grid points, has the same error; 2: as above. */
  EXPECT(sqrt(square / all) < 4 * tol);

  EXPECT(finufft_makeplan(2, dim, n, 1, 1, tol, &plan, &opts) == 0);
  EXPECT(finufft_setpts(plan, SOURCES, x[0], x[1], x[2], 0, NULL, NULL, NULL) == 0);
  for (int64_t i = 0; i < count; ++i) f[i] = uniform() + I * uniform();
  EXPECT(finufft_execute(plan, there, f) == 0);
  EXPECT(finufft_destroy(plan) == 0);
  double complex left = 0, right = 0;
  double size = 0;
  for (int64_t i = 0; i < count; ++i) left += conj(f[i]) * grid[i];
  for (int j = 0; j < SOURCES; ++j) right += conj(there[j]) * c[j];
  for (int j = 0; j < SOURCES; ++j) size += cabs(there[j]) * cabs(c[j]);
  EXPECT(cabs(left - right) < 1e-12 * size);
}

static void check_refusals(void) {
  finufft_plan plan;
  EXPECT(finufft_makeplan(4, 1, modes, 1, 1, 1e-6, &plan, NULL) == FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT(strcmp(whorl_finufft_error(), "finufft_makeplan: type is 4, expected 1 to 3") == 0);
  EXPECT(plan == NULL);
  EXPECT(finufft_makeplan(1, 4, modes, 1, 1, 1e-6, &plan, NULL) == FINUFFT_ERR_DIM_NOTVALID);
  EXPECT(finufft_makeplan(1, 2, modes, 1, 0, 1e-6, &plan, NULL) == FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT(finufft_makeplan(1, 2, NULL, 1, 1, 1e-6, &plan, NULL) == FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT(finufft_makeplan(1, 2, modes, 1, 1, 2.0, &plan, NULL) == FINUFFT_ERR_INVALID_ARGUMENT);
  finufft_opts opts;
  finufft_default_opts(&opts);
  opts.upsampfac = 1.1;
  EXPECT(finufft_makeplan(1, 2, modes, 1, 1, 1e-6, &plan, &opts) == FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
  EXPECT(finufft_makeplan(1, 2, modes, 1, 1, 1e-6, &plan, NULL) == 0);
  double x[2] = {0.1, 0.2};
  double complex c[2] = {1, 2}, f[72];
  EXPECT(finufft_execute(plan, c, f) == FINUFFT_ERR_PLAN_NOTVALID);
  EXPECT(finufft_setpts(plan, 2, x, NULL, NULL, 0, NULL, NULL, NULL) == FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT(finufft_setpts(plan, 0, x, x, NULL, 0, NULL, NULL, NULL) == FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT(finufft_setpts(plan, 2, x, x, NULL, 0, NULL, NULL, NULL) == 0);
  x[0] = NAN;
  EXPECT(finufft_setpts(plan, 2, x, x, NULL, 0, NULL, NULL, NULL) == FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT(finufft_destroy(plan) == 0);
  finufftf_plan single;
  float xf[2] = {0.1F, 0.2F};
  EXPECT(finufftf_makeplan(1, 1, modes, 1, 1, 1e-9F, &single, NULL) == 0);
  EXPECT(finufftf_setpts(single, 2, xf, NULL, NULL, 0, NULL, NULL, NULL) == FINUFFT_WARN_EPS_TOO_SMALL);
  EXPECT(finufftf_destroy(single) == 0);
  EXPECT(finufft_destroy(NULL) == 1);
}

int main(void) {
  for (int dim = 1; dim <= 3; ++dim) {
    for (int type = 1; type <= 3; ++type) {
      check(dim, type, 1, 0, 1e-9);
      check(dim, type, -1, 1, 1e-6);
    }
  }
  for (int dim = 1; dim <= 3; ++dim) check_spreading(dim);
  check_refusals();
  if (failures > 0) return 1;
  puts("types 1 to 3 in one to three dimensions are their sums, and spreading alone is a part of them");
  return 0;
}
