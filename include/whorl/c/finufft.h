/* The guru interface of FINUFFT in C, computed by whorl: programs written for it are compiled with this header in the place of
 * finufft.h and linked with libwhorl_finufft. Names starting with finufft_ are for double precision, finufftf_ for single.
 *
 *   type 1  f[k] = sum_j c[j] exp(+-i k.x_j)     modes k from -N/2 on, k1 fastest; c[n_trans][M], f[n_trans][N3][N2][N1]
 *   type 2  c[j] = sum_k f[k] exp(+-i k.x_j)
 *   type 3  f[k] = sum_j c[j] exp(+-i s_k.x_j)   f[n_trans][N]
 *
 * Positions x_j of types 1 and 2 are in radians, and periodic. `tol` bounds the root mean square error of results for data of
 * random phases, relative to their norm (NufftAccuracy::typical of whorl/op/window.hpp).
 *
 * Every function but default_opts returns 0, FINUFFT_WARN_EPS_TOO_SMALL where a tolerance below what rounding allows was raised,
 * or a code above that, and then has done nothing; whorl_finufft_error() says what was wrong. Nothing is printed.
 *
 * Threads: a plan may be executed by several threads at once.
 * Source: Barnett, Magland, af Klinteberg, SIAM J. Sci. Comput. 41 (2019) C479
 */
#ifndef WHORL_C_FINUFFT_H
#define WHORL_C_FINUFFT_H

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): C, with FINUFFT's names */

#include <stdint.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<double> finufft_complex_double;
typedef std::complex<float> finufft_complex_float;
extern "C" {
#else
#include <complex.h>
typedef double _Complex finufft_complex_double;
typedef float _Complex finufft_complex_float;
#endif

#if defined(__GNUC__)
#define WHORL_C_API __attribute__((visibility("default")))
#else
#define WHORL_C_API
#endif

enum {
  FINUFFT_WARN_EPS_TOO_SMALL = 1,
  FINUFFT_ERR_UPSAMPFAC_TOO_SMALL = 7,
  FINUFFT_ERR_NTRANS_NOTVALID = 9,
  FINUFFT_ERR_TYPE_NOTVALID = 10,
  FINUFFT_ERR_ALLOC = 11,
  FINUFFT_ERR_DIM_NOTVALID = 12,
  FINUFFT_ERR_NDATA_NOTVALID = 14,
  FINUFFT_ERR_PLAN_NOTVALID = 16,
  FINUFFT_ERR_NUM_NU_PTS_INVALID = 20,
  FINUFFT_ERR_INVALID_ARGUMENT = 21
};

/* modeord, spreadinterponly, nthreads and upsampfac have their meaning; the other fields tune FINUFFT's own code, and have no
 * effect.
 *
 * With spreadinterponly 1 (types 1 and 2) nothing is Fourier transformed: type 1 spreads the strengths onto a periodic grid of
 * n_modes points, type 2 interpolates from it. Point i of N is at x = -pi + 2 pi i / N. The window is that of whorl for `tol` and
 * upsampfac (2 if it is 0), 1 at its center; iflag and modeord have no effect. */
typedef struct finufft_opts {
  int modeord;       /* 0: modes from -N/2 on; 1: in the order of an FFT, from 0 on */
  int spreadinterponly;  /* 1: spreads or interpolates alone */
  int debug;
  int spread_debug;
  int showwarn;
  int nthreads;      /* 0: all */
  int fftw;
  int spread_sort;
  int spread_kerevalmeth;
  int spread_kerpad;
  double upsampfac;  /* 1.25 to 2; 0: chosen */
  int spread_thread;
  int maxbatchsize;
  int spread_nthr_atomic;
  int spread_max_sp_size;
  int chkbnds;
} finufft_opts;

typedef struct finufft_plan_s* finufft_plan;
typedef struct finufftf_plan_s* finufftf_plan;

WHORL_C_API void finufft_default_opts(finufft_opts* opts);
WHORL_C_API void finufftf_default_opts(finufft_opts* opts);

/* n_modes: dim numbers of modes, N1 first (types 1 and 2). iflag: the sign of the exponent, + from 0 on. opts: NULL for the usual
 * ones. */
WHORL_C_API int finufft_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_trans, double tol,
                                 finufft_plan* plan, const finufft_opts* opts);
WHORL_C_API int finufftf_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_trans, float tol,
                                  finufftf_plan* plan, const finufft_opts* opts);

/* M positions and, for type 3, N frequencies: arrays for dim axes, NULL for the others. They are copied. */
WHORL_C_API int finufft_setpts(finufft_plan plan, int64_t M, const double* x, const double* y, const double* z, int64_t N,
                               const double* s, const double* t, const double* u);
WHORL_C_API int finufftf_setpts(finufftf_plan plan, int64_t M, const float* x, const float* y, const float* z, int64_t N,
                                const float* s, const float* t, const float* u);

/* Type 2 reads f and writes c, types 1 and 3 read c and write f; execute_adjoint goes the other way, with the other sign. */
WHORL_C_API int finufft_execute(finufft_plan plan, finufft_complex_double* c, finufft_complex_double* f);
WHORL_C_API int finufftf_execute(finufftf_plan plan, finufft_complex_float* c, finufft_complex_float* f);
WHORL_C_API int finufft_execute_adjoint(finufft_plan plan, finufft_complex_double* c, finufft_complex_double* f);
WHORL_C_API int finufftf_execute_adjoint(finufftf_plan plan, finufft_complex_float* c, finufft_complex_float* f);

WHORL_C_API int finufft_destroy(finufft_plan plan);
WHORL_C_API int finufftf_destroy(finufftf_plan plan);

/* What went wrong in this thread's last call that returned a code above 1; it is overwritten by the next. */
WHORL_C_API const char* whorl_finufft_error(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
