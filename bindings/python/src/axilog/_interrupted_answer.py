"""The binding of an answer whose RAW record an interruption kept from being written: the answer is
a blob that no record names (formats.md section 6, Raw answers)."""

from __future__ import annotations

import ctypes
import hashlib
from typing import Optional

from axilog._admission import Fit, compare_answer
from axilog._blobs import BlobStore
from axilog._ledger_check import LedgerCheck
from axilog._named_blobs import NamedBlobs
from axilog._recorder import Recorder
from axilog.capi import lib
from axilog.capi.constants import AX_TAG_PROOF
from axilog.capi.structs import ax_evidence_t, ct_fault_flags_t
from axilog.enums import ReturnCode
from axilog.observation import Observation

_MAX_ANSWER_BYTES = 64 << 20


def bind_interrupted_answer(
    check: LedgerCheck,
    observation: Observation,
    named: NamedBlobs,
    store: BlobStore,
    torn: bytes,
    recorder: Recorder,
) -> None:
    """Commits the RAW record of the last observation to ``recorder``, where its answer is found
    among the blobs that no record names: the one in the torn line, or the only one that can be
    meant. An answer that is not found stays unbound. Raises LedgerIOError."""
    found = []
    for _, digest in store.list_unnamed_files(named):
        answer = None if digest is None else _read_answer(store, digest, observation, check)
        if answer is not None:
            step = Recorder(lines=True)
            _commit_raw_record(check, step, observation.ledger_seq, answer)
            if bytes(step.lines).startswith(torn):
                found.append((digest, step))
    if len(found) != 1:
        return
    digest, step = found[0]
    if not check.take_line(bytes(step.lines)):
        return
    if digest is not None:
        named.add(digest)
    recorder.entries, recorder.lines = step.entries, step.lines


def _read_answer(
    store: BlobStore, digest: str, observation: Observation, check: LedgerCheck
) -> Optional[bytes]:
    """Reads a blob, and returns it where it can be the answer of the observation."""
    if not store.contains(digest):
        return None
    answer = store.get(digest, _MAX_ANSWER_BYTES + 1)
    if answer is None or hashlib.sha256(answer).hexdigest() != digest:
        return None
    fit = compare_answer(observation, answer)
    configuration = check.configuration
    has_manifest = configuration is not None and configuration.manifest is not None
    # A schema that the manifest declares may be why an admissible answer was refused.
    if fit is Fit.RECORDED or (fit is Fit.ADMISSIBLE and has_manifest):
        return answer
    return None


def _commit_raw_record(
    check: LedgerCheck, recorder: Recorder, ledger_seq: int, answer: bytes
) -> None:
    agent = check.restore_agent()
    if agent is None:
        return
    recorder.attach(agent)
    record = ctypes.create_string_buffer(256)
    written = lib.ax_raw_record(record, len(record), ledger_seq, answer, len(answer))
    evidence = ax_evidence_t(AX_TAG_PROOF, record.raw[:written], written)
    faults = ct_fault_flags_t()
    code = lib.ax_ledger_record(
        ctypes.byref(agent.ledger), ctypes.byref(evidence), ctypes.byref(faults)
    )
    recorder.raise_failure(int(code == ReturnCode.OK))
