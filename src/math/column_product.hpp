// Private: products of tall real matrices, several times as fast as those of Eigen, which is compiled for the oldest processors.
#pragma once

#include <Eigen/Core>

#include "kernels/column_products.hpp"

namespace whorl::detail {

using ColumnsRef = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// A^T B.
inline Eigen::MatrixXd column_product(const ColumnsRef& a, const ColumnsRef& b) {
  Eigen::MatrixXd product(a.cols(), b.cols());
  if (product.size() == 0) return product;
  kernels::column_products(DeviceKind::cpu,
                           {.rows = a.rows(),
                            .a_columns = a.cols(),
                            .b_columns = b.cols(),
                            .a_stride = a.outerStride(),
                            .b_stride = b.outerStride(),
                            .c_stride = product.outerStride()},
                           a.data(), b.data(), product.data());
  return product;
}

}  // namespace whorl::detail
