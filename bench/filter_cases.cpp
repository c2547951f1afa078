#include "bench/filter_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl::bench {

namespace {

constexpr ImageFormat picture(PixelType type, Channels channels, Index height, Index width) {
  return {type, channels, 1, 1, height, width};
}

// Odd extents, longer than a tile and not a multiple of a vector.
constexpr Index small_height = 75;
constexpr Index small_width = 141;

enum Formats { every = 0, without_complex = 1, gray_only = 2, volumes = 4 };

// On what a filter has to be the same on all devices: all types, and the channels that it takes.
void add_small(std::vector<FilterCase>& cases, const std::string& text, int formats = every,
               const std::string& shown = {}) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const auto add = [&](Channels channels) {
      cases.push_back({text, picture(type, channels, small_height, small_width), true, shown});
    };
    add(Channels::gray);
    if ((formats & gray_only) == 0) add(Channels::rgb);
    if ((formats & gray_only) == 0) add(Channels::rgba);
    if (type == PixelType::float32 && (formats & (without_complex | gray_only)) == 0) add(Channels::complex);
  }
  if ((formats & volumes) != 0) {
    cases.push_back({text, {PixelType::float32, Channels::gray, 2, 5, 23, 37}, true, shown});
  }
}

// Rows of whole vectors.
void add_even(std::vector<FilterCase>& cases, const std::string& text, const std::string& shown = {}) {
  constexpr Index even_width = 144;
  for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
    cases.push_back({text, picture(PixelType::uint8, channels, small_height, even_width), true, shown});
  }
  cases.push_back({text, picture(PixelType::uint16, Channels::rgb, small_height, even_width), true, shown});
  cases.push_back({text, {PixelType::float32, Channels::gray, 2, 1, small_height, even_width}, true, shown});
}

void add_integers(std::vector<FilterCase>& cases, const std::string& text) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
    cases.push_back({text, picture(type, Channels::gray, small_height, small_width), true});
    cases.push_back({text, picture(type, Channels::gray_alpha, small_height, small_width), true});
  }
}

void add_complex(std::vector<FilterCase>& cases, const std::string& text) {
  cases.push_back({text, {PixelType::float32, Channels::complex, 4, 3, 23, 37}, true});
}

// What is timed: a small and a large picture, and gray float.
void add_timed(std::vector<FilterCase>& cases, const std::string& text, const std::string& shown = {}) {
  for (const Index extent : {800, 4096}) {
    cases.push_back({text, picture(PixelType::uint8, Channels::rgb, extent, extent), false, shown});
    cases.push_back({text, picture(PixelType::float32, Channels::gray, extent, extent), false, shown});
  }
}

// A kernel of small integers, neither symmetric nor separable.
std::string dense_kernel(Index width, Index height) {
  std::string text;
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      text += fmt::format("{}{}", x > 0 ? "," : y > 0 ? ";" : "", (3 * x * x + 5 * y + x * y) % 11 - 3);
    }
  }
  return text;
}

void add_kernels(std::vector<FilterCase>& cases) {
  add_small(cases, "custom '1,2,0;-3,5,1;0,-1,2' divisor=6 offset=10", volumes);
  add_small(cases, "custom '" + dense_kernel(5, 7) + "' divisor=40 border=wrap", every, "custom 5x7 border=wrap");
  add_small(cases, "custom '" + dense_kernel(15, 15) + "' divisor=225 border=constant border-value=30 output=signed",
            every, "custom 15x15 border=constant output=signed");
  add_small(cases, "custom '0.11,0.37,0.123456789;0.2,-0.3,0.1;0.01,0.05,0.3' output=absolute border=replicate");
  // By Fourier transforms.
  for (const Channels channels : {Channels::gray, Channels::rgb, Channels::complex}) {
    cases.push_back({"custom '" + dense_kernel(161, 163) + "' divisor=40000",
                     picture(PixelType::float32, channels, small_height, small_width), true, "custom 161x163"});
  }
  add_small(cases, "scharr y output=absolute");
  add_small(cases, "sobel-x output=signed");
  add_small(cases, "sobel-y");
  add_small(cases, "unsharp");
  add_small(cases, "unsharp 0.7 2.5", volumes);
  add_even(cases, "sobel-x");
  add_even(cases, "sobel-y output=absolute border=wrap");
  add_even(cases, "unsharp border=replicate");
  add_even(cases, "custom '" + dense_kernel(3, 3) + "' divisor=7 offset=3 border=constant border-value=30",
           "custom 3x3 border=constant");
  add_even(cases, "custom '" + dense_kernel(5, 5) + "' divisor=20", "custom 5x5");
  add_even(cases, "custom '" + dense_kernel(3, 5) + "' divisor=-9 output=absolute border=wrap",
           "custom 3x5 border=wrap");
  add_even(cases, "custom '" + dense_kernel(5, 1) + "' divisor=11 border=constant border-value=200",
           "custom 5x1 border=constant");
  add_timed(cases, "custom '" + dense_kernel(5, 5) + "' divisor=20", "custom 5x5");
  add_timed(cases, "custom '" + dense_kernel(15, 15) + "' divisor=225", "custom 15x15");
  add_timed(cases, "sobel-x");
  add_timed(cases, "unsharp");
  add_timed(cases, "unsharp 1.5 2");
}

void add_edges(std::vector<FilterCase>& cases) {
  add_small(cases, "canny", without_complex | volumes);
  add_small(cases, "canny 40 80 sigma=0 norm=l1 ties=drop border=wrap", without_complex);
  add_small(cases, "canny sigma=2.5 radius=7 border=constant border-value=0.3", without_complex);
  add_small(cases, "gray | gamma 0.45 | canny radius=3", without_complex | volumes);
  add_even(cases, "canny 3 9 sigma=0");
  add_timed(cases, "canny");
  // A pipeline, and its parts alone.
  for (const Index extent : {800, 4096}) {
    cases.push_back(
        {"gray | gaussian 1.4 2 | canny sigma=0", picture(PixelType::uint8, Channels::rgb, extent, extent)});
    cases.push_back({"gray", picture(PixelType::uint8, Channels::rgb, extent, extent)});
    for (const char* part : {"gaussian 1.4 2", "canny sigma=0", "canny"}) {
      cases.push_back({part, picture(PixelType::uint8, Channels::gray, extent, extent)});
    }
  }
  // Edges behind point operations: on a GPU one kernel of tiles, or a pass and the kernel that goes down rows.
  for (const Index extent : {800, 4096}) {
    for (const char* text :
         {"gamma 0.45 | canny", "gray | canny", "gamma 0.45 | canny sigma=0", "gamma 0.45 | canny radius=3"}) {
      cases.push_back({text, picture(PixelType::uint8, Channels::rgb, extent, extent)});
    }
    cases.push_back({"window 0.2 0.8 | canny", picture(PixelType::float32, Channels::gray, extent, extent)});
  }
}

// Pipelines of one pass: on the CPU, and by words on a GPU too.
void add_pipelines(std::vector<FilterCase>& cases) {
  add_small(cases, "gamma 0.45 | gaussian 1.4 | scale 1.2 -0.1", without_complex | volumes);
  add_small(cases, "invert | sobel-x output=signed | convert uint8", without_complex);
  add_small(cases, "invert | median 2 | gamma 0.45", without_complex);
  add_small(cases, "scale 0.5 0.2 | resize 1.3 | gray | dilate 2 | invert", without_complex);
  for (const char* filter :
       {"gaussian 1 2", "gaussian 1.3 4 border=wrap", "gaussian 1.5 3 border=constant border-value=0.4",
        "gaussian 2.5 7", "sobel-x output=absolute",
        "custom '1,2,0;-3,5,1;0,-1,2' divisor=6 border=constant border-value=0.4", "median 1",
        "median 2 border=constant", "median 3", "erode 1 border=constant", "dilate 3 border=replicate",
        "erode 3 disc"}) {
    add_even(cases, fmt::format("invert | {} | scale 0.7 0.1", filter));
    add_even(cases, fmt::format("scale 0.7 0.1 | {}", filter));
    add_even(cases, fmt::format("{} | invert", filter));
  }
  for (const char* filter : {"resize 1.5", "resize 2 method=bicubic", "resize 0.5 method=area"}) {
    add_small(cases, fmt::format("invert | {} | scale 0.7 0.1", filter), without_complex);
  }
  add_even(cases, "invert | custom '" + dense_kernel(5, 5) + "' divisor=20 | scale 0.7 0.1",
           "invert | custom 5x5 | scale");
  for (const char* text :
       {"gamma 0.45 | gaussian 1 2 | invert", "gamma 0.45 | sobel-x", "invert", "gamma 0.45 | median 1 | invert",
        "gamma 0.45 | median 2 | invert", "gamma 0.45 | dilate 7 | invert", "resize 1.5 | invert"}) {
    cases.push_back({text, picture(PixelType::uint8, Channels::rgb, 4096, 4096)});
  }
  for (const char* text : {"window 0.2 0.8 | gaussian 1 2 | scale 0.5 0.1", "window 0.2 0.8 | unsharp",
                           "window 0.2 0.8", "scale 0.5 0.1"}) {
    cases.push_back({text, picture(PixelType::float32, Channels::gray, 4096, 4096)});
  }
}

void add_gaussians(std::vector<FilterCase>& cases) {
  add_small(cases, "gaussian 1.4", volumes);
  add_small(cases, "gaussian 3 7 border=wrap");
  add_small(cases, "gaussian 3 7 border=replicate");
  add_small(cases, "gaussian 6 border=constant border-value=9");
  add_small(cases, "gaussian 1 2 dims=3d", volumes);
  add_small(cases, "gaussian 20", volumes);
  add_small(cases, "gaussian 20 border=constant border-value=9");
  for (const char* text :
       {"gaussian 0.6 1", "gaussian 1 2 border=wrap", "gaussian 1.5 3 border=constant border-value=9",
        "gaussian 1.5 4 border=replicate", "gaussian 2.5 7", "gaussian 3 8 border=constant border-value=9",
        "gaussian 5 15 border=wrap", "gaussian 8 22 border=replicate", "gaussian 0.8 12", "gaussian 13 38"}) {
    add_even(cases, text);
  }
  // Pictures so large that a block takes several steps along rows or down them, and that some blocks touch no edge.
  for (const char* text : {"gaussian 2.5 7", "gaussian 5 15 border=wrap"}) {
    constexpr Index shorter = 1100;
    constexpr Index longer = 4112;
    cases.push_back({text, picture(PixelType::uint8, Channels::rgb, shorter, longer), true});
    cases.push_back({text, picture(PixelType::float32, Channels::gray, longer, shorter), true});
  }
  add_timed(cases, "gaussian 1 2");
  add_timed(cases, "gaussian 2.5 7");
  add_timed(cases, "gaussian 5 15");
  add_timed(cases, "gaussian 20");
}

void add_medians(std::vector<FilterCase>& cases) {
  for (const char* radius : {"1", "2", "3", "4", "7", "9", "15", "20"}) {
    add_small(cases, fmt::format("median {}", radius), without_complex | volumes);
  }
  for (const char* border : {"constant", "reflect", "replicate", "wrap"}) {
    add_even(cases, fmt::format("median 1 border={}", border));
  }
  for (const char* radius : {"1", "2", "4", "7", "15"}) add_timed(cases, fmt::format("median {}", radius));
}

void add_denoising(std::vector<FilterCase>& cases) {
  add_small(cases, "bias", gray_only | volumes);
  add_small(cases, "bias 9 0.2 dims=3d", gray_only | volumes);
  add_small(cases, "bias 9 output=field", gray_only);
  add_small(cases, "bilateral", without_complex | volumes);
  add_small(cases, "bilateral 2 0.2 7 border=wrap", without_complex);
  add_small(cases, "bilateral 1.5 40 border=constant border-value=0.25", without_complex);
  add_small(cases, "bilateral 20 30 border=replicate", without_complex);
  add_small(cases, "gibbs", gray_only | volumes);
  cases.push_back({"gibbs 6 2 4", picture(PixelType::float32, Channels::complex, small_height, small_width), true});
  add_small(cases, "heat 2.3", volumes);
  add_small(cases, "heat 1.1 border=replicate");
  add_small(cases, "heat 1.1 border=wrap");
  add_small(cases, "heat 1.1 border=constant border-value=0.25");
  add_small(cases, "heat 1.1 dims=3d", volumes);
  add_small(cases, "heat 9 method=implicit dims=3d", volumes);
  add_small(cases, "heat 9 method=implicit border=replicate");
  add_small(cases, "heat 9 method=implicit border=wrap");
  add_small(cases, "heat 9 method=implicit border=constant");
  add_small(cases, "nlm patch=2 search=3", volumes);
  add_small(cases, "nlm 0.2 patch=1 search=4 border=constant border-value=0.25");
  add_small(cases, "nlm patch=3 search=3 sigma=0.1 rician=yes", without_complex);
  add_small(cases, "perona-malik 7", volumes);
  add_small(cases, "perona-malik 5 conduction=rational border=replicate");
  add_small(cases, "perona-malik 5 dims=3d border=wrap", volumes);
  add_small(cases, "perona-malik 5 border=constant border-value=0.25");
  cases.push_back({"bias", picture(PixelType::float32, Channels::gray, 800, 800)});
  cases.push_back({"gibbs", picture(PixelType::float32, Channels::gray, 800, 800)});
  add_timed(cases, "bilateral 3 30 4");
  add_timed(cases, "heat 2");
  add_timed(cases, "heat 50 method=implicit");
  add_timed(cases, "nlm search=5");
  add_timed(cases, "perona-malik 8");
}

void add_morphology(std::vector<FilterCase>& cases) {
  for (const char* operation : {"dilate", "erode"}) add_small(cases, operation, without_complex);
  add_even(cases, "dilate border=replicate");
  add_even(cases, "erode border=constant border-value=100");
  add_timed(cases, "dilate");
  add_timed(cases, "dilate 7");
  add_timed(cases, "dilate 7 disc");
  add_small(cases, "dilate 7 disc", without_complex);
  add_small(cases, "dilate 20", without_complex);
  add_small(cases, "gradient 3 cross", without_complex);
  add_small(cases, "open 2 disc border=constant", without_complex | volumes);
  add_small(cases, "tophat 2 border=wrap", without_complex);
}

void add_geometry(std::vector<FilterCase>& cases) {
  add_small(cases, "align coarsest=10", gray_only);
  add_small(cases, "align subpixel=2 score=correlation", without_complex);
  add_small(cases, "crop 5 7 31 15", volumes);
  add_small(cases, "flip x", volumes);
  add_small(cases, "flip y", volumes);
  add_small(cases, "flip z", volumes);
  cases.push_back({"flip x", {PixelType::uint8, Channels::rgb, 2, 3, 5, 300}, true});
  add_even(cases, "flip x");
  add_even(cases, "flip y");
  add_timed(cases, "flip x");
  for (const char* border : {"reflect", "replicate", "wrap", "constant border-value=0.3"}) {
    add_small(cases, fmt::format("pad 3 140 1 80 border={}", border), volumes);
    add_small(cases, fmt::format("rotate 33 method=bicubic size=same border={}", border), volumes);
  }
  add_small(cases, "register reference=0 subpixel=3", volumes);
  for (const char* method : {"bilinear", "bicubic", "lanczos", "area", "nearest"}) {
    add_small(cases, fmt::format("resize 1.5 method={}", method), volumes);
    const bool is_area = std::string_view(method) == "area";  // which covers the image, and has no alignment
    add_small(cases, fmt::format("resize 0.4 method={}{}", method, is_area ? "" : " align=centers"), volumes);
  }
  add_small(cases, "resize width=90 height=100 method=bicubic antialias=no", volumes);
  add_small(cases, "resize 3.7");
  for (const char* method : {"bilinear", "bicubic"}) {
    add_even(cases, fmt::format("resize 1.5 method={}", method));
    // Rows that take more than one block, of nearly as many pixels as before.
    for (const Index width : {700, 701}) {
      cases.push_back({fmt::format("resize 1.02 method={} align=centers", method),
                       {PixelType::uint8, Channels::rgb, 2, 1, small_height, width},
                       true});
    }
  }
  add_small(cases, "rotate 90", volumes);
  add_small(cases, "rotate 180");
  add_small(cases, "rotate -90");
  add_small(cases, "rotate -7.5", volumes);
  add_timed(cases, "resize 1.5");
  add_timed(cases, "resize 0.5 method=area");
  add_timed(cases, "resize 1.5 method=bicubic");
  add_timed(cases, "rotate 30");
}

void add_light(std::vector<FilterCase>& cases) {
  add_small(cases, "autocontrast", without_complex);
  add_small(cases, "autocontrast 0.05", without_complex);
  add_integers(cases, "clahe tiles=3 clip=4");
  add_small(cases, "clip 0.2 0.7", without_complex);
  add_small(cases, "convert float32 | scale 0.9 0.05 | convert uint16", without_complex);
  add_small(cases, "convert uint8", without_complex);
  add_small(cases, "gamma 0.45", without_complex | volumes);
  add_small(cases, "gray | gamma 2.2 | invert | window 0.1 200", without_complex);
  add_small(cases, "gray bt601", without_complex);
  add_small(cases, "gray mean", without_complex);
  add_complex(cases, "imaginary");
  add_small(cases, "invert", without_complex);
  add_complex(cases, "magnitude | window 0.1 0.9");
  add_complex(cases, "phase");
  add_complex(cases, "real");
  add_complex(cases, "root-sum-of-squares 2");
  add_small(cases, "scale 1.3 -0.1", volumes);
  add_small(cases, "threshold", gray_only);
  add_small(cases, "threshold 0.5", without_complex);
  add_small(cases, "window center=0.5 width=0.8", without_complex);
  add_timed(cases, "autocontrast");
  add_timed(cases, "gamma 0.45");
  add_timed(cases, "gray | gamma 0.45 | invert");
}

bool takes(const Pipeline& pipeline, const ImageFormat& format) {
  try {
    static_cast<void>(pipeline.output(format));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Filters of which no small case is listed, with their defaults, on all that they take.
void add_others(std::vector<FilterCase>& cases) {
  std::set<std::string> listed;
  for (const FilterCase& what : cases) {
    if (!what.small) continue;
    const Pipeline pipeline = Pipeline::parse(what.text);
    for (const auto& filter : pipeline.filters()) listed.insert(filter->name());
  }
  for (const FilterDescriptor& filter : FilterRegistry::global().filters()) {
    if (listed.contains(filter.name)) continue;
    std::vector<FilterCase> all;
    add_small(all, filter.name, volumes);
    std::erase_if(all, [](const FilterCase& what) { return !takes(Pipeline::parse(what.text), what.format); });
    cases.insert(cases.end(), all.begin(), all.end());
  }
}

}  // namespace

std::string FilterCase::name() const {
  std::string name = fmt::format("filter/{}/{}x{}", shown.empty() ? text : shown, format.width, format.height);
  if (format.slices() > 1) name += fmt::format("x{}x{}", format.depth, format.volumes);
  return name + fmt::format("-{}-{}", to_string(format.channels), to_string(format.type));
}

std::vector<FilterCase> filter_cases() {
  std::vector<FilterCase> cases;
  add_light(cases);
  add_kernels(cases);
  add_edges(cases);
  add_pipelines(cases);
  add_gaussians(cases);
  add_medians(cases);
  add_denoising(cases);
  add_morphology(cases);
  add_geometry(cases);
  add_others(cases);
  return cases;
}

}  // namespace whorl::bench
