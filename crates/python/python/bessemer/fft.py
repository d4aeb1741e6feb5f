"""Fourier transforms, in single precision. They are computed on the CPU, also for arrays of GPUs: ``explain``
shows what is copied.

>>> import bessemer as bm
>>> bm.fft.irfft(bm.fft.rfft(bm.array([1.0, 2.0, 3.0, 4.0])))
array([1., 2., 3., 4.], dtype=float32)
"""

from __future__ import annotations

from ._bessemer import _fft_fft as fft
from ._bessemer import _fft_fftfreq as fftfreq
from ._bessemer import _fft_fftn as fftn
from ._bessemer import _fft_fftshift as fftshift
from ._bessemer import _fft_hfft as hfft
from ._bessemer import _fft_ifft as ifft
from ._bessemer import _fft_ifftn as ifftn
from ._bessemer import _fft_ifftshift as ifftshift
from ._bessemer import _fft_ihfft as ihfft
from ._bessemer import _fft_irfft as irfft
from ._bessemer import _fft_irfftn as irfftn
from ._bessemer import _fft_rfft as rfft
from ._bessemer import _fft_rfftfreq as rfftfreq
from ._bessemer import _fft_rfftn as rfftn

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn",
    "rfft", "rfftfreq", "rfftn",
]  # fmt: skip
