#include "io/pulseq/extensions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl::io::pulseq {

void BlockExtensions::take(const Block& block) {
  rotation_.reset();
  std::vector<const Label*> increments;
  std::size_t steps = 0;
  for (Id id = block.extension; id != 0;) {
    if (++steps > sequence_->extensions.size()) {
      throw IoError(fmt::format("'{}': extension {} leads back to itself", sequence_->source, id));
    }
    const Extension& extension = event_of(*sequence_, sequence_->extensions, id, "extension");
    const std::string& name =
        event_of(*sequence_, sequence_->extension_names, extension.type, "specification of an extension");
    if (name == "LABELSET") {
      const Label& label = event_of(*sequence_, sequence_->set_labels, extension.reference, "label");
      labels_[label.name] = label.value;
    } else if (name == "LABELINC") {
      // After all that are set, whatever their order.
      increments.push_back(&event_of(*sequence_, sequence_->increment_labels, extension.reference, "label"));
    } else if (name == "ROTATIONS") {
      rotation_ = event_of(*sequence_, sequence_->rotations, extension.reference, "rotation");
    } else if (name == "DELAYS") {
      soft_delays_ = true;
    } else if (name != "TRIGGERS" && name != "RF_SHIMS") {
      ignored_.insert(name);
    }
    id = extension.next;
  }
  for (const Label* label : increments) labels_[label->name] += label->value;
}

std::array<double, 3> BlockExtensions::turned(const std::array<double, 3>& v) const {
  if (!rotation_) return v;
  const auto& [w, x, y, z] = *rotation_;
  return {(1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
          2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2],
          2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2]};
}

std::string_view BlockExtensions::left_out() const {
  if (is_set("NOISE")) return "noise";
  if (is_set("NAV")) return "navigators";
  if (is_set("REF") && !is_set("IMA")) return "references";
  return {};
}

FrameIndex BlockExtensions::frame() const {
  return {counter("SLC"), counter("ECO"), counter("PHS"), counter("REP"), counter("SET")};
}

bool BlockExtensions::is_set(const std::string& label) const {
  const auto found = labels_.find(label);
  return found != labels_.end() && found->second != 0;
}

int BlockExtensions::counter(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end()) return 0;
  const double number = found->second;
  constexpr double most = 65535;  // ISMRMRD's counters
  if (!(number >= 0 && number <= most) || number != std::floor(number)) {
    throw IoError(fmt::format("'{}': the label {} of a readout is {:g}, expected a whole number from 0 to {:g}",
                              sequence_->source, label, number, most));
  }
  return static_cast<int>(number);
}

}  // namespace whorl::io::pulseq
