"""The schemas that a ledger's manifest declares, and the validation against them (SRS-004 sections
8.3 and 9.2, decision D30). The package ``axilog-harness`` validates; without it a ledger that
declares schemas takes no answers, since an answer that was not validated is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from axilog._blobs import BlobStore
from axilog.errors import ManifestError
from axilog.manifest import Manifest, OracleSchemas

if TYPE_CHECKING:
    from axilog_harness.ledger import Schema

SchemaDocument = Union[str, bytes, bool, Mapping[str, Any]]
"""A JSON Schema (2020-12): a JSON text, or what :func:`json.loads` makes of one."""

# One byte more than a schema may have, so that a longer blob has another hash.
_MAX_BYTES = (256 << 10) + 1

NO_VALIDATOR = (
    "schemas are validated by the package axilog-harness, which is not installed; install it "
    "beside axilog: pip install ./bindings/python-harness"
)
"""What is missing where nothing can be validated, and what to do."""


class UnusableSchemasError(Exception):
    """Schemas cannot be had, or cannot be validated against. The message says why."""


class DeclaredSchemas:
    """The declared schemas of a ledger's oracles."""

    def __init__(self) -> None:
        self._inputs: dict[str, Schema] = {}
        self._outputs: dict[str, Schema] = {}

    @classmethod
    def of_documents(
        cls, outputs: Mapping[str, SchemaDocument], inputs: Mapping[str, SchemaDocument]
    ) -> DeclaredSchemas:
        """Reads the documents that a caller declares, by oracle id. Raises ManifestError."""
        declared = cls()
        for documents, schemas in ((outputs, declared._outputs), (inputs, declared._inputs)):
            for oracle_id, document in documents.items():
                try:
                    schemas[oracle_id] = _compile(_make_text(document))
                except (UnusableSchemasError, TypeError, ValueError, RecursionError) as error:
                    raise ManifestError(f"the schema of oracle {oracle_id!a}: {error}") from error
        return declared

    @classmethod
    def load(cls, manifest: Manifest, blobs: BlobStore) -> DeclaredSchemas:
        """Reads the schemas that a manifest names from the blobs. Raises UnusableSchemasError, and
        LedgerIOError."""
        declared = cls()
        for oracle_id, named in manifest.schemas.items():
            if named.input is not None:
                declared._inputs[oracle_id] = _load(named.input, blobs)
            if named.output is not None:
                declared._outputs[oracle_id] = _load(named.output, blobs)
        return declared

    def oracle_ids(self) -> Iterator[str]:
        """The ids of the oracles that schemas are declared of."""
        yield from sorted({*self._inputs, *self._outputs})

    def named(self) -> dict[str, OracleSchemas]:
        """The hashes of the schemas, as a manifest names them."""
        return {
            oracle_id: OracleSchemas(
                _hash(self._inputs.get(oracle_id)), _hash(self._outputs.get(oracle_id))
            )
            for oracle_id in self.oracle_ids()
        }

    def documents(self) -> Iterator[bytes]:
        """The documents in canonical form, which the ledger keeps as blobs."""
        for schema in (*self._inputs.values(), *self._outputs.values()):
            yield schema.canonical

    def input_schema(self, oracle_id: str) -> Optional[Schema]:
        """The schema of what an oracle is asked; ``None`` where it is not declared."""
        return self._inputs.get(oracle_id)

    def output_schema(self, oracle_id: str) -> Optional[Schema]:
        """The schema of what an oracle answers; ``None`` where it is not declared."""
        return self._outputs.get(oracle_id)


def _make_text(document: SchemaDocument) -> Union[str, bytes]:
    if isinstance(document, (str, bytes)):
        return document
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def _compile(text: Union[str, bytes]) -> Schema:
    try:
        from axilog_harness.ledger import InvalidSchemaError, Schema
    except ImportError as error:
        raise UnusableSchemasError(NO_VALIDATOR) from error
    try:
        return Schema(text)
    except InvalidSchemaError as error:
        raise UnusableSchemasError(str(error)) from error


def _load(digest: str, blobs: BlobStore) -> Schema:
    data = blobs.get(digest, _MAX_BYTES)
    if data is None:
        raise UnusableSchemasError(f"the schema {digest} is missing among the blobs")
    try:
        schema = _compile(data)
    except UnusableSchemasError as error:
        raise UnusableSchemasError(f"the schema {digest}: {error}") from error
    if schema.canonical != data or schema.hash != digest:
        raise UnusableSchemasError(f"the schema {digest}: its blob holds other bytes")
    return schema


def _hash(schema: Optional[Schema]) -> Optional[str]:
    return None if schema is None else schema.hash
