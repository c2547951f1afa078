#include "whorl/plot/caption.hpp"

#include <algorithm>

#include "plot/dark_canvas.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double font_size = 13;
constexpr Index line_height = 18;
constexpr Index margin = 4;

// Wraps a line at spaces to parts no wider than `width`.
void wrap(detail::DarkCanvas& canvas, const std::string& line, double width, std::vector<std::string>& lines) {
  std::string part;
  std::size_t from = 0;
  while (from < line.size()) {
    const std::size_t end = std::min(line.find(' ', from), line.size());
    const std::string word = line.substr(from, end - from);
    std::string longer = part;
    if (!part.empty()) longer += ' ';
    longer += word;
    if (part.empty() || canvas.text_width(longer) <= width) {
      part = longer;
    } else {
      lines.push_back(part);
      part = word;
    }
    from = end + 1;
  }
  lines.push_back(part);
}

}  // namespace

Picture with_caption(const Picture& picture, const std::vector<std::string>& lines) {
  if (picture.pixels.empty()) throw ValueError("caption: a picture without pixels");
  detail::DarkCanvas probe(1, 1, font_size);
  std::vector<std::string> wrapped;
  for (const std::string& line : lines) wrap(probe, line, static_cast<double>(picture.width - 2 * margin), wrapped);
  const Index height = 2 * margin + line_height * static_cast<Index>(wrapped.size());
  detail::DarkCanvas canvas(picture.width, height, font_size);
  for (std::size_t i = 0; i < wrapped.size(); ++i) {
    const Index baseline = margin + line_height * static_cast<Index>(i) + static_cast<Index>(font_size);
    detail::cairo().move_to(canvas.drawing(), static_cast<double>(margin), static_cast<double>(baseline));
    detail::cairo().show_text(canvas.drawing(), wrapped[i].c_str());
  }
  Picture result = blank_picture(picture.width, picture.height + height, {0, 0, 0});
  std::copy(picture.pixels.begin(), picture.pixels.end(), result.pixels.begin());
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < picture.width; ++x) result.at(picture.height + y, x) = canvas.at(y, x);
  }
  return result;
}

}  // namespace whorl
