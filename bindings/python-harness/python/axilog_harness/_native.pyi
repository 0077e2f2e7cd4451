"""The types of the compiled module. Import from the modules beside it."""

import os
from typing import Union, final

class InvalidSchemaError(ValueError):
    """A document is refused as a schema. The message says why."""

@final
class Schema:
    """A JSON Schema (2020-12), checked and compiled.

    ``format`` asserts nothing, no other document is fetched, and regular expressions are matched in
    linear time. A schema has at most 256 KiB, 5000 subschemas with its references written out, 128
    within each other, and 100 regular expressions.

    Args:
        document: The schema as a JSON text, in any form.

    Raises:
        InvalidSchemaError for what is not JSON or no schema, for a reference that leads out of the
        document, a pattern that cannot be matched in linear time, and what exceeds a bound.
    """

    def __new__(cls, document: Union[bytes, str]) -> Schema: ...
    @property
    def canonical(self) -> bytes:
        """The schema in canonical form (RFC 8785), as a ledger keeps it."""

    @property
    def hash(self) -> str:
        """The SHA-256 of the canonical form in hexadecimal, which a manifest names."""

    def find_violation(self, text: Union[bytes, str]) -> Union[str, None]:
        """How ``text`` violates the schema, in words; ``None`` where it is one JSON value of at most
        1 MiB that conforms. Other threads run meanwhile."""

def audit_schemas(path: Union[str, os.PathLike[str]]) -> tuple[str, str, list[str]]:
    """Validates the questions and answers of a ledger again, as ``axilog audit`` does.

    Args:
        path: The ledger file, which is replayed under the configuration that it names.

    Returns:
        The result (``passed``, ``failed`` or ``not checked``), the finding in words, and a line for
        each of the first 20 violations and of the first 20 refused answers.

    Raises:
        OSError where the ledger or a blob cannot be read.
    """
