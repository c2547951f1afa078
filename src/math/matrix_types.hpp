// Private: dense matrices of complex numbers.
#pragma once

// Eigen would start threads of its own, whatever the context says.
#define EIGEN_DONT_PARALLELIZE

#include <Eigen/Dense>
#include <complex>

namespace whorl::detail {

template <class Real>
using RowMajorMatrix = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Real>
using Matrix = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;

template <class Real>
using Vector = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1>;

}  // namespace whorl::detail
