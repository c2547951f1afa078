#include "whorl/recon/lambda_search.hpp"

namespace whorl {

std::string to_string(LambdaMethod method) {
  switch (method) {
    case LambdaMethod::gcv:
      return "gcv";
    case LambdaMethod::discrepancy:
      return "discrepancy";
    case LambdaMethod::l_curve:
      return "lcurve";
    case LambdaMethod::spectrum:
      return "spectrum";
  }
  return "unknown";
}

}  // namespace whorl
