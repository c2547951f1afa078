#include "recon/regularizers/term.hpp"

#include <vector>

namespace whorl::recon {

extern const RegularizerTerm tv_term;
extern const RegularizerTerm wavelet_term;
extern const RegularizerTerm l1_term;
extern const RegularizerTerm llr_term;
extern const RegularizerTerm tgv_term;
extern const RegularizerTerm ictv_term;
extern const RegularizerTerm low_rank_sparse_term;
extern const RegularizerTerm positive_term;
extern const RegularizerTerm own_term;

std::span<const RegularizerTerm* const> regularizer_terms() {
  static constexpr std::array all = {&tv_term,   &wavelet_term,         &l1_term,       &llr_term, &tgv_term,
                                     &ictv_term, &low_rank_sparse_term, &positive_term, &own_term};
  return all;
}

const RegularizerTerm& descriptor_of(const Regularizer& what) {
  const auto terms = regularizer_terms();
  return **std::ranges::find(terms, what.kind, &RegularizerTerm::kind);
}

namespace {

const TermOption* find_option(const RegularizerTerm& term, std::string_view name) {
  const auto* found = std::ranges::find_if(
      term.options, [&](const TermOption& option) { return option.name != nullptr && name == option.name; });
  return found == term.options.end() ? nullptr : found;
}

}  // namespace

bool takes(const Regularizer& what, std::string_view option) {
  const TermOption* found = find_option(descriptor_of(what), option);
  return found != nullptr && (found->applies == nullptr || found->applies(what));
}

std::string takers_of(std::string_view option) {
  std::vector<std::string> words;
  for (const RegularizerTerm* term : regularizer_terms()) {
    const TermOption* found = find_option(*term, option);
    if (found != nullptr && term->word != nullptr)
      words.emplace_back(found->when != nullptr ? found->when : term->word);
  }
  std::string all = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) all += (i + 1 < words.size() ? ", " : " or ") + words[i];
  return all;
}

}  // namespace whorl::recon
