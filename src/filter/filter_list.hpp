// The descriptor of each filter; the list of them is in filter_list.cpp.
#pragma once

#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

FilterDescriptor autocontrast_descriptor();
FilterDescriptor clip_descriptor();
FilterDescriptor convert_descriptor();
FilterDescriptor equalize_descriptor();
FilterDescriptor canny_descriptor();
FilterDescriptor flip_descriptor();
FilterDescriptor gamma_descriptor();
FilterDescriptor gray_descriptor();
FilterDescriptor gray_world_descriptor();
FilterDescriptor imaginary_descriptor();
FilterDescriptor invert_descriptor();
FilterDescriptor magnitude_descriptor();
FilterDescriptor phase_descriptor();
FilterDescriptor real_descriptor();
FilterDescriptor root_sum_of_squares_descriptor();
FilterDescriptor scale_descriptor();
FilterDescriptor threshold_descriptor();
FilterDescriptor window_descriptor();
FilterDescriptor gaussian_descriptor();
FilterDescriptor blackhat_descriptor();
FilterDescriptor close_descriptor();
FilterDescriptor dilate_descriptor();
FilterDescriptor erode_descriptor();
FilterDescriptor flip_descriptor();
FilterDescriptor gradient_descriptor();
FilterDescriptor median_descriptor();
FilterDescriptor open_descriptor();
FilterDescriptor tophat_descriptor();
FilterDescriptor align_descriptor();
FilterDescriptor crop_descriptor();
FilterDescriptor flip_descriptor();
FilterDescriptor pad_descriptor();
FilterDescriptor register_descriptor();
FilterDescriptor resize_descriptor();
FilterDescriptor rotate_descriptor();
FilterDescriptor bias_descriptor();
FilterDescriptor flip_descriptor();
FilterDescriptor gibbs_descriptor();
FilterDescriptor heat_descriptor();
FilterDescriptor non_local_means_descriptor();
FilterDescriptor perona_malik_descriptor();

}  // namespace whorl::filters
