// FFTW's two precisions behind one name.
#pragma once

#include <fftw3.h>

#include <complex>
#include <mutex>

namespace whorl::backend::cpu {

/// FFTW's planner is not thread-safe; execution is.
inline std::mutex& fftw_planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

template <class Real>
struct Fftw;

template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static Plan many(int n, int howmany, Complex* data, int sign) {
    return fftwf_plan_many_dft(1, &n, howmany, data, nullptr, 1, n, data, nullptr, 1, n, sign,
                               FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  static void execute(Plan plan, Complex* data) { fftwf_execute_dft(plan, data, data); }
  static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static Plan many(int n, int howmany, Complex* data, int sign) {
    return fftw_plan_many_dft(1, &n, howmany, data, nullptr, 1, n, data, nullptr, 1, n, sign,
                              FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  static void execute(Plan plan, Complex* data) { fftw_execute_dft(plan, data, data); }
  static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};

}  // namespace whorl::backend::cpu
