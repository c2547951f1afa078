// A filter of one's own, in a pipeline with the library's.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/io/picture.hpp"

namespace {

/// Keeps a few levels of each channel.
class Posterize final : public whorl::Filter {
 public:
  explicit Posterize(int levels) : Filter("posterize"), levels_(levels) {}

 private:
  whorl::ImageFormat do_output(const whorl::ImageFormat& input) const override { return input; }

  void do_apply(const whorl::Context& ctx, const whorl::Image& input, whorl::Image& result) const override {
    if (ctx.device().kind != whorl::DeviceKind::cpu) throw whorl::Unsupported("posterize runs on the CPU only");
    const whorl::ImageFormat& format = input.format();
    whorl::with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      const double white = whorl::full_scale(format.type);
      const auto from = input.pixels<T>();
      const auto to = result.pixels<T>();
      for (whorl::Index i = 0; i < from.size(); ++i) {
        const double part = std::clamp(static_cast<double>(from.data()[i]) / white, 0.0, 1.0);
        to.data()[i] = static_cast<T>(std::round(part * (levels_ - 1)) / (levels_ - 1) * white);
      }
    });
  }
  /// Each row depends on itself alone: large images may be cut into bands.
  whorl::RowRange do_rows_needed(const whorl::ImageFormat& /*input*/, whorl::RowRange result) const override {
    return result;
  }

  int levels_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_own_filter PICTURE PICTURE\n";
    return 2;
  }
  try {
    const whorl::Context ctx;
    whorl::Pipeline pipeline = whorl::Pipeline::parse("gaussian sigma=1.5");
    pipeline.add(std::make_shared<const Posterize>(4));
    whorl::write_picture(ctx, argv[2], pipeline.apply(ctx, whorl::read_picture(ctx, argv[1])));
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
