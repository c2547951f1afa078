#include "recon/tiles/staged_operator.hpp"

#include <complex>
#include <string>
#include <utility>

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;

class Staged final : public LinearOperator<float> {
 public:
  explicit Staged(Operator<float> op)
      : LinearOperator(op.domain(), op.range(), op.name(), op->device()), op_(std::move(op)) {}

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    stage(ctx, x, z,
          [&](const Context& own, ArrayRef<const Complex> a, ArrayRef<Complex> b) { op_.normal(own, a, b); });
  }

 private:
  // The copies on a GPU are queued as its other work is, so the pool may give the arrays away before they are done.
  template <class Work>
  static void stage(const Context& ctx, ArrayRef<const Complex> from, ArrayRef<Complex> to, const Work& work) {
    const Context own = ctx.unspilled();
    if (own.device().kind == DeviceKind::cpu) return work(own, from, to);
    const Array<Complex> taken = clone(own, from);
    Array<Complex> made(own, to.shape());
    work(own, taken.ref(), made.ref());
    copy<Complex>(own, made, to);
  }

  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    stage(ctx, x, y,
          [&](const Context& own, ArrayRef<const Complex> a, ArrayRef<Complex> b) { op_.forward(own, a, b); });
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    stage(ctx, y, x,
          [&](const Context& own, ArrayRef<const Complex> a, ArrayRef<Complex> b) { op_.adjoint(own, a, b); });
  }

  Operator<float> op_;
};

class InFiles final : public LinearOperator<float> {
 public:
  InFiles(Operator<float> op, std::string folder)
      : LinearOperator(op.domain(), op.range(), op.name(), op->device()),
        op_(std::move(op)),
        folder_(std::move(folder)) {}

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    op_.normal(ctx.spilled(folder_), x, z);
  }

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    op_.forward(ctx.spilled(folder_), x, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    op_.adjoint(ctx.spilled(folder_), y, x);
  }

  Operator<float> op_;
  std::string folder_;
};

}  // namespace

Operator<float> working_in_files(Operator<float> op, std::string folder) {
  return InFiles(std::move(op), std::move(folder));
}

Operator<float> staged(Operator<float> op) { return Staged(std::move(op)); }

}  // namespace whorl::recon
