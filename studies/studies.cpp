// The list of studies, in the order of the help.
#include "studies/quantitative_mri/quantitative_mri.hpp"
#include "studies/study.hpp"

namespace whorl::studies {

std::vector<Study> all_studies() { return {quantitative_mri_study()}; }

}  // namespace whorl::studies
