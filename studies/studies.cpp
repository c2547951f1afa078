// The list of studies, in the order of the help.
#include "studies/energy/energy.hpp"
#include "studies/fhd/fhd.hpp"
#include "studies/fmri/fmri.hpp"
#include "studies/gridding_2d/gridding_2d.hpp"
#include "studies/heat/heat.hpp"
#include "studies/image_filters/image_filters.hpp"
#include "studies/mri_q/mri_q.hpp"
#include "studies/quantitative_mri/quantitative_mri.hpp"
#include "studies/sha1_search/sha1_search.hpp"
#include "studies/study.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {

Results Experiment::run_step(const Context& /*ctx*/, const std::string& /*ladder*/, const std::string& step) {
  throw ValueError("no step of this study is called '" + step + "'");
}

std::vector<Study> all_studies() {
  return {
      quantitative_mri_study(), gridding_2d_study(), mri_q_study(), fhd_study(), image_filters_study(), heat_study(),
      sha1_search_study(),      energy_study(),      fmri_study()};
}

}  // namespace whorl::studies
