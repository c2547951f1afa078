// Window: the function that gridding convolves with, its Fourier transform, and how wide it must be.
#pragma once

#include <optional>

#include "whorl/core/shape.hpp"

namespace whorl {

enum class WindowKind { kaiser_bessel, gaussian };

/// What the tolerance of a NUFFT bounds. A is the exact transform, A~ the fast one; both hold for every trajectory.
///
/// typical     every row of A~, a sample as it follows from the image, is right to the tolerance in the Euclidean norm:
///             ||a~_j - a_j|| <= tolerance ||a_j||, wherever sample j lies (Window::row_error). Then, for images of
///             random phases whose energy is spread evenly over the field of view, the root mean square error of each
///             sample is at most the tolerance times its root mean square; for data of random phases that of the
///             adjoint is at most the tolerance times ||y||, the root mean square of ||A^H y||; and for any image at
///             all no sample is off by more than tolerance ||x||
/// guaranteed  ||A~ x - A x|| <= tolerance ||A|| ||x|| and ||A~^H y - A^H y|| <= tolerance ||A|| ||y|| for every image
///             and all data, in the spectral norm of A (Window::norm_error), and every entry of A~ is right to the
///             tolerance, so that the energy of an image of random phases may lie anywhere. Windows are one or two
///             cells wider, and in single precision fewer combinations of tolerance and oversampling are within reach:
///             at the edge of the field of view rounding is amplified most
enum class NufftAccuracy { typical, guaranteed };

/// A window of `width` grid cells, symmetric, with value(0) = 1 and value(t) = 0 for |t| > width/2.
///
/// kaiser_bessel  I0(beta sqrt(1 - (2t/w)^2)) / I0(beta),  beta = pi sqrt((w/s)^2 (s - 1/2)^2 - 0.8)
///                for oversampling s: Beatty, Nishimura, Pauly, IEEE TMI 24 (2005) 799, eq. 5
/// gaussian       exp(-t^2/b),  b = w s / ((2 s - 1) pi): Dutt and Rokhlin's window with the variance at which aliasing
///                and truncation balance, Steidl, Adv. Comput. Math. 9 (1998) 337
class Window {
 public:
  /// Throws ValueError unless 2 <= width <= max_width and 1.25 <= oversampling <= 2.
  Window(WindowKind kind, int width, double oversampling);

  static constexpr int max_width = 64;

  WindowKind kind() const { return kind_; }
  int width() const { return width_; }
  double oversampling() const { return oversampling_; }

  /// Value at t grid cells from the center.
  double value(double t) const;
  /// Fourier transform: the integral of value(t) cos(2 pi f t), f in cycles per grid cell, of the window as it is, cut
  /// at its edge.
  double transform(double f) const;

  // Errors that the window makes: e(p, r) = sum_l value(t_l) exp(-2 pi i f t_l) / transform(f) - 1 for a sample at the
  // place p between grid points and the pixel r at f = r / (oversampling extent), aliasing and truncation together,
  // found from the definition. Relative to an entry of the transform's matrix, which has the same modulus everywhere.

  /// Root mean square of e over places and the pixels of an axis of `extent` pixels.
  double error(Index extent) const;
  /// The largest root mean square over the pixels of an image, at whatever place, of the error of all axes together:
  /// how far a row of the transform's matrix is off. An upper bound, at most a few percent above what it bounds. The
  /// error grows towards the edge of the field of view: a pixel in its corner may have five times as much and more.
  double row_error(const Shape& image) const;
  /// An upper bound of ||A~ - A|| / ||A|| for any trajectory: the norm of e as a multiplier of matrices (Schur), by e =
  /// sum_n u_n(p) v_n(r) with |u_n| <= 1, which bounds it by sqrt(sum_n m_n max_r sum_n |v_n(r)|^2 / m_n), for each
  /// axis. It bounds every |e| of the image, too, and is some twice as large as the largest.
  double norm_error(const Shape& image) const;

  /// Factor by which an axis of `extent` pixels amplifies rounding errors: 1/transform(f) times the Euclidean norm of
  /// the window's values; typical: the root mean square over the pixels, guaranteed: at the edge of the field of view.
  /// Rounding on the grid is divided by a transform that falls off towards the edge; the smaller the oversampling and
  /// the wider the window, the more.
  double amplification(Index extent, NufftAccuracy accuracy) const;

 private:
  WindowKind kind_;
  int width_;
  double oversampling_;
  double shape_;  // beta, or b
  double peak_;   // value at 0 before normalization
};

/// The error that rounding leaves in a non-uniform FFT of an image, whatever the window's own error: epsilon (4 + 1.75
/// a), a the product of the amplifications of all axes. `epsilon` is the unit roundoff of the floating-point type.
/// Fitted to what is measured, where the window's own errors are bounds.
double rounding_floor(const Window& window, const Shape& image, double epsilon,
                      NufftAccuracy accuracy = NufftAccuracy::typical);

/// What a NUFFT's window is chosen for.
struct WindowGoal {
  WindowKind kind = WindowKind::kaiser_bessel;
  double tolerance = 1e-4;
  NufftAccuracy accuracy = NufftAccuracy::typical;
  double epsilon = 0;  ///< unit roundoff of the floating-point type
};

/// The narrowest window whose error on an image's axes, with the rounding floor, stays below the tolerance, or none.
/// What is narrower than `at_least` is known not to be that: a larger oversampling needed as much. Throws ValueError
/// for a tolerance that is not between 0 and 1.
std::optional<Window> find_window(const WindowGoal& goal, double oversampling, const Shape& image, int at_least = 2);

/// The same. Throws ValueError when there is none, naming the error that is within reach and the way out.
Window choose_window(const WindowGoal& goal, double oversampling, const Shape& image);

}  // namespace whorl
