// The head phantom of Shepp and Logan.
#pragma once

#include "whorl/phantom/phantom.hpp"

namespace WHORL_PUBLIC whorl {

/// Intensities of the head phantom. standard: those of the paper, where tissues differ by only 1 %. modified: those
/// with a visible contrast.
enum class PhantomContrast { standard, modified };

/// The ten ellipses (dim 2) or ellipsoids (dim 3) of the head phantom. The y axis of the papers' tables points up,
/// towards smaller y in an image. So y and the angles are mirrored here, and the picture looks as printed. R2* and the
/// field are not from the papers: they are roughly those of bone, brain and ventricles at 3 T.
///
/// Throws  ValueError (dim not 2 or 3)
/// Source  2D: Shepp and Logan, "The Fourier reconstruction of a head section", IEEE Trans Nucl Sci 21:21 (1974);
///         modified by Toft, "The Radon transform: theory and implementation", PhD thesis, DTU (1996). 3D: Kak and
///         Slaney, "Principles of computerized tomographic imaging" (1988), p. 102; modified by Yu, Ye and Wang,
///         "Katsevich-type algorithms for variable radius spiral cone-beam CT", Proc SPIE 5535:550 (2004)
Phantom shepp_logan(int dim, PhantomContrast contrast);

}  // namespace whorl
