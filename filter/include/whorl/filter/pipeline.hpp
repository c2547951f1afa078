// Pipeline: filters one after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/filter/filter.hpp"
#include "whorl/filter/registry.hpp"

namespace WHORL_PUBLIC whorl {

/// Filters that are applied in order. Images between two of them stay on the device. Copies share the filters, which do
/// not change.
///
/// Threads  several may use a pipeline at once, as Context allows, but not while a thread calls add
class Pipeline {
 public:
  Pipeline() = default;

  /// Reads "gaussian sigma=1.4 radius=3 | unsharp": filters by name or alias. Parameters are given by name, or by place
  /// in the order of the filter's descriptor. Values with blanks or bars stand in quotes (' or ").
  /// Throws ValueError, naming the filter and the parameter at fault.
  static Pipeline parse(std::string_view text, const FilterRegistry& registry = FilterRegistry::global());

  /// The files that the filters of such a text read. Throws ValueError as parse, but does not check values of parameters.
  static std::vector<std::string> files_to_read(std::string_view text,
                                                const FilterRegistry& registry = FilterRegistry::global());

  /// Throws ValueError for a null pointer.
  void add(std::shared_ptr<const Filter> filter);
  std::span<const std::shared_ptr<const Filter>> filters() const { return filters_; }
  bool empty() const { return filters_.empty(); }

  /// The result's format for images of this format. Throws as Filter::output.
  ImageFormat output(const ImageFormat& input) const;
  /// The filtered image; a copy if there is no filter. Reports its progress in passes. Throws as Filter::apply.
  Image apply(const Context& ctx, const Image& input) const;

 private:
  std::vector<std::shared_ptr<const Filter>> filters_;
};

}  // namespace whorl
