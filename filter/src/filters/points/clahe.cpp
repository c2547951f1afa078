#include "whorl/filter/points/clahe.hpp"

#include <algorithm>

#include "filter/src/filters/points/light.hpp"
#include "filter/src/kernels/points/clahe.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/points/point_program.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

constexpr Index most_tiles = 256;
constexpr double largest_limit = 65536;

class Clahe : public filters::RepeatableFilter {
 public:
  explicit Clahe(const ClaheOptions& options) : RepeatableFilter("clahe"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    filters::take_gray_only(name(), input);
    if (input.type != PixelType::float32) return input;
    throw Unsupported("clahe: takes uint8 or uint16, got float32; apply 'convert uint16' first");
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    const Index levels = levels_of(format.type);
    const kernels::ClaheTiles tiles = tiles_of(format, levels);
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      if constexpr (!std::is_floating_point_v<T>) {
        Array<T> tables(ctx, {format.slices(), tiles.count, tiles.count, levels});
        kernels::clahe_tables<T>(ctx, format, tiles, input.pixels<T>().data(), tables.data());
        kernels::clahe_map<T>(ctx, format, tiles, tables.data(), input.pixels<T>().data(), result.pixels<T>().data());
      }
    });
  }

  kernels::ClaheTiles tiles_of(const ImageFormat& format, Index levels) const {
    const Index n = options_.tiles;
    kernels::ClaheTiles tiles;
    tiles.count = n;
    tiles.width = format.width / n;
    tiles.height = format.height / n;
    // As in OpenCV: if one side is not a multiple of the number of tiles, tiles grow by one pixel along both sides.
    if (format.width % n != 0 || format.height % n != 0) {
      ++tiles.width;
      ++tiles.height;
    }
    const Index area = tiles.width * tiles.height;
    if (options_.clip_limit > 0) {
      const double limit = options_.clip_limit * static_cast<double>(area) / static_cast<double>(levels);
      tiles.limit = std::max<Index>(1, static_cast<Index>(limit));
    }
    return tiles;
  }

  ClaheOptions options_;
};

const auto& clahe_filter() {
  static const auto filter =
      DescribeFilter<ClaheOptions>("clahe",
                                   [](const ClaheOptions& options) { return std::make_unique<Clahe>(options); })
          .summary("Equalize light tile by tile, with bounded contrast")
          .text(
              "Contrast-limited adaptive histogram equalization (Zuiderveld 1994) of gray integers, as OpenCV "
              "computes it. Counts above the limit are distributed to all levels. A pixel takes the tables of the "
              "four tiles around it, with bilinear weights.")
          .integer("tiles", &ClaheOptions::tiles, {1, most_tiles}, "", "number along each side")
          .real("clip", &ClaheOptions::clip_limit, {0, largest_limit}, "",
                "limit of a level's count, in multiples of a tile's mean count per level; 0: no limit");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_clahe(const ClaheOptions& options) { return clahe_filter().make(options); }

FilterDescriptor filters::clahe_descriptor() { return clahe_filter().build(); }

}  // namespace whorl
