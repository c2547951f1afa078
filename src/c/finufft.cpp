#include "whorl/c/finufft.h"

#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "whorl/op/gridding.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/position_nufft.hpp"
#include "whorl/op/tolerance_error.hpp"
#include "whorl/op/window.hpp"

namespace whorl::c {

namespace {

thread_local std::string last_error;

// An error with FINUFFT's code.
struct Refused {
  int code;
  std::string what;
};

// f() as a function of C.
template <class Function>
int guarded(const char* name, const Function& f) {
  const auto failed = [&](int code, const std::string& what) {
    last_error = std::string(name) + ": " + what;
    return code;
  };
  try {
    return f();
  } catch (const Refused& error) {
    return failed(error.code, error.what);
  } catch (const std::bad_alloc&) {
    return failed(FINUFFT_ERR_ALLOC, "out of memory");
  } catch (const std::exception& error) {
    return failed(FINUFFT_ERR_INVALID_ARGUMENT, error.what());
  }
}

template <class Real>
class Plan {
 public:
  using Complex = std::complex<Real>;

  Plan(int type, int dim, const int64_t* n_modes, int iflag, int n_trans, double tolerance, const finufft_opts& opts)
      : type_(type),
        dim_(dim),
        n_trans_(n_trans),
        sign_(iflag >= 0 ? 1 : -1),
        alone_(type != 3 && opts.spreadinterponly != 0),
        fft_order_(!alone_ && opts.modeord == 1) {
    if (type < 1 || type > 3)
      throw Refused{FINUFFT_ERR_TYPE_NOTVALID, "type is " + std::to_string(type) + ", expected 1 to 3"};
    if (dim < 1 || dim > 3)
      throw Refused{FINUFFT_ERR_DIM_NOTVALID, "dim is " + std::to_string(dim) + ", expected 1 to 3"};
    if (n_trans < 1) {
      throw Refused{FINUFFT_ERR_NTRANS_NOTVALID, "n_trans is " + std::to_string(n_trans) + ", expected 1 or more"};
    }
    if (opts.modeord != 0 && opts.modeord != 1) {
      throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "modeord is " + std::to_string(opts.modeord) + ", expected 0 or 1"};
    }
    if (opts.upsampfac != 0 && !(opts.upsampfac >= 1.25 && opts.upsampfac <= 2)) {
      throw Refused{FINUFFT_ERR_UPSAMPFAC_TOO_SMALL,
                    "upsampfac is " + std::to_string(opts.upsampfac) + ", expected 1.25 to 2"};
    }
    if (!(tolerance > 0 && tolerance < 1)) {
      throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "tol is " + std::to_string(tolerance) + ", expected between 0 and 1"};
    }
    if (type != 3) {
      std::vector<Index> extents;
      for (int axis = dim - 1; axis >= 0; --axis) {
        if (n_modes == nullptr || n_modes[axis] < 1) {
          throw Refused{FINUFFT_ERR_NDATA_NOTVALID,
                        "n_modes has to be " + std::to_string(dim) + " numbers of 1 or more"};
        }
        extents.push_back(n_modes[axis]);
      }
      modes_ = Shape(extents);
    }
    options_ = {.tolerance = tolerance, .oversampling = opts.upsampfac};
    if (opts.nthreads < 0) {
      throw Refused{FINUFFT_ERR_INVALID_ARGUMENT,
                    "nthreads is " + std::to_string(opts.nthreads) + ", expected 0 or more"};
    }
    ctx_ = Context({.threads = opts.nthreads});
  }

  int set_points(Index samples, std::array<const Real*, 3> x, Index targets, std::array<const Real*, 3> s) {
    Array<double> frequencies;
    if (type_ == 3) {
      const auto positions = columns(samples, x, 1, "positions");
      // whorl has exp(-2 pi i k.r)
      frequencies = columns(targets, s, -sign_ / (2 * std::numbers::pi), "frequencies");
      transform_ = with_least_tolerance([&](const NufftOptions& options) {
        return std::make_shared<const PositionNufft<Real>>(ctx_, frequencies, positions, n_trans_, options);
      });
    } else if (alone_) {
      // Grid point 0 lies at x = -pi here, at k = 0 in whorl.
      auto points = columns(samples, x, 1 / (2 * std::numbers::pi), "positions");
      for (double& turns : points.span()) turns = turns + 0.5 - std::nearbyint(turns + 0.5);
      transform_ = with_least_tolerance([&](const NufftOptions& options) {
        return std::make_shared<const Gridding<Real>>(ctx_, points, modes_, window_of(options), n_trans_);
      });
    } else {
      // whorl's forward has exp(-2 pi i k.r), its adjoint exp(+2 pi i k.r)
      auto points = columns(samples, x, (type_ == 1 ? sign_ : -sign_) / (2 * std::numbers::pi), "positions");
      for (double& turns : points.span()) turns -= std::nearbyint(turns);
      transform_ = with_least_tolerance([&](const NufftOptions& options) {
        return std::make_shared<const Nufft<Real>>(ctx_, points, modes_, n_trans_, options);
      });
    }
    return raised_ ? FINUFFT_WARN_EPS_TOO_SMALL : 0;
  }

  int execute(Complex* c, Complex* f, bool adjoint) const {
    if (transform_ == nullptr) throw Refused{FINUFFT_ERR_PLAN_NOTVALID, "the plan has no positions; call setpts first"};
    if (c == nullptr || f == nullptr) throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "c or f is NULL"};
    const LinearOperator<Real>& A = *transform_;
    if (type_ == 3) {
      const ArrayRef<Complex> sources(c, A.domain());
      const ArrayRef<Complex> targets(f, A.range());
      if (adjoint) {
        A.adjoint(ctx_, targets, sources);
      } else {
        A.forward(ctx_, sources, targets);
      }
      return 0;
    }
    const ArrayRef<Complex> samples(c, A.range());
    const ArrayRef<Complex> modes(f, A.domain());
    if ((type_ == 1) != adjoint) {  // to modes
      if (fft_order_) {
        Array<Complex> centered(ctx_, A.domain());
        A.adjoint(ctx_, samples, centered);
        scale(centered);
        turn(centered.data(), f, true);
      } else {
        A.adjoint(ctx_, samples, modes);
        scale(modes);
      }
      return 0;
    }
    Array<Complex> centered;
    if (fft_order_) {
      centered = Array<Complex>(ctx_, A.domain());
      turn(f, centered.data(), false);
    }
    A.forward(ctx_, fft_order_ ? centered.ref() : modes, samples);
    scale(samples);
    return 0;
  }

 private:
  Array<double> columns(Index count, std::array<const Real*, 3> from, double factor, const char* what) const {
    if (count < 1) {
      throw Refused{FINUFFT_ERR_NUM_NU_PTS_INVALID, std::to_string(count) + " " + what + ", expected 1 or more"};
    }
    Array<double> made(ctx_, {count, dim_});
    for (int axis = 0; axis < dim_; ++axis) {
      const Real* const values = from[static_cast<std::size_t>(axis)];
      if (values == nullptr) {
        throw Refused{FINUFFT_ERR_INVALID_ARGUMENT,
                      std::string(what) + " along axis " + std::to_string(axis + 1) + " are NULL"};
      }
      for (Index j = 0; j < count; ++j) made.data()[j * dim_ + axis] = factor * static_cast<double>(values[j]);
    }
    return made;
  }

  // What make gives, with the least tolerance that rounding allows if the plan's is below it.
  template <class Make>
  std::shared_ptr<const LinearOperator<Real>> with_least_tolerance(const Make& make) {
    raised_ = false;
    for (NufftOptions options = options_;; options.tolerance *= 1.25) {
      try {
        return make(options);
      } catch (const ToleranceError&) {
        if (options.tolerance > 1e-3) throw;
        raised_ = true;
        options.tolerance = std::max(options.tolerance, 1e-15);
      }
    }
  }

  // Window of a NUFFT with the same number of axes; the number of modes hardly matters.
  Window window_of(const NufftOptions& options) const {
    constexpr Index extent = 32;
    const std::vector<Index> extents(static_cast<std::size_t>(dim_), extent);
    return choose_window({.tolerance = options.tolerance, .epsilon = std::numeric_limits<double>::epsilon() / 2},
                         options.oversampling != 0 ? options.oversampling : 2, Shape(extents));
  }

  // whorl's transforms have the factor 1/sqrt(modes).
  void scale(ArrayRef<Complex> values) const {
    if (alone_) return;
    const auto factor = static_cast<Real>(std::sqrt(static_cast<double>(modes_.size())));
    for (Complex& value : values.span()) value *= factor;
  }

  // Between modes from -N/2 on and those from 0 on.
  void turn(const Complex* from, Complex* to, bool to_fft_order) const {
    std::array<Index, 3> n{1, 1, 1};
    for (int axis = 0; axis < dim_; ++axis) n[static_cast<std::size_t>(3 - dim_ + axis)] = modes_[axis];
    // Index i of the order of an FFT is i + floor(N/2) modulo N of the other.
    const auto centered = [&](std::size_t axis, Index i) { return (i + n[axis] / 2) % n[axis]; };
    for (Index b = 0; b < n_trans_; ++b) {
      for (Index z = 0; z < n[0]; ++z) {
        for (Index y = 0; y < n[1]; ++y) {
          const Index fft_row = ((b * n[0] + z) * n[1] + y) * n[2];
          const Index row = ((b * n[0] + centered(0, z)) * n[1] + centered(1, y)) * n[2];
          for (Index x = 0; x < n[2]; ++x) {
            if (to_fft_order) {
              to[fft_row + x] = from[row + centered(2, x)];
            } else {
              to[row + centered(2, x)] = from[fft_row + x];
            }
          }
        }
      }
    }
  }

  int type_;
  Index dim_;
  Index n_trans_;
  int sign_;
  bool alone_;  // without the Fourier transform
  bool fft_order_;
  Shape modes_;  // N3, N2, N1
  NufftOptions options_;
  Context ctx_;
  std::shared_ptr<const LinearOperator<Real>> transform_;
  bool raised_ = false;
};

template <class Handle, class Real>
int make_plan(const char* name, int type, int dim, const int64_t* n_modes, int iflag, int n_trans, Real tol,
              Handle* plan, const finufft_opts* opts) {
  return guarded(name, [&] {
    if (plan == nullptr) throw Refused{FINUFFT_ERR_PLAN_NOTVALID, "plan is NULL"};
    *plan = nullptr;
    finufft_opts usual;
    finufft_default_opts(&usual);
    using Plan = std::remove_pointer_t<Handle>;
    *plan = new Plan{{type, dim, n_modes, iflag, n_trans, static_cast<double>(tol), opts != nullptr ? *opts : usual}};
    return 0;
  });
}

template <class Handle, class Work>
int with_plan(const char* name, Handle handle, const Work& work) {
  return guarded(name, [&] {
    if (handle == nullptr) throw Refused{FINUFFT_ERR_PLAN_NOTVALID, "plan is NULL"};
    return work(handle->plan);
  });
}

}  // namespace

}  // namespace whorl::c

struct finufft_plan_s {
  whorl::c::Plan<double> plan;
};
struct finufftf_plan_s {
  whorl::c::Plan<float> plan;
};

using whorl::c::make_plan;
using whorl::c::with_plan;

void finufft_default_opts(finufft_opts* opts) { *opts = finufft_opts{}; }
void finufftf_default_opts(finufft_opts* opts) { *opts = finufft_opts{}; }

int finufft_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_trans, double tol, finufft_plan* plan,
                     const finufft_opts* opts) {
  return make_plan("finufft_makeplan", type, dim, n_modes, iflag, n_trans, tol, plan, opts);
}
int finufftf_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_trans, float tol, finufftf_plan* plan,
                      const finufft_opts* opts) {
  return make_plan("finufftf_makeplan", type, dim, n_modes, iflag, n_trans, tol, plan, opts);
}

int finufft_setpts(finufft_plan plan, int64_t M, const double* x, const double* y, const double* z, int64_t N,
                   const double* s, const double* t, const double* u) {
  return with_plan("finufft_setpts", plan, [&](auto& p) { return p.set_points(M, {x, y, z}, N, {s, t, u}); });
}
int finufftf_setpts(finufftf_plan plan, int64_t M, const float* x, const float* y, const float* z, int64_t N,
                    const float* s, const float* t, const float* u) {
  return with_plan("finufftf_setpts", plan, [&](auto& p) { return p.set_points(M, {x, y, z}, N, {s, t, u}); });
}

int finufft_execute(finufft_plan plan, finufft_complex_double* c, finufft_complex_double* f) {
  return with_plan("finufft_execute", plan, [&](const auto& p) { return p.execute(c, f, false); });
}
int finufftf_execute(finufftf_plan plan, finufft_complex_float* c, finufft_complex_float* f) {
  return with_plan("finufftf_execute", plan, [&](const auto& p) { return p.execute(c, f, false); });
}
int finufft_execute_adjoint(finufft_plan plan, finufft_complex_double* c, finufft_complex_double* f) {
  return with_plan("finufft_execute_adjoint", plan, [&](const auto& p) { return p.execute(c, f, true); });
}
int finufftf_execute_adjoint(finufftf_plan plan, finufft_complex_float* c, finufft_complex_float* f) {
  return with_plan("finufftf_execute_adjoint", plan, [&](const auto& p) { return p.execute(c, f, true); });
}

int finufft_destroy(finufft_plan plan) {
  if (plan == nullptr) return 1;  // as FINUFFT does
  delete plan;
  return 0;
}
int finufftf_destroy(finufftf_plan plan) {
  if (plan == nullptr) return 1;
  delete plan;
  return 0;
}

const char* whorl_finufft_error(void) { return whorl::c::last_error.c_str(); }
