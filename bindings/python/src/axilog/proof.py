"""Proofs that a ledger has one record (RFC 6962, C2SP tlog-proof): they need neither the ledger nor
its other records."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import NamedTuple, Optional

from axilog._host_call import take_string
from axilog.capi import lib
from axilog.capi.host import AXH_NOT_OK, AXH_OK
from axilog.errors import ProofError
from axilog.inputs import Text, as_bytes


class ProvenRecord(NamedTuple):
    """A record that a proof has shown.

    Attributes:
        origin: The name of the ledger, which is that of the key.
        size: The number of records that the ledger had when its head was signed.
        sequence: The position in the ledger; the genesis is 0.
        tag: The kind of the record, such as ``AX:OBS:v1``.
        commit: The SHA-256 over tag, length and record, in hexadecimal.
        payload: The canonical record.
    """

    origin: str
    size: int
    sequence: int
    tag: str
    commit: str
    payload: bytes


def check_proof(record: Optional[Text], proof: Text, key: str) -> ProvenRecord:
    """Checks the proof that a ledger has one record, with the public key of the ledger alone::

        proven = axilog.check_proof(None, Path("five.tlog-proof").read_bytes(), key)

    What it shows is that whoever has the secret key signed a head of the ledger which covers the
    record. Take the public key from whoever keeps the ledger, by another way than the proof.

    Args:
        record: The record's line of the ledger file, with or without its line feed; ``None`` for
            the one in the proof.
        proof: What ``axilog prove LEDGER --seq N`` writes.
        key: The public key, as ``axilog key show`` prints it.

    Returns:
        What was proven.

    Raises:
        ProofError where the proof does not hold, or is none: the message says what does not hold.
        ValueError for a key that is none, a proof or record longer than any, or a proof without its
        record where none is given.
    """
    if "\0" in key:
        raise ValueError("key: found a NUL, expected NAME+ID+KEY")
    line = None if record is None else as_bytes("record", record)
    data, public_key, text = as_bytes("proof", proof), key.strip().encode(), c_void_p()
    status = lib.axh_check_proof(data, len(data), line, len(line or b""), public_key, byref(text))
    if status not in (AXH_OK, AXH_NOT_OK):
        raise ValueError(lib.axh_last_error().decode())
    shown = json.loads(take_string(text))
    if status == AXH_NOT_OK:
        raise ProofError(f"the proof does not hold: {shown['reason']}")
    return ProvenRecord(
        shown["origin"],
        shown["size"],
        shown["seq"],
        shown["tag"],
        shown["commit"],
        shown["record"].encode(),
    )
