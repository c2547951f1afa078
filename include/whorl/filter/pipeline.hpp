// Pipeline: filters one after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/filter/filter.hpp"

namespace whorl {

/// Filters that are applied in their order. What lies between two of them stays on the device.
class Pipeline {
 public:
  Pipeline() = default;

  /// Reads "gaussian sigma=1.4 radius=3 | unsharp": filters of the list by name or alias, each with its parameters by
  /// name or, in the order of its descriptor, by place; quotes (' or ") hold values with blanks or bars together.
  /// Throws ValueError, naming the filter and the parameter at fault.
  static Pipeline parse(std::string_view text);

  void add(std::unique_ptr<Filter> filter) { filters_.push_back(std::move(filter)); }
  std::span<const std::unique_ptr<Filter>> filters() const { return filters_; }
  bool empty() const { return filters_.empty(); }

  /// What comes out for images of this format. Throws as Filter::output.
  ImageFormat output(const ImageFormat& input) const;
  /// A copy of the image where there is no filter. Throws as Filter::apply.
  Image apply(const Context& ctx, const Image& input) const;

 private:
  std::vector<std::unique_ptr<Filter>> filters_;
};

}  // namespace whorl
