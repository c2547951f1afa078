// Windows on a grid whose axes have an oversampling of their own.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "whorl/op/window.hpp"

namespace whorl {

/// An image and the points of its grid for each pixel, of every axis. A short axis often has more of them than were
/// asked for, since a grid has a whole, even number of points. Its few pixels then lie at other frequencies, where the
/// error need not be smaller: an alias beside a zero of the window's transform moves to where it is not zero.
struct ImageGrid {
  ImageGrid(Shape pixels, double of_each_axis)
      : image(std::move(pixels)), oversampling(static_cast<std::size_t>(image.rank()), of_each_axis) {}
  ImageGrid(const Shape& pixels, const Shape& grid);

  /// The least of all axes, at most 2: a window for it serves the others too.
  double least_oversampling() const;

  Shape image;
  std::vector<double> oversampling;
};

/// Window::row_error and Window::norm_error on such a grid.
double row_error(const Window& window, const ImageGrid& grid);
double norm_error(const Window& window, const ImageGrid& grid);

/// find_window and choose_window (whorl/op/window.hpp), with the least oversampling of the grid's axes.
std::optional<Window> find_window(const WindowGoal& goal, const ImageGrid& grid, int at_least = 2);
Window choose_window(const WindowGoal& goal, const ImageGrid& grid);

}  // namespace whorl
