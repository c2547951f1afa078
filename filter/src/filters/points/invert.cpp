#include "whorl/filter/points/invert.hpp"

#include "filter/src/filters/points/light.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

class Invert : public filters::PointFilter {
 public:
  Invert() : PointFilter("invert") {}

 private:
  PointProgram do_points(const ImageFormat& input) const override {
    filters::refuse_complex(name(), input);
    PointProgram program(input);
    const double full = full_scale(input.type);
    if (program.is_integer()) {
      program.map([&](double v) { return full - v; });
    } else {
      filters::add_affine(program, -1, full);
    }
    return program;
  }
};

const auto& invert_filter() {
  static const auto filter = DescribeFilter<InvertOptions>(
                                 "invert", [](const InvertOptions& /*options*/) { return std::make_unique<Invert>(); })
                                 .summary("Make the negative of an image")
                                 .text("Each color v becomes full - v, where full is 255, 65535 or 1.");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_invert(const InvertOptions& options) { return invert_filter().make(options); }

FilterDescriptor filters::invert_descriptor() { return invert_filter().build(); }

}  // namespace whorl
