// Filters beside OpenCV's, in one process, on the same pictures and threads, in turns: times, and how far the results
// are apart.
//
//   whorl_opencv [THREADS [REGULAR EXPRESSION]]      2 threads and all cases where nothing is said
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <opencv2/imgproc.hpp>
#include <opencv2/photo.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/filter_cases.hpp"
#include "bench/filter_test_image.hpp"
#include "bench/name_filter.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"

namespace {

using whorl::Channels;
using whorl::Context;
using whorl::Image;
using whorl::ImageFormat;
using whorl::PixelType;

using Peer = std::function<void(const cv::Mat& from, cv::Mat& to)>;

/// A pipeline and what does the same in OpenCV.
struct Pair {
  std::string text;
  Peer peer;
  std::vector<PixelType> types;
  std::vector<Channels> channels;
};

struct Run {
  const Pair* pair = nullptr;
  ImageFormat format;
  std::string name;
};

constexpr int border = cv::BORDER_REFLECT_101;

Peer gaussian(int size, double sigma) {
  return [=](const cv::Mat& from, cv::Mat& to) { cv::GaussianBlur(from, to, {size, size}, sigma, sigma, border); };
}

Peer correlation(int size) {
  cv::Mat kernel(size, size, CV_32F);
  // The kernel of dense_kernel below.
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      kernel.at<float>(y, x) =
          static_cast<float>((y * 7 + x * 13 + y * x) % 5 - (y + x) % 3) / static_cast<float>(size * size);
    }
  }
  return [=](const cv::Mat& from, cv::Mat& to) { cv::filter2D(from, to, -1, kernel, {-1, -1}, 0, border); };
}

// A kernel of whole numbers that is neither symmetric nor separable, over the number of its taps.
std::string dense_kernel(int size) {
  std::string text = "custom '";
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      text += fmt::format("{}{}", x == 0 ? "" : ",", (y * 7 + x * 13 + y * x) % 5 - (y + x) % 3);
    }
    if (y + 1 < size) text += ";";
  }
  return text + fmt::format("' divisor={}", size * size);
}

Peer median(int size) {
  return [=](const cv::Mat& from, cv::Mat& to) { cv::medianBlur(from, to, size); };
}

Peer sobel(int dx, int dy, double sign) {
  return [=](const cv::Mat& from, cv::Mat& to) { cv::Sobel(from, to, -1, dx, dy, 3, sign, 0, border); };
}

Peer laplacian() {
  return [](const cv::Mat& from, cv::Mat& to) { cv::Laplacian(from, to, -1, 1, 1, 0, border); };
}

Peer unsharp() {
  const cv::Mat kernel = (cv::Mat_<float>(3, 3) << -1, -4, -1, -4, 26, -4, -1, -4, -1) / 6;
  return [=](const cv::Mat& from, cv::Mat& to) { cv::filter2D(from, to, -1, kernel, {-1, -1}, 0, border); };
}

Peer resize(double scale, int method) {
  return [=](const cv::Mat& from, cv::Mat& to) { cv::resize(from, to, {}, scale, scale, method); };
}

Peer morphology(int operation, int size) {
  const cv::Mat element = cv::getStructuringElement(cv::MORPH_RECT, {size, size});
  return [=](const cv::Mat& from, cv::Mat& to) { cv::morphologyEx(from, to, operation, element, {-1, -1}, 1, border); };
}

// About the center, into a picture that holds it whole.
void turn_about_center(const cv::Mat& from, cv::Mat& to, double degrees) {
  const double radians = degrees * CV_PI / 180;
  const double c = std::abs(std::cos(radians));
  const double s = std::abs(std::sin(radians));
  const int width = static_cast<int>(std::ceil(from.cols * c + from.rows * s));
  const int height = static_cast<int>(std::ceil(from.cols * s + from.rows * c));
  cv::Mat turn = cv::getRotationMatrix2D(
      {0.5F * static_cast<float>(from.cols - 1), 0.5F * static_cast<float>(from.rows - 1)}, degrees, 1);
  turn.at<double>(0, 2) += 0.5 * (width - from.cols);
  turn.at<double>(1, 2) += 0.5 * (height - from.rows);
  cv::warpAffine(from, to, turn, {width, height}, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
}

void canny_of_gray(const cv::Mat& gray, cv::Mat& to, double low, double high) {
  cv::Canny(gray, to, low, high, 3, true);
}

std::vector<Pair> all_pairs() {
  const std::vector<PixelType> all{PixelType::uint8, PixelType::uint16, PixelType::float32};
  const std::vector<PixelType> bytes{PixelType::uint8};
  const std::vector<PixelType> bytes_and_floats{PixelType::uint8, PixelType::float32};
  const std::vector<Channels> usual{Channels::rgb, Channels::gray};
  const std::vector<Channels> gray{Channels::gray};
  const std::vector<Channels> rgb{Channels::rgb};
  return {
      {"gaussian 1 2", gaussian(5, 1), all, usual},
      {"gaussian 2.5 7", gaussian(15, 2.5), all, usual},
      {"gaussian 5 15", gaussian(31, 5), all, usual},
      {"gaussian 20", gaussian(121, 20), all, usual},
      {dense_kernel(3), correlation(3), bytes_and_floats, usual},
      {dense_kernel(5), correlation(5), bytes_and_floats, usual},
      {dense_kernel(15), correlation(15), bytes_and_floats, usual},
      {"sobel-x", sobel(1, 0, 1), all, usual},
      {"sobel-y", sobel(0, 1, -1), all, usual},
      {"laplacian", laplacian(), bytes_and_floats, usual},
      {"unsharp", unsharp(), bytes_and_floats, usual},
      {"median 1", median(3), all, usual},
      {"median 2", median(5), all, usual},
      {"median 4", median(9), bytes, usual},
      {"median 7", median(15), bytes, usual},
      {"erode 3", morphology(cv::MORPH_ERODE, 7), all, usual},
      {"dilate 10", morphology(cv::MORPH_DILATE, 21), all, usual},
      {"resize 1.5 align=centers", resize(1.5, cv::INTER_LINEAR), all, usual},
      {"resize 0.5 method=area", resize(0.5, cv::INTER_AREA), all, usual},
      {"resize 0.5 align=centers", resize(0.5, cv::INTER_LINEAR), all, usual},
      {"resize 1.5 method=bicubic align=centers sharpness=-0.75", resize(1.5, cv::INTER_CUBIC), all, usual},
      {"rotate 30", [](const cv::Mat& from, cv::Mat& to) { turn_about_center(from, to, 30); }, all, usual},
      {"flip x", [](const cv::Mat& from, cv::Mat& to) { cv::flip(from, to, 1); }, all, usual},
      {"canny 50 100 sigma=0 norm=l2", [](const cv::Mat& from, cv::Mat& to) { canny_of_gray(from, to, 50, 100); },
       bytes, gray},
      {"gray weights=bt601 | gaussian 1.4 2 | canny 50 100 sigma=0 norm=l2",
       [](const cv::Mat& from, cv::Mat& to) {
         cv::Mat one;
         cv::Mat smooth;
         cv::cvtColor(from, one, cv::COLOR_RGB2GRAY);
         cv::GaussianBlur(one, smooth, {5, 5}, 1.4, 1.4, border);
         canny_of_gray(smooth, to, 50, 100);
       },
       bytes, rgb},
      {"equalize", [](const cv::Mat& from, cv::Mat& to) { cv::equalizeHist(from, to); }, bytes, gray},
      {"clahe 8 2",
       [](const cv::Mat& from, cv::Mat& to) {
         cv::createCLAHE(2, {8, 8})->apply(from, to);
       },
       bytes, gray},
      {"gamma 0.45", [](const cv::Mat& from, cv::Mat& to) { cv::pow(from, 0.45, to); }, {PixelType::float32}, gray},
      {"scale 1.3 -0.1",
       [](const cv::Mat& from, cv::Mat& to) { from.convertTo(to, -1, 1.3, -0.1); },  // NOLINT(*-magic-numbers)
       {PixelType::float32},
       gray},
      {"convert uint8",
       [](const cv::Mat& from, cv::Mat& to) { from.convertTo(to, CV_8U, 255); },  // NOLINT(*-magic-numbers)
       {PixelType::float32},
       gray},
      {"threshold",
       [](const cv::Mat& from, cv::Mat& to) { cv::threshold(from, to, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU); },
       bytes, gray},
      {"bilateral 3 30 4", [](const cv::Mat& from, cv::Mat& to) { cv::bilateralFilter(from, to, 9, 30, 3, border); },
       bytes, usual},
      {"non-local-means search=10 patch=3 strength=10",
       [](const cv::Mat& from, cv::Mat& to) { cv::fastNlMeansDenoising(from, to, 10, 7, 21); }, bytes, gray},
  };
}

int depth_of(PixelType type) {
  if (type == PixelType::float32) return CV_32F;
  return type == PixelType::uint8 ? CV_8U : CV_16U;
}

void* data_of(const Image& image) {
  return whorl::with_pixel_type(image.format().type, [&](auto number) -> void* {
    return const_cast<decltype(number)*>(image.pixels<decltype(number)>().data());
  });
}

cv::Mat as_mat(const Image& image) {
  const ImageFormat& format = image.format();
  return {static_cast<int>(format.height), static_cast<int>(format.width),
          CV_MAKETYPE(depth_of(format.type), whorl::count_of(format.channels)), data_of(image)};
}

std::vector<Run> runs_of(const std::vector<Pair>& pairs) {
  std::vector<Run> runs;
  for (const Pair& pair : pairs) {
    for (const PixelType type : pair.types) {
      for (const Channels channels : pair.channels) {
        for (const whorl::Index extent : {800, 4096}) {
          const ImageFormat format{type, channels, 1, 1, extent, extent};
          runs.push_back({&pair, format, whorl::bench::FilterCase{pair.text, format}.name()});
        }
      }
    }
  }
  return runs;
}

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void measure(const Context& ctx, const Run& run) {
  const whorl::Pipeline pipeline = whorl::Pipeline::parse(run.pair->text);
  const Image input = whorl::bench::filter_test_image(ctx, run.format);
  const cv::Mat from = as_mat(input);
  Image ours;
  cv::Mat theirs;
  std::vector<double> our_ms;
  std::vector<double> their_ms;
  constexpr int runs_of_a_turn = 3;
  constexpr std::size_t least = 6;
  constexpr std::size_t most = 100;
  constexpr double enough_ms = 400;
  double total = 0;
  // The first of each turn does not count: threads of the other library may still look for work on the same cores.
  const auto take_turn = [&](std::vector<double>& times, const std::function<void()>& work) {
    work();
    for (int i = 0; i < runs_of_a_turn; ++i) {
      times.push_back(milliseconds(work));
      total += times.back();
    }
  };
  while (our_ms.size() < most && (our_ms.size() < least || total < enough_ms)) {
    take_turn(our_ms, [&] { ours = pipeline.apply(ctx, input); });
    take_turn(their_ms, [&] { run.pair->peer(from, theirs); });
  }
  const cv::Mat found = as_mat(ours);
  double largest = -1;
  double share = 0;
  if (found.size() == theirs.size() && found.type() == theirs.type()) {
    cv::Mat difference;
    cv::absdiff(found, theirs, difference);
    const cv::Mat flat = difference.reshape(1);
    cv::minMaxLoc(flat, nullptr, &largest);
    share = static_cast<double>(cv::countNonZero(flat)) / static_cast<double>(flat.total());
  }
  const double a = median_of(our_ms);
  const double b = median_of(their_ms);
  std::string name = run.name;
  constexpr std::size_t most_letters = 72;
  if (name.size() > most_letters) name = name.substr(0, 30) + "..." + name.substr(name.size() - 39);
  std::fputs(
      fmt::format("{:<74}{:>10.4g}{:>10.4g}{:>8.2f}{:>12.3g}{:>10.2g}\n", name, a, b, b / a, largest, share).c_str(),
      stdout);
  std::fflush(stdout);
}

void run(int threads, const std::string& expression) {
  cv::setNumThreads(threads);
  const Context ctx({.threads = threads});
  const std::vector<Pair> pairs = all_pairs();
  std::vector<Run> runs = runs_of(pairs);
  whorl::bench::keep_like("whorl_opencv", expression, runs, [](const Run& one) { return one.name; });
  std::fputs(fmt::format("{} threads, OpenCV {}; ratio: OpenCV's time over ours\n{:<74}{:>10}{:>10}{:>8}{:>12}{:>10}\n",
                         threads, CV_VERSION, "filter", "ms", "OpenCV", "ratio", "difference", "pixels")
                 .c_str(),
             stdout);
  for (const Run& one : runs) {
    try {
      measure(ctx, one);
    } catch (const std::exception& error) {
      std::fputs(fmt::format("{}: {}\n", one.name, error.what()).c_str(), stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::stoi(argv[1]) : 2, argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fputs(fmt::format("whorl_opencv: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
  return 0;
}
