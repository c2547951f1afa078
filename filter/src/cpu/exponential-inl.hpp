// exp(-x) of vectors. Included once for each instruction set.
#if defined(WHORL_CPU_FILTER_EXPONENTIAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_CPU_FILTER_EXPONENTIAL_INL
#undef WHORL_CPU_FILTER_EXPONENTIAL_INL
#else
#define WHORL_CPU_FILTER_EXPONENTIAL_INL
#endif

#include <hwy/highway.h>

#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As kernels::exp_minus.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> exp_minus(hn::Vec<hn::ScalableTag<float>> x) {
  using Vector = hn::Vec<hn::ScalableTag<float>>;
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<hn::ScalableTag<float>> whole_tag;
  const Vector turned = hn::Mul(x, hn::Set(d, std::numbers::log2e_v<float>));
  const Vector most = hn::Set(d, 126.0F);
  const Vector power = hn::IfThenElse(hn::Lt(turned, most), turned, most);
  const auto whole = hn::ConvertTo(whole_tag, hn::Add(power, hn::Set(d, 0.5F)));
  const Vector r = hn::Sub(hn::ConvertTo(d, whole), power);
  Vector sum = hn::Set(d, 1.54035304e-4F);
  for (const float term :
       {1.33335581e-3F, 9.61812911e-3F, 5.55041087e-2F, 2.40226507e-1F, std::numbers::ln2_v<float>, 1.0F}) {
    sum = hn::Add(hn::Mul(sum, r), hn::Set(d, term));
  }
  const auto exponent = hn::ShiftLeft<23>(hn::Sub(hn::Set(whole_tag, 127), whole));
  return hn::Mul(sum, hn::BitCast(d, exponent));
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
