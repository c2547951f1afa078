// A filter of one's own, which texts of pipelines and the help know as the library's.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/reference.hpp"
#include "whorl/io/picture.hpp"

namespace {

struct PosterizeOptions {
  int levels = 4;
};

/// Keeps a few levels of each channel.
class Posterize final : public whorl::Filter {
 public:
  explicit Posterize(const PosterizeOptions& options) : Filter("posterize"), levels_(options.levels) {}

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

/// Name, help and options of the filter, and what makes it. Ranges are checked by this table.
whorl::FilterDescriptor posterize() {
  return whorl::DescribeFilter<PosterizeOptions>(
             "posterize", [](const PosterizeOptions& options) { return std::make_unique<Posterize>(options); })
      .summary("Keep a few levels of each channel")
      .integer("levels", &PosterizeOptions::levels, {2, 256}, "", "of each channel")
      .build();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example_own_filter PICTURE PICTURE\n";
    return 2;
  }
  try {
    const whorl::Context ctx;
    whorl::FilterRegistry::global().add(posterize());
    std::cout << whorl::filter_help(whorl::FilterRegistry::global().find("posterize"));
    const whorl::Pipeline pipeline = whorl::Pipeline::parse("gaussian sigma=1.5 | posterize levels=5");
    whorl::write_picture(ctx, argv[2], pipeline.apply(ctx, whorl::read_picture(ctx, argv[1])));
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
