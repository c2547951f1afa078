// Transforms of a few points in registers: prime numbers of points are written out, products of primes use Cooley and
// Tukey's factorization with factors known at compile time.
#pragma once

#include <type_traits>
#include <utility>

#include "backend/cuda/lines/packet.cuh"

namespace whorl::backend::cuda {

/// A number known at compile time. std::integral_constant converts to a number only on the host, unless nvcc has an
/// option.
template <int n>
struct Constant {
  static constexpr int value = n;
  // NOLINTNEXTLINE(google-explicit-constructor): stands for the number
  __host__ __device__ constexpr operator int() const { return n; }
};

/// Calls f(Constant<0>), ..., f(Constant<n - 1>).
template <int n, class Function>
__device__ __forceinline__ void unroll(const Function& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f(Constant<i>{}), ...); }
  (std::make_integer_sequence<int, n>{});
}

namespace detail {

// cos and sin of an angle up to pi/4 by their series.
inline constexpr double two_pi = 6.283185307179586476925286766559;
__host__ __device__ constexpr double series(double x, double term, int first) {
  double sum = term;
  for (int k = first; k < 24; k += 2) {
    term *= -x * x / (k * (k + 1));
    sum += term;
  }
  return sum;
}

/// cos(2 pi j / n)
__host__ __device__ constexpr double cosine(int j, int n) {
  j = (j % n + n) % n;
  if (2 * j > n) j = n - j;
  if (4 * j > n) return -cosine(n - 2 * j, 2 * n);
  if (8 * j <= n) return series(two_pi * j / n, 1, 1);
  const double x = two_pi * (n - 4 * j) / (4 * n);
  return series(x, x, 2);
}

/// sin(2 pi j / n)
__host__ __device__ constexpr double sine(int j, int n) { return cosine(4 * j - n, 4 * n); }

__host__ __device__ constexpr int first_factor(int n) {
  return n == 8 ? 2 : n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5;
}

/// a exp(-2 pi i j / n)
template <int j, int n, class Real>
__device__ __forceinline__ Packet<Real> turned(const Packet<Real>& a) {
  if constexpr (j % n == 0) {
    return a;
  } else if constexpr (4 * (j % n) == n) {
    return turned_back(a);
  } else {
    constexpr auto re = static_cast<Real>(cosine(j, n));
    constexpr auto im = static_cast<Real>(-sine(j, n));
    return a * Complex<Real>{re, im};
  }
}

}  // namespace detail

/// v[k] <- sum_n v[n] exp(-2 pi i n k / R)
template <int R, class Real>
__device__ __forceinline__ void dft(Packet<Real> (&v)[R]) {
  if constexpr (R == 2) {
    const Packet<Real> difference = v[0] - v[1];
    v[0] = v[0] + v[1];
    v[1] = difference;
  } else if constexpr (R == 3) {
    constexpr auto sine = static_cast<Real>(detail::sine(1, 3));
    const Packet<Real> sum = v[1] + v[2];
    const Packet<Real> across = turned_back(scaled(sine, v[1] - v[2]));
    const Packet<Real> along = plus_scaled(v[0], Real(-0.5), sum);
    v[0] = v[0] + sum;
    v[1] = along + across;
    v[2] = along - across;
  } else if constexpr (R == 4) {
    const Packet<Real> even_sum = v[0] + v[2];
    const Packet<Real> even_difference = v[0] - v[2];
    const Packet<Real> odd_sum = v[1] + v[3];
    const Packet<Real> odd_difference = turned_back(v[1] - v[3]);
    v[0] = even_sum + odd_sum;
    v[1] = even_difference + odd_difference;
    v[2] = even_sum - odd_sum;
    v[3] = even_difference - odd_difference;
  } else if constexpr (R == 5) {
    constexpr auto c1 = static_cast<Real>(detail::cosine(1, 5));
    constexpr auto c2 = static_cast<Real>(detail::cosine(2, 5));
    constexpr auto s1 = static_cast<Real>(detail::sine(1, 5));
    constexpr auto s2 = static_cast<Real>(detail::sine(2, 5));
    const Packet<Real> outer = v[1] + v[4];
    const Packet<Real> inner = v[2] + v[3];
    const Packet<Real> outer_difference = v[1] - v[4];
    const Packet<Real> inner_difference = v[2] - v[3];
    const Packet<Real> along1 = plus_scaled(plus_scaled(v[0], c1, outer), c2, inner);
    const Packet<Real> along2 = plus_scaled(plus_scaled(v[0], c2, outer), c1, inner);
    const Packet<Real> across1 = turned_back(plus_scaled(scaled(s1, outer_difference), s2, inner_difference));
    const Packet<Real> across2 = turned_back(plus_scaled(scaled(s2, outer_difference), -s1, inner_difference));
    v[0] = v[0] + outer + inner;
    v[1] = along1 + across1;
    v[2] = along2 + across2;
    v[3] = along2 - across2;
    v[4] = along1 - across1;
  } else if constexpr (R > 1) {
    constexpr int A = detail::first_factor(R);
    constexpr int B = R / A;
    static_assert(B > 1, "a prime above 5");
    unroll<B>([&](auto b) {
      Packet<Real> part[A];
      unroll<A>([&](auto a) { part[a] = v[B * a + b]; });
      dft<A>(part);
      unroll<A>([&](auto a) { v[B * a + b] = detail::turned<a * b, R>(part[a]); });
    });
    Packet<Real> sorted[R];
    unroll<A>([&](auto a) {
      Packet<Real> part[B];
      unroll<B>([&](auto b) { part[b] = v[B * a + b]; });
      dft<B>(part);
      unroll<B>([&](auto b) { sorted[a + A * b] = part[b]; });
    });
    unroll<R>([&](auto k) { v[k] = sorted[k]; });
  }
}

}  // namespace whorl::backend::cuda
