//! Dtypes as Python objects: `bessemer.float32` and the others, and whatever else stands for one.
//! A new dtype is a line in `ROWS`.

use crate::errors::type_error;
use bessemer::DType;
use pyo3::{
    prelude::*,
    sync::PyOnceLock,
    types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType},
};
use std::ffi::CStr;

/// What kind of numbers a dtype has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
}

impl Kind {
    /// NumPy's letter for it.
    pub(crate) fn letter(self) -> char {
        match self {
            Kind::Bool => 'b',
            Kind::Signed => 'i',
            Kind::Unsigned => 'u',
            Kind::Float => 'f',
            Kind::Complex => 'c',
        }
    }
}

/// All that Python has to know about a dtype.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) dtype: DType,
    /// The name of the array API and of NumPy.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The letter of the buffer protocol; none for what it cannot describe.
    pub(crate) format: Option<&'static CStr>,
    /// The number that DLPack has for its kind.
    pub(crate) dlpack: u8,
}

/// Every dtype that arrays have.
pub(crate) const ROWS: &[Row] = &[
    row(DType::Bool, "bool", Kind::Bool, Some(c"?"), 6),
    row(DType::I8, "int8", Kind::Signed, Some(c"b"), 0),
    row(DType::I16, "int16", Kind::Signed, Some(c"h"), 0),
    row(DType::I32, "int32", Kind::Signed, Some(c"i"), 0),
    row(DType::I64, "int64", Kind::Signed, Some(c"q"), 0),
    row(DType::U8, "uint8", Kind::Unsigned, Some(c"B"), 1),
    row(DType::U16, "uint16", Kind::Unsigned, Some(c"H"), 1),
    row(DType::U32, "uint32", Kind::Unsigned, Some(c"I"), 1),
    row(DType::U64, "uint64", Kind::Unsigned, Some(c"Q"), 1),
    row(DType::F16, "float16", Kind::Float, Some(c"e"), 2),
    row(DType::BF16, "bfloat16", Kind::Float, None, 4),
    row(DType::F32, "float32", Kind::Float, Some(c"f"), 2),
    row(DType::F64, "float64", Kind::Float, Some(c"d"), 2),
    row(DType::Complex64, "complex64", Kind::Complex, Some(c"Zf"), 5),
];

const fn row(
    dtype: DType,
    name: &'static str,
    kind: Kind,
    format: Option<&'static CStr>,
    dlpack: u8,
) -> Row {
    Row { dtype, name, kind, format, dlpack }
}

impl Row {
    /// The row of a dtype that arrays have.
    pub(crate) fn of(dtype: DType) -> &'static Row {
        // Arrays refuse block formats, so a row is always found.
        ROWS.iter().find(|row| row.dtype == dtype).unwrap_or(&ROWS[0])
    }

    /// The dtype that a format of the buffer protocol describes, and whether its bytes are swapped.
    pub(crate) fn of_format(format: &CStr, item_bytes: usize) -> Option<(&'static Row, bool)> {
        let (order, code) = match format.to_bytes() {
            [order @ (b'<' | b'>' | b'=' | b'@' | b'!'), code @ ..] => (*order, code),
            code => (b'@', code),
        };
        let kind = match code {
            b"?" => Kind::Bool,
            b"b" | b"h" | b"i" | b"l" | b"q" | b"n" => Kind::Signed,
            b"B" | b"H" | b"I" | b"L" | b"Q" | b"N" => Kind::Unsigned,
            b"e" | b"f" | b"d" => Kind::Float,
            b"Zf" => Kind::Complex,
            _ => return None,
        };
        let row = ROWS.iter().find(|row| {
            row.kind == kind && row.format.is_some() && row.dtype.block_bytes() == item_bytes
        })?;
        let big = matches!(order, b'>' | b'!');
        let little = order == b'<';
        Some((row, item_bytes > 1 && if cfg!(target_endian = "big") { little } else { big }))
    }

    /// The dtype of these numbers in DLPack.
    pub(crate) fn of_dlpack(code: u8, bits: u8) -> Option<&'static Row> {
        let same =
            |row: &&Row| row.dlpack == code && row.dtype.block_bytes() * 8 == usize::from(bits);
        ROWS.iter().find(same)
    }
}

/// How the elements of an array are stored.
///
/// `bessemer.float32` and the others are all there are. Wherever a dtype is asked for, its name,
/// NumPy's dtype of that name, and Python's `bool`, `int`, `float` and `complex` will do too.
///
/// >>> import bessemer as bm
/// >>> bm.float16
/// bessemer.float16
/// >>> bm.float16.itemsize, bm.float16 == "float16"
/// (2, True)
#[pyclass(name = "DType", module = "bessemer", frozen)]
pub(crate) struct PyDType(pub(crate) &'static Row);

#[pymethods]
impl PyDType {
    /// Its name, which is NumPy's for it too.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    /// The bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.dtype.block_bytes()
    }

    /// `b`, `i`, `u`, `f` or `c`: booleans, signed and unsigned integers, floats, complex numbers.
    #[getter]
    fn kind(&self) -> char {
        self.0.kind.letter()
    }

    /// NumPy's dtype for it, or that of `ml_dtypes` where NumPy has none.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        match self.0.format {
            Some(_) => numpy.call_method1("dtype", (self.0.name,)),
            None => numpy.call_method1("dtype", (py.import("ml_dtypes")?.getattr(self.0.name)?,)),
        }
    }

    fn __repr__(&self) -> String {
        format!("bessemer.{}", self.0.name)
    }

    fn __str__(&self) -> &'static str {
        self.0.name
    }

    fn __hash__(&self) -> u64 {
        self.0.dtype as u64
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        find(other).is_some_and(|row| row.dtype == self.0.dtype)
    }

    /// Pickled by name.
    fn __reduce__(&self) -> &'static str {
        self.0.name
    }
}

/// A dtype, or what stands for one, as an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DTypeArg(pub(crate) DType);

impl<'py> FromPyObject<'_, 'py> for DTypeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let row = find(&object).ok_or_else(|| {
            let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
            type_error(format!(
                "dtype: {} is not a dtype that arrays have; use one of {}",
                object.repr().map_or_else(|_| "it".into(), |text| text.to_string()),
                names.join(", ")
            ))
        })?;
        Ok(DTypeArg(row.dtype))
    }
}

/// The dtype that an object stands for.
fn find(object: &Bound<'_, PyAny>) -> Option<&'static Row> {
    if let Ok(dtype) = object.cast::<PyDType>() {
        return Some(dtype.get().0);
    }
    let py = object.py();
    if let Ok(text) = object.cast::<PyString>() {
        return named(text.to_str().ok()?);
    }
    if object.is(py.get_type::<PyBool>()) {
        return named("bool");
    }
    if object.is(py.get_type::<PyInt>()) {
        return named("int64");
    }
    if object.is(py.get_type::<PyFloat>()) {
        return named("float32");
    }
    if object.is(py.get_type::<PyComplex>()) {
        return named("complex64");
    }
    // NumPy's dtypes have a `name`, its scalar types (and those of ml_dtypes) a `__name__`.
    let name = match object.cast::<PyType>() {
        Ok(class) => class.name().ok()?.to_str().ok()?.trim_end_matches('_').to_owned(),
        Err(_) => object.getattr("name").ok()?.extract::<String>().ok()?,
    };
    ROWS.iter().find(|row| row.name == name)
}

/// The dtype of a name: `float32`, or `f32` as in Rust.
fn named(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name || row.dtype.name() == name)
}

/// The object for a dtype: always the same one.
pub(crate) fn object(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyDType>> {
    static OBJECTS: PyOnceLock<Vec<Py<PyDType>>> = PyOnceLock::new();
    let objects = OBJECTS
        .get_or_try_init(py, || ROWS.iter().map(|row| Py::new(py, PyDType(row))).collect())?;
    let at = ROWS.iter().position(|row| row.dtype == dtype).unwrap_or(0);
    Ok(objects[at].bind(py).clone())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDType>()?;
    for row in ROWS {
        module.add(row.name, object(module.py(), row.dtype)?)?;
    }
    Ok(())
}
