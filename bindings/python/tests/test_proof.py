"""axilog.check_proof, of proofs that the command makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import axilog
from axilog import ProofError, check_proof
from tests.conftest import Cli, observe

NAME = "example.com/plant"


class Plant:
    """A ledger of that name whose head was signed, with a proof of its record 5."""

    def __init__(self, cli: Cli, directory: Path) -> None:
        self.directory = directory
        self.ledger = directory / "ledger.jsonl"
        with axilog.Agent.start(str(self.ledger), name=NAME) as agent:
            observe(agent, b'{"value": 1}')
            observe(agent, b'{"value": 2}')
        secret = directory / "plant.key"
        self.key: str = cli.run_json("key", "new", secret, "--name", NAME)["public_key"]
        cli.run_json("checkpoint", self.ledger, "--key", secret)
        self.proof = self.prove(cli, "proof")
        self.bare = self.prove(cli, "bare", "--without-record")
        self.line = self.ledger.read_bytes().splitlines()[5]

    def prove(self, cli: Cli, name: str, *options: str) -> bytes:
        path = self.directory / name
        cli.run_json("prove", self.ledger, "--seq", "5", "-o", path, *options)
        return path.read_bytes()


@pytest.fixture
def plant(cli: Cli, tmp_path: Path) -> Plant:
    return Plant(cli, tmp_path)


def test_a_record_is_proven_with_the_public_key_alone(plant: Plant) -> None:
    proven = check_proof(None, plant.proof, plant.key)
    line = json.loads(plant.line)
    assert (proven.origin, proven.sequence, proven.size) == (NAME, 5, 11)
    assert (proven.tag, proven.commit) == (line["tag"], line["commit"])
    assert json.loads(proven.payload) == line["record"]
    records = list(axilog.read(str(plant.ledger)))
    assert records[5].payload == proven.payload
    # As text, with the record apart, and with what a file of the key ends with.
    assert check_proof(plant.line, plant.bare, plant.key) == proven
    assert check_proof(plant.line + b"\n", plant.proof.decode(), plant.key + "\n") == proven


def test_a_changed_proof_does_not_hold(plant: Plant) -> None:
    for at in range(len(plant.bare)):
        for change in (1, 0x20):
            changed = bytearray(plant.bare)
            changed[at] ^= change
            with pytest.raises(ProofError):
                check_proof(plant.line, changed, plant.key)
    for length in range(len(plant.bare)):
        with pytest.raises(ProofError):
            check_proof(plant.line, plant.bare[:length], plant.key)


def test_another_record_is_not_proven(plant: Plant) -> None:
    with pytest.raises(
        ProofError, match="the record is number 6 of its ledger, and the proof is of number 5"
    ):
        check_proof(plant.ledger.read_bytes().splitlines()[6], plant.bare, plant.key)
    other = plant.line.replace(b'"value', b'"Value')
    assert other != plant.line
    with pytest.raises(
        ProofError, match="the commit in the line of record 5 is not that of the record"
    ):
        check_proof(other, plant.bare, plant.key)
    with pytest.raises(ProofError, match="not one line of a ledger file"):
        check_proof(b"", plant.bare, plant.key)


def test_another_key_and_another_name_show_nothing(plant: Plant, cli: Cli) -> None:
    for name, told in [(NAME, "has no signature of"), ("example.com/pump", "the key is that of")]:
        secret = plant.directory / f"{told[:3]}.key"
        key = cli.run_json("key", "new", secret, "--name", name)["public_key"]
        with pytest.raises(ProofError, match=told):
            check_proof(None, plant.proof, key)


def test_what_can_be_no_question_is_refused(plant: Plant) -> None:
    for record, proof, key, told in [
        (None, plant.bare, plant.key, "the record is not in this proof"),
        (None, plant.proof, "nonsense", "NAME\\+ID\\+KEY"),
        (None, plant.proof, "a\0b", "NUL"),
        (None, b"x" * 10_000_000, plant.key, "longer"),
    ]:
        with pytest.raises(ValueError, match=told) as raised:
            check_proof(record, proof, key)
        assert not isinstance(raised.value, ProofError)
    with pytest.raises(TypeError):
        check_proof(None, 7, plant.key)  # type: ignore[arg-type]
