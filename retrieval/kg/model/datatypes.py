"""Datatypes of XML Schema, as CSVW and RML name them, for the types of columns."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.kg.model.data_model import ColumnType

_NUMBERS = "decimal integer number double float long int short byte nonNegativeInteger positiveInteger gYear"
_DATATYPES: Mapping[ColumnType, str] = {
    "number": f"{_NUMBERS} unsignedInt unsignedLong unsignedShort",
    "date": "date dateTime datetime dateTimeStamp gYearMonth",
    "boolean": "boolean",
    "link": "anyURI",
    "text": "string",
}
#: The datatype that is written for a type, and the type that each datatype is read as.
DATATYPES = {column_type: names.split()[0] for column_type, names in _DATATYPES.items()}
TYPES = {name: column_type for column_type, names in _DATATYPES.items() for name in names.split()}
