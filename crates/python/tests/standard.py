"""The array API standard 2024.12 as data: signatures, special cases of elementwise functions, promotion."""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {
    "x, /": """
        abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite
        isinf isnan log log10 log1p log2 logical_not matrix_transpose negative nonzero positive real
        reciprocal round sign signbit sin sinh sqrt square tan tanh trunc unique_all unique_counts
        unique_inverse unique_values
    """,
    "x1, x2, /": """
        add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide
        equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or
        logical_xor matmul maximum minimum multiply nextafter not_equal pow remainder subtract
    """,
    "x, /, *, axis=None, keepdims=False": "all any argmax argmin count_nonzero max mean min",
    "shape, *, dtype=None, device=None": "empty ones zeros",
    "x, /, *, dtype=None, device=None": "empty_like ones_like zeros_like",
    "arrays, /, *, axis=0": "concat stack",
    "type, /": "finfo iinfo",
    "x, /, *, axis=-1, descending=False, stable=True": "argsort sort",
    "x, /, *, axis=None, correction=0.0, keepdims=False": "std var",
    "x, /, *, axis=None, dtype=None, include_initial=False": "cumulative_prod cumulative_sum",
    "x, /, *, axis=None, dtype=None, keepdims=False": "prod sum",
    "x, /, *, k=0": "tril triu",
    "x, /, axis": "expand_dims squeeze",
    "*arrays": "broadcast_arrays",
    "*arrays, indexing='xy'": "meshgrid",
    "*arrays_and_dtypes": "result_type",
    "condition, x1, x2, /": "where",
    "dtype, kind": "isdtype",
    "from_, to, /": "can_cast",
    "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None": "eye",
    "obj, /, *, dtype=None, device=None, copy=None": "asarray",
    "shape, fill_value, *, dtype=None, device=None": "full",
    "start, /, stop=None, step=1, *, dtype=None, device=None": "arange",
    "start, stop, /, num, *, dtype=None, device=None, endpoint=True": "linspace",
    "x, /, *, axis=-1, n=1, prepend=None, append=None": "diff",
    "x, /, *, axis=0": "unstack",
    "x, /, *, axis=None": "flip",
    "x, /, *, device=None, copy=None": "from_dlpack",
    "x, /, axes": "permute_dims",
    "x, /, fill_value, *, dtype=None, device=None": "full_like",
    "x, /, min=None, max=None": "clip",
    "x, /, shape": "broadcast_to",
    "x, /, shape, *, copy=None": "reshape",
    "x, /, shift, *, axis=None": "roll",
    "x, dtype, /, *, copy=True, device=None": "astype",
    "x, indices, /, *, axis=-1": "take_along_axis",
    "x, indices, /, *, axis=None": "take",
    "x, repeats, /, *, axis=None": "repeat",
    "x, repetitions, /": "tile",
    "x, source, destination, /": "moveaxis",
    "x1, x2, /, *, axes=2": "tensordot",
    "x1, x2, /, *, axis=-1": "vecdot",
    "x1, x2, /, *, side='left', sorter=None": "searchsorted",
}
"""Parameters, and the functions that have them."""

LINALG: dict[str, str] = {
    "x, /": "det eigh eigvalsh inv matrix_transpose slogdet svdvals",
    "x1, x2, /": "matmul outer solve",
    "x, /, *, rtol=None": "matrix_rank pinv",
    "x1, x2, /, *, axis=-1": "cross vecdot",
    "x, /, *, axis=None, keepdims=False, ord=2": "vector_norm",
    "x, /, *, full_matrices=True": "svd",
    "x, /, *, keepdims=False, ord='fro'": "matrix_norm",
    "x, /, *, mode='reduced'": "qr",
    "x, /, *, offset=0": "diagonal",
    "x, /, *, offset=0, dtype=None": "trace",
    "x, /, *, upper=False": "cholesky",
    "x, n, /": "matrix_power",
    "x1, x2, /, *, axes=2": "tensordot",
}
"""The same of `linalg`."""

FFT: dict[str, str] = {
    "x, /, *, n=None, axis=-1, norm='backward'": "fft hfft ifft ihfft irfft rfft",
    "x, /, *, s=None, axes=None, norm='backward'": "fftn ifftn irfftn rfftn",
    "n, /, *, d=1.0, dtype=None, device=None": "fftfreq rfftfreq",
    "x, /, *, axes=None": "fftshift ifftshift",
}
"""The same of `fft`."""

METHODS: dict[str, str] = {
    "other, /": """
        __add__ __and__ __eq__ __floordiv__ __ge__ __gt__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__
        __ne__ __or__ __pow__ __rshift__ __sub__ __truediv__ __xor__
    """,
    "": """
        __abs__ __bool__ __complex__ __dlpack_device__ __float__ __index__ __int__ __invert__ __neg__ __pos__
    """,
    "*, api_version=None": "__array_namespace__",
    "*, stream=None, max_version=None, dl_device=None, copy=None": "__dlpack__",
    "device, /, *, stream=None": "to_device",
    "key, /": "__getitem__",
    "key, value, /": "__setitem__",
}
"""The same of arrays, without `self`."""

ATTRIBUTES = "T device dtype mT ndim shape size"
"""What else arrays have."""

UNARY: dict[str, str] = {
    "acos": "nan:nan >1:nan <-1:nan 1:+0",
    "acosh": "nan:nan <1:nan 1:+0 inf:inf",
    "asin": "nan:nan >1:nan <-1:nan +0:+0 -0:-0",
    "asinh": "nan:nan +0:+0 -0:-0 inf:inf -inf:-inf",
    "atan": "nan:nan +0:+0 -0:-0 inf:pi/2 -inf:-pi/2",
    "atanh": "nan:nan <-1:nan >1:nan -1:-inf 1:inf +0:+0 -0:-0",
    "ceil": "whole:x inf:inf -inf:-inf +0:+0 -0:-0 nan:nan",
    "cos": "nan:nan 0:1 infs:nan",
    "cosh": "nan:nan 0:1 infs:inf",
    "exp": "nan:nan 0:1 inf:inf -inf:+0",
    "expm1": "nan:nan +0:+0 -0:-0 inf:inf -inf:-1",
    "floor": "whole:x inf:inf -inf:-inf +0:+0 -0:-0 nan:nan",
    "log": "nan:nan <0:nan 0:-inf 1:+0 inf:inf",
    "log10": "nan:nan <0:nan 0:-inf 1:+0 inf:inf",
    "log1p": "nan:nan <-1:nan -1:-inf +0:+0 -0:-0 inf:inf",
    "log2": "nan:nan <0:nan 0:-inf 1:+0 inf:inf",
    "round": "whole:x inf:inf -inf:-inf +0:+0 -0:-0 nan:nan",
    "sign": "nan:nan <0:-1 >0:1 0:0",
    "signbit": "+0:0 -0:1 >0:0 <0:1",
    "sin": "nan:nan +0:+0 -0:-0 infs:nan",
    "sinh": "nan:nan +0:+0 -0:-0 inf:inf -inf:-inf",
    "sqrt": "nan:nan <0:nan +0:+0 -0:-0 inf:inf",
    "tan": "nan:nan +0:+0 -0:-0 infs:nan",
    "tanh": "nan:nan +0:+0 -0:-0 inf:1 -inf:-1",
    "trunc": "whole:x inf:inf -inf:-inf +0:+0 -0:-0 nan:nan",
    "abs": "nan:nan -0:+0 +0:+0 infs:inf",
    "isnan": "nan:1 infs:0 finite:0",
    "isinf": "nan:0 infs:1 finite:0",
    "isfinite": "nan:0 infs:0 finite:1",
    "positive": "nan:nan -0:-0 -inf:-inf",
    "negative": "nan:nan -0:+0 +0:-0 inf:-inf",
}
"""Operands, and what becomes of them. `x` is the operand itself, and 0 either zero."""

_QUOTIENT = """nan,*:nan *,nan:nan infs,infs:nan 0,0:nan +0,>0:+0 -0,>0:-0 +0,<0:-0 -0,<0:+0
    +,+0:inf +,-0:-inf -,+0:-inf -,-0:inf +,inf:+0 -,-inf:+0"""

BINARY: dict[str, str] = {
    "add": """nan,*:nan *,nan:nan inf,-inf:nan -inf,inf:nan inf,inf:inf -inf,-inf:-inf inf,finite:inf
        -inf,finite:-inf finite,inf:inf finite,-inf:-inf -0,-0:-0 -0,+0:+0 +0,-0:+0 +0,+0:+0 0,some:y some,0:x""",
    "atan2": """nan,*:nan *,nan:nan +,+0:pi/2 +,-0:pi/2 +0,>0:+0 +0,+0:+0 +0,-0:pi +0,<0:pi -0,>0:-0
        -0,+0:-0 -0,-0:-pi -0,<0:-pi -,+0:-pi/2 -,-0:-pi/2 +,inf:+0 +,-inf:pi -,inf:-0 -,-inf:-pi inf,finite:pi/2
        -inf,finite:-pi/2 inf,inf:pi/4 inf,-inf:3pi/4 -inf,inf:-pi/4 -inf,-inf:-3pi/4""",
    "copysign": "*,<0:-|x| *,-0:-|x| *,+0:|x| *,>0:|x|",
    "divide": _QUOTIENT + " +,-inf:-0 -,inf:-0 inf,+:inf inf,-:-inf -inf,+:-inf -inf,-:inf",
    # Where the standard leaves a choice, it is Python's.
    "floor_divide": _QUOTIENT + " +,-inf:-0 -,inf:-0 inf,+:inf inf,-:-inf -inf,+:-inf -inf,-:inf",
    "hypot": "infs,*:inf *,infs:inf nan,finite:nan finite,nan:nan",
    "logaddexp": "nan,*:nan *,nan:nan inf,!nan:inf !nan,inf:inf",
    "maximum": "nan,*:nan *,nan:nan",
    "minimum": "nan,*:nan *,nan:nan",
    "multiply": """nan,*:nan *,nan:nan infs,0:nan 0,infs:nan inf,inf:inf inf,-inf:-inf -inf,-inf:inf inf,+:inf
        inf,-:-inf -inf,+:-inf -,-inf:inf +0,-:-0 -0,-:+0 +0,+:+0""",
    "nextafter": "nan,*:nan *,nan:nan -0,+0:+0 +0,-0:-0",
    "pow": """!1,nan:nan *,0:1 nan,some:nan large,inf:inf large,-inf:+0 one,infs:1 1,!nan:1 small,inf:+0
        small,-inf:inf inf,>0:inf inf,<0:+0 -inf,odd:-inf -inf,+even:inf -inf,-odd:-0 -inf,-even:+0 +0,>0:+0
        +0,<0:inf -0,odd:-0 -0,+even:+0 -0,-odd:-inf -0,-even:inf -,half:nan""",
    "remainder": """nan,*:nan *,nan:nan infs,infs:nan 0,0:nan +0,>0:+0 -0,>0:+0 +0,<0:-0 -0,<0:-0 some,0:nan
        infs,some:nan +,inf:x +,-inf:y -,inf:y -,-inf:x""",
    "subtract": "nan,*:nan *,nan:nan inf,inf:nan -inf,-inf:nan inf,finite:inf finite,inf:-inf +0,+0:+0 -0,+0:-0",
}
"""Pairs of operands, and what becomes of them: `x` is the first and `y` the second."""

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_MIXED = {
    ("int8", "uint8"): "int16", ("int8", "uint16"): "int32", ("int8", "uint32"): "int64",
    ("int16", "uint8"): "int16", ("int16", "uint16"): "int32", ("int16", "uint32"): "int64",
    ("int32", "uint8"): "int32", ("int32", "uint16"): "int32", ("int32", "uint32"): "int64",
    ("int64", "uint8"): "int64", ("int64", "uint16"): "int64", ("int64", "uint32"): "int64",
}  # fmt: skip
PROMOTION: dict[tuple[str, str], str] = {
    **_MIXED,
    **{(b, a): found for (a, b), found in _MIXED.items()},
    **{
        (a, b): line[max(line.index(a), line.index(b))]
        for line in (SIGNED, UNSIGNED, ("float32", "float64"), ("bool",), ("complex64",))
        for a in line
        for b in line
    },
    ("float32", "complex64"): "complex64",
    ("complex64", "float32"): "complex64",
}
"""The dtype that two have in common. The standard says nothing of other pairs."""

_REAL = "floor_divide maximum minimum remainder"
_NUMBERS = "add divide multiply pow subtract"
_ROUND = "ceil floor round trunc"
_ANY_FLOAT = """acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal sin sinh sqrt tan
    tanh"""

SAME_DTYPE: dict[str, str] = {
    "bool": "logical_not bitwise_invert",
    "integer": f"abs bitwise_invert negative positive sign square {_ROUND}",
    "float": f"abs negative positive sign square {_ROUND} {_ANY_FLOAT}",
    "complex": f"conj negative positive sign square round {_ANY_FLOAT}",
}
"""Functions of one array whose results have its dtype, by the kind of dtype."""

COMMON_DTYPE: dict[str, str] = {
    "bool": "bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor",
    "integer": f"""add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor multiply pow subtract
        {_REAL}""",
    "float": f"atan2 copysign hypot logaddexp nextafter {_NUMBERS} {_REAL}",
    "complex": _NUMBERS,
}
"""Functions of two arrays whose results have the dtype in common, by the kind of dtype."""

TRUTHS = "equal greater greater_equal less less_equal not_equal logical_and logical_or logical_xor"
"""Functions of two arrays that give booleans."""
