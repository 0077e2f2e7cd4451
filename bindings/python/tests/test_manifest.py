"""The manifest that a ledger is bound to: its name and its note."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Optional

import pytest

import axilog
from axilog import Manifest, ManifestError
from tests.conftest import Cli, begin_agent, observe

UNBOUND = {"follows": None, "name": None, "note": None, "oracles": None, "require_policy": False}
NAMES: list[dict[str, Any]] = [
    {"name": "plant/pump-3"},
    {"note": 'trial "A"\nof \u00e4 \U0001f600 \\'},
    {"name": "!~", "note": ""},
]


@pytest.mark.parametrize("named", NAMES)
def test_the_command_shows_and_binds_the_same_manifest(
    cli: Cli, path: str, tmp_path: Path, named: dict[str, Any]
) -> None:
    with axilog.Ledger.create(path, **named) as ledger:
        agent = begin_agent(ledger)
        observe(agent, b'{"value": 1}')
    manifest = Manifest(**named)
    assert agent.configuration.manifest == manifest.hash()
    shown = cli.run_json("head", path)
    assert shown["manifest_hash"] == manifest.hash()
    assert shown["manifest"] == {**UNBOUND, **named}
    assert axilog.verify(path, blobs=True).ok and axilog.replay(path).ok
    assert cli.run("audit", path).returncode == 0
    with axilog.Ledger.open(path) as ledger:
        assert axilog.Agent(ledger).configuration == agent.configuration
    other = tmp_path / "other.jsonl"
    options = [word for key, value in named.items() for word in (f"--{key}", value)]
    begun = cli.run_json("init", other, *options)
    assert begun["configuration"] == agent.configuration.hash()
    digest = manifest.hash()
    bound = Path(f"{other}.blobs", digest[:2], digest).read_bytes()
    assert bound == manifest.canonical()


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        ({"name": ""}, "the name has 0 bytes; give 1 to 256"),
        ({"name": "x" * 257}, "the name has 257 bytes"),
        ({"name": "a b"}, "character U\\+0020"),
        ({"name": "a+b"}, "character U\\+002B"),
        ({"name": "\u0430"}, "character U\\+0430"),
        ({"note": "a\u0007"}, "control character U\\+0007"),
        ({"note": "a\u0085"}, "control character U\\+0085"),
        ({"note": "x" * 4097}, "the note has 4097 bytes; give at most 4096"),
        ({"note": "\u20ac" * 1366}, "the note has 4098 bytes"),
        ({"note": "\ud800"}, "lone surrogate U\\+D800"),
    ],
)
def test_names_and_notes_are_refused_as_by_the_command(
    cli: Cli, path: str, tmp_path: Path, refused: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ManifestError, match=reason):
        axilog.Ledger.create(path, **refused)
    assert list(tmp_path.iterdir()) == []
    if "surrogate" in reason:
        return
    option, value = next(iter(refused.items()))
    process = cli.run("init", path, f"--{option}={value}")
    assert process.returncode == 2 and list(tmp_path.iterdir()) == []


def test_another_manifest_than_the_ledger_was_made_with_is_refused(path: str) -> None:
    other = Manifest("b")
    with axilog.Ledger.create(path, name="a") as ledger:
        with pytest.raises(axilog.ConfigurationError, match="leave out manifest"):
            axilog.Agent(ledger, manifest=other.hash())
        assert axilog.Agent(ledger, manifest=Manifest("a").hash()).health is axilog.Health.UNINIT


def test_a_manifest_is_read_back_as_it_was_written() -> None:
    digest = hashlib.sha256(b"{}").hexdigest()
    schemas = {"\U0001f600": axilog.OracleSchemas(output=digest), "\uff5e": axilog.OracleSchemas()}
    closed = Manifest(oracles=("b", "a"), require_policy=True)
    assert closed.canonical() == b'{"oracles":["a","b"],"require_policy":true}'
    for manifest in (Manifest(), Manifest("a", "b"), Manifest("a", schemas=schemas), closed):
        assert Manifest.parse(manifest.canonical()) == manifest
    assert Manifest().canonical() == b"{}"
    assert list(Manifest("a", schemas=schemas).schema_hashes()) == [digest]
    text = Manifest(schemas=schemas).canonical().decode()
    first = '{"schemas":{"\U0001f600":{"input":null,"output":"' + digest + '"},'
    assert text == first + '"\uff5e":{"input":null,"output":null}}}'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[]", "found list, expected a JSON object"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"nme":"a"}', "unknown member 'nme'"),
        (b'{"name": "a"}', "canonical form"),
        (b'{"name":null}', "canonical form"),
        (b'{"name":"a","name":"a"}', "canonical form"),
        (b'{"name":7}', "found 7, expected a text"),
        (b'{"note":"\\ud800"}', "lone surrogate"),
        (b'{"schemas":{"o":{"input":null,"output":"AB"}}}', "64 lower-case"),
        (b'{"schemas":{"o":{"input":null}}}', "canonical form"),
        (b'{"oracles":[]}', "names none"),
        (b'{"follows":{"entries":1,"head":"AB"}}', "64 lower-case"),
        (b'{"follows":{"entries":1}}', "expected entries and head"),
        (b'{"follows":{"entries":true,"head":"' + b"0" * 64 + b'"}}', "expected entries and head"),
        (b'{"oracles":null}', "canonical form"),
        (b'{"oracles":["b","a"]}', "canonical form"),
        (b'{"oracles":["a","a"]}', "canonical form"),
        (b'{"oracles":[1]}', "expected an array of texts"),
        (b'{"oracles":["a"],"schemas":{"o":{"input":null,"output":null}}}', "a schema of the"),
        (b'{"require_policy":false}', "canonical form"),
        (b'{"require_policy":1}', "canonical form"),
        (b'{"schemas":{"\\ud800":{"input":null,"output":null}}}', "canonical form"),
    ],
)
def test_what_is_no_manifest_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason):
        Manifest.parse(data)


@pytest.mark.parametrize("replacement", [None, b"{}"])
def test_a_ledger_whose_manifest_is_missing_or_bad_takes_no_answers(
    path: str, replacement: Optional[bytes]
) -> None:
    with axilog.Ledger.create(path, name="plant") as ledger:
        digest = begin_agent(ledger).configuration.manifest
    blob = Path(f"{path}.blobs", str(digest)[:2], str(digest))
    blob.unlink()
    if replacement is not None:
        blob.write_bytes(replacement)
    with axilog.Ledger.open(path) as ledger, pytest.raises(axilog.SchemaError, match="manifest"):
        observe(axilog.Agent(ledger), b'{"value": 1}')


def test_a_ledger_goes_on_from_a_sealed_one_as_with_the_command(
    cli: Cli, path: str, tmp_path: Path
) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        agent.observe_time(2**64 - 1)
        agent.seal()
        before = (agent.entries, agent.head)
    mine, other = tmp_path / "mine.jsonl", tmp_path / "other.jsonl"
    with axilog.Ledger.create(mine, follows=before) as ledger:
        agent = begin_agent(ledger)
        assert observe(agent, b'{"value": 1}').ok
    begun = cli.run_json("init", other, "--follows", path, "--time", "1")
    assert begun["configuration"] == agent.configuration.hash()
    shown = cli.run_json("head", mine)["manifest"]["follows"]
    assert (shown["entries"], shown["head"]) == before
    report = axilog.audit(mine)
    told = cli.run_json("audit", mine)["checks"]
    assert report.ok and report.checks[3].finding == told[3]["finding"]
    assert report.checks[3].finding.endswith(f"records with the head {before[1]}")
