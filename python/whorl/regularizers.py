"""Terms of a reconstruction as objects: `whorl.recon(scan, regularize=[whorl.TV(0.5, axes="t"), whorl.Positive()])`.

Each stands for a text of `regularize=` (docs/howto/regularization.md), which str() gives. weight is a number around 1 in units of the noise,
'weak', 'medium', 'strong', 'auto', 'gcv' or 'discrepancy'. A function of one's own is whorl.function_proximal.
"""

import numbers

from . import _calls

__all__ = ["ICTV", "LLR", "TGV", "TV", "LowRankSparse", "Positive", "Regularizer", "SparsePixels", "SparseWavelets"]


class Regularizer:
    """A term of a reconstruction.

    Raises  TypeError (a term of no kind); in whorl.recon whorl.ValueError (a value that its option does not take)

    Example

    >>> isinstance(whorl.TV(0.5), whorl.regularizers.Regularizer)
    True
    """

    kind = ""

    def __init_subclass__(cls):
        cls.__init__ = _calls.checked(cls.__init__, cls.__name__)

    def __init__(self, weight="medium", **options):
        if not self.kind:
            raise TypeError("Regularizer: make a TV, TGV, ICTV, SparseWavelets, SparsePixels, LLR, LowRankSparse or Positive")
        for name, value in {"weight": weight, **options}.items():
            if not isinstance(value, (str, numbers.Real, type(None))):
                raise TypeError(f"{type(self).__name__}: {name} is {value!r}, expected a number or a word")
        self.weight = weight
        self.options = {name: value for name, value in options.items() if value is not None}

    def __str__(self):
        said = [str(self.weight)] + [f"{name}={_word(value)}" for name, value in self.options.items()]
        return f"{self.kind}:{','.join(said)}"

    def __repr__(self):
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({self.weight!r}{options})"

    def __eq__(self, other):
        return isinstance(other, Regularizer) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


def _word(value):
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


class TV(Regularizer):
    """Total variation: few edges, along `axes` (some of xyzt, t for frames); those of `cyclic` have no ends.

    Raises  as Regularizer

    Example

    >>> whorl.TV(0.5, axes="xy")
    TV(0.5, axes='xy')
    """

    kind = "tv"

    def __init__(self, weight="medium", *, axes=None, cyclic=None, unit=None):
        super().__init__(weight, axes=axes, cyclic=cyclic, unit=unit)


class TGV(Regularizer):
    """Total generalized variation: linear between edges. ratio: weight of the second differences.

    Raises  as Regularizer

    Example

    >>> str(whorl.TGV("weak", ratio=2))
    'tgv:weak,ratio=2'
    """

    kind = "tgv"

    def __init__(self, weight="medium", *, axes=None, cyclic=None, ratio=None, unit=None):
        super().__init__(weight, axes=axes, cyclic=cyclic, ratio=ratio, unit=unit)


class ICTV(Regularizer):
    """Edges in space or in time, of two parts of a series. time: weight of those in time; mix: of the others in each.

    Raises  as Regularizer

    Example

    >>> str(whorl.ICTV("strong"))
    'ictv:strong'
    """

    kind = "ictv"

    def __init__(self, weight="medium", *, cyclic=None, time=None, mix=None, unit=None):
        super().__init__(weight, cyclic=cyclic, time=time, mix=mix, unit=unit)


class SparseWavelets(Regularizer):
    """Few wavelet coefficients, of Daubechies' filters of `taps`, on `levels`; joint: over frames together.

    Raises  as Regularizer

    Example

    >>> str(whorl.SparseWavelets(0.5, taps=4))
    'wavelet:0.5,taps=4'
    """

    kind = "wavelet"

    def __init__(self, weight="medium", *, taps=None, levels=None, approximation=None, joint=None, shift=None, unit=None):
        super().__init__(
            weight, taps=taps, levels=levels, approximation=approximation, joint=joint, shift=shift, unit=unit
        )


class SparsePixels(Regularizer):
    """Few pixels that are not 0; joint: over frames together.

    Raises  as Regularizer

    Example

    >>> str(whorl.SparsePixels(0.5, joint=True))
    'l1:0.5,joint=yes'
    """

    kind = "l1"

    def __init__(self, weight="medium", *, joint=None, unit=None):
        super().__init__(weight, joint=joint, unit=unit)


class LLR(Regularizer):
    """Few time courses within each patch of `patch` pixels along each axis.

    Raises  as Regularizer

    Example

    >>> str(whorl.LLR(1, patch=4))
    'llr:1,patch=4'
    """

    kind = "llr"

    def __init__(self, weight="medium", *, patch=None, shift=None, unit=None):
        super().__init__(weight, patch=patch, shift=shift, unit=unit)


class LowRankSparse(Regularizer):
    """A part of few time courses, of the image or of `patches`, and one that is sparse in time.

    Raises  as Regularizer

    Example

    >>> str(whorl.LowRankSparse(transform="none"))
    'low-rank-sparse:medium,transform=none'
    """

    kind = "low-rank-sparse"

    def __init__(self, weight="medium", *, matrix=None, patch=None, transform=None, sparse=None, shift=None, unit=None):
        super().__init__(weight, matrix=matrix, patch=patch, transform=transform, sparse=sparse, shift=shift, unit=unit)


class Positive(Regularizer):
    """Real pixels, none below 0.

    Raises  as Regularizer

    Example

    >>> str(whorl.Positive())
    'positive'
    """

    kind = "positive"

    def __init__(self):
        super().__init__()

    def __str__(self):
        return self.kind

    def __repr__(self):
        return "Positive()"
