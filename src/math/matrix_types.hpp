// Private: dense matrices of complex numbers.
#pragma once

#include <Eigen/Core>
#include <complex>

namespace whorl::detail {

template <class Real>
using RowMajorMatrix = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Real>
using Matrix = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;

template <class Real>
using Vector = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1>;

}  // namespace whorl::detail
