#include "whorl/plot/colorbar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "plot/dark_canvas.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr Index least_height = 120;
constexpr Index bar_width = 14;
constexpr Index scale_margin = 8;
constexpr Index tick = 4;
constexpr double scale_font_size = 12;

// Multiples of 1, 2 or 5 times a power of ten, at most `most` steps over the window.
std::vector<double> round_numbers(const DisplayWindow& window, int most) {
  const double least = (window.high - window.low) / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= least) step = factor * power;
  }
  std::vector<double> numbers;
  const double slack = 1e-9 * step;
  const double first = std::ceil((window.low - slack) / step);
  for (int i = 0; i <= most && (first + i) * step <= window.high + slack; ++i) numbers.push_back((first + i) * step);
  return numbers;
}

}  // namespace

Picture with_colorbar(const Picture& picture, Colormap colormap, const DisplayWindow& window,
                      const std::string& label) {
  if (picture.pixels.empty()) throw ValueError("colorbar: a picture without pixels");
  if (!(window.high > window.low) || !std::isfinite(window.high - window.low)) {
    throw ValueError(fmt::format("colorbar: the window's top {} must be above its bottom {}", window.high, window.low));
  }
  const Index height = std::max(picture.height, least_height);
  const Index top = scale_margin;
  const Index bottom = height - scale_margin;  // of the bar; numbers at its ends need half a line more
  const std::vector<double> numbers = round_numbers(window, static_cast<int>(std::max<Index>(2, height / 48)));
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const double number : numbers) texts.push_back(fmt::format("{:.6g}", number == 0 ? 0 : number));

  detail::DarkCanvas probe(1, 1, scale_font_size);
  double text_width = 0;
  for (const std::string& text : texts) text_width = std::max(text_width, probe.text_width(text));
  const Index numbers_at = scale_margin + bar_width + tick + 3;
  const Index label_at = numbers_at + static_cast<Index>(std::ceil(text_width)) + scale_margin;
  const Index strip = label_at + (label.empty() ? 0 : static_cast<Index>(scale_font_size) + scale_margin);

  detail::DarkCanvas canvas(strip, height, scale_font_size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double part = (numbers[i] - window.low) / (window.high - window.low);
    const double y = static_cast<double>(bottom - 1) - part * static_cast<double>(bottom - 1 - top) + 0.5;
    detail::cairo().rectangle(canvas.drawing(), static_cast<double>(scale_margin + bar_width), std::floor(y),
                              static_cast<double>(tick), 1);
    detail::cairo().fill(canvas.drawing());
    detail::cairo().move_to(canvas.drawing(), static_cast<double>(numbers_at), std::round(y + 0.36 * scale_font_size));
    detail::cairo().show_text(canvas.drawing(), texts[i].c_str());
  }
  if (!label.empty()) {
    detail::cairo().move_to(canvas.drawing(), static_cast<double>(label_at) + scale_font_size,
                            (static_cast<double>(height) + canvas.text_width(label)) / 2);
    detail::cairo().rotate(canvas.drawing(), -std::numbers::pi / 2);
    detail::cairo().show_text(canvas.drawing(), label.c_str());
  }

  Picture result = blank_picture(picture.width + strip, height, {0, 0, 0});
  for (Index y = 0; y < height; ++y) {
    if (y < picture.height) std::copy_n(&picture.at(y, 0), picture.width, &result.at(y, 0));
    for (Index x = 0; x < strip; ++x) result.at(y, picture.width + x) = canvas.at(y, x);
    if (y < top || y >= bottom) continue;
    const Color color = color_of(colormap, static_cast<double>(bottom - 1 - y) / static_cast<double>(bottom - 1 - top));
    std::fill_n(&result.at(y, picture.width + scale_margin), bar_width, color);
  }
  return result;
}

}  // namespace whorl
