// The descriptors of the library's filters, and their list.
#pragma once

#include <vector>

#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

/// All of them, in the order of the documentation.
std::vector<FilterDescriptor> library_filters();

FilterDescriptor align_descriptor();
FilterDescriptor autocontrast_descriptor();
FilterDescriptor bias_descriptor();
FilterDescriptor bilateral_descriptor();
FilterDescriptor blackhat_descriptor();
FilterDescriptor canny_descriptor();
FilterDescriptor clahe_descriptor();
FilterDescriptor clip_descriptor();
FilterDescriptor close_descriptor();
FilterDescriptor convert_descriptor();
FilterDescriptor crop_descriptor();
FilterDescriptor custom_descriptor();
FilterDescriptor dilate_descriptor();
FilterDescriptor equalize_descriptor();
FilterDescriptor erode_descriptor();
FilterDescriptor flip_descriptor();
FilterDescriptor gamma_descriptor();
FilterDescriptor gaussian_descriptor();
FilterDescriptor gibbs_descriptor();
FilterDescriptor gradient_descriptor();
FilterDescriptor gray_descriptor();
FilterDescriptor gray_world_descriptor();
FilterDescriptor heat_descriptor();
FilterDescriptor imaginary_descriptor();
FilterDescriptor invert_descriptor();
FilterDescriptor laplacian_descriptor();
FilterDescriptor magnitude_descriptor();
FilterDescriptor median_descriptor();
FilterDescriptor non_local_means_descriptor();
FilterDescriptor open_descriptor();
FilterDescriptor pad_descriptor();
FilterDescriptor perona_malik_descriptor();
FilterDescriptor phase_descriptor();
FilterDescriptor real_descriptor();
FilterDescriptor register_descriptor();
FilterDescriptor resize_descriptor();
FilterDescriptor root_sum_of_squares_descriptor();
FilterDescriptor rotate_descriptor();
FilterDescriptor scale_descriptor();
FilterDescriptor scharr_descriptor();
FilterDescriptor sobel_x_descriptor();
FilterDescriptor sobel_y_descriptor();
FilterDescriptor threshold_descriptor();
FilterDescriptor tophat_descriptor();
FilterDescriptor unsharp_descriptor();
FilterDescriptor window_descriptor();

}  // namespace whorl::filters
