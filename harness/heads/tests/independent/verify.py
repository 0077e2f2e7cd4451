"""Checks keys, checkpoints and proofs of axilog with `cryptography` and RFC 6962 as it stands: verify.py DIRECTORY."""

import base64
import hashlib
import json
import pathlib
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def tree(leaves: list[bytes]) -> bytes:
    """The root of a tree (RFC 6962, 2.1)."""
    if len(leaves) < 2:
        return sha256(b"\0", *leaves) if leaves else sha256()
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1", tree(leaves[:k]), tree(leaves[k:]))


def follow(leaf: bytes, n: int, size: int, path: list[bytes]) -> bytes:
    """The root to which the path of leaf n leads (RFC 6962, 2.1.1)."""
    if size == 1:
        assert not path
        return leaf
    *below, sibling = path
    k = 1 << (size - 1).bit_length() - 1
    if n < k:
        return sha256(b"\1", follow(leaf, n, k, below), sibling)
    return sha256(b"\1", sibling, follow(leaf, n - k, size - k, below))


def grow(old: bytes, m: int, size: int, proof: list[bytes], is_old_tree: bool = True) -> tuple[bytes, bytes]:
    """The old and the new root to which a consistency proof leads (RFC 6962, 2.1.2)."""
    if m == size:
        if is_old_tree:
            assert not proof
            return old, old
        (root,) = proof
        return root, root
    *below, sibling = proof
    k = 1 << (size - 1).bit_length() - 1
    if m <= k:
        before, after = grow(old, m, k, below, is_old_tree)
        return before, sha256(b"\1", after, sibling)
    before, after = grow(old, m - k, size - k, below, False)
    return sha256(b"\1", sibling, before), sha256(b"\1", sibling, after)


class Signer:
    """A public key."""

    def __init__(self, text: str, kind: int) -> None:
        self.name, key_id, key = text.strip().split("+", 2)
        typed = base64.b64decode(key, validate=True)
        self.id = bytes.fromhex(key_id)
        assert self.id == sha256(self.name.encode(), b"\n", typed)[:4] and typed[0] == kind
        self.key = Ed25519PublicKey.from_public_bytes(typed[1:])


class Witness(Signer):
    """The public key of a witness."""

    def open(self, cosigned: bytes) -> tuple[bytes, int]:
        """The checkpoint that this key signed last of all, without its signature, and the time."""
        checkpoint, line = cosigned.removesuffix(b"\n").rsplit(b"\n", 1)
        text, _ = checkpoint.rsplit(b"\n\n", 1)
        dash, name, signature = line.decode().split(" ")
        raw = base64.b64decode(signature, validate=True)
        assert (dash, name, raw[:4]) == ("\u2014", self.name, self.id)
        time = int.from_bytes(raw[4:12], "big")
        self.key.verify(raw[12:], b"cosignature/v1\ntime %d\n%s\n" % (time, text))
        return checkpoint + b"\n", time


class Log(Signer):
    """The public key of a log."""

    def open(self, checkpoint: bytes) -> tuple[int, bytes]:
        """The size and the root of a checkpoint that this key signed."""
        text, signatures = checkpoint.rsplit(b"\n\n", 1)
        text += b"\n"
        (line,) = signatures.splitlines()
        dash, name, signature = line.decode().split(" ")
        raw = base64.b64decode(signature, validate=True)
        assert (dash, name, raw[:4]) == ("\u2014", self.name, self.id)
        self.key.verify(raw[4:], text)
        origin, size, root = text.decode().splitlines()
        assert origin == self.name
        return int(size), base64.b64decode(root, validate=True)


def read_commits(ledger: bytes) -> list[bytes]:
    """The commit of each record, computed from the bytes of the ledger file."""
    commits = []
    for number, line in enumerate(ledger.splitlines()):
        entry = json.loads(line)
        record = re.fullmatch(rb'\{.*?"record":(\{.*\}),"seq":\d+,"tag":"[^"]*"\}', line)[1]
        commit = sha256(entry["tag"].encode(), len(record).to_bytes(8, "little"), record)
        assert (commit.hex(), number) == (entry["commit"], entry["seq"])
        commits.append(commit)
    return commits


def split(proof: bytes) -> tuple[list[str], bytes]:
    """The lines before the checkpoint, and the checkpoint."""
    before, checkpoint = proof.split(b"\n\n", 1)
    return before.decode().split("\n"), checkpoint


def main(directory: pathlib.Path) -> None:
    log = Log((directory / "public").read_text(), 1)
    witness = Witness((directory / "witness").read_text(), 4)
    commits = read_commits((directory / "ledger.jsonl").read_bytes())
    leaves = [sha256(b"\0", commit) for commit in commits]
    counts = {"checkpoint": 0, "tlog-proof": 0, "extension": 0, "cosigned": 0}
    for path in sorted(directory.iterdir()):
        kind = path.suffix[1:]
        if kind not in counts:
            continue
        counts[kind] += 1
        content = path.read_bytes()
        if kind == "checkpoint":
            size, root = log.open(content)
            assert root == tree(commits[:size])
            try:
                log.open(content.replace(str(size).encode(), str(size + 1).encode(), 1))
            except (AssertionError, InvalidSignature):
                continue
            raise AssertionError(f"{path}: holds with another size")
        if kind == "cosigned":
            checkpoint, time = witness.open(content)
            size, _ = log.open(checkpoint)
            assert checkpoint == path.with_suffix(".checkpoint").read_bytes() and time == 1767225600 + size
            try:
                witness.open(content.replace(str(size).encode(), str(size + 1).encode(), 1))
            except InvalidSignature:
                continue
            raise AssertionError(f"{path}: the witness's signature holds with another size")
        lines, checkpoint = split(content)
        size, root = log.open(checkpoint)
        first = {"tlog-proof": 3, "extension": 1}[kind]
        hashes = [base64.b64decode(line, validate=True) for line in lines[first:]]
        n = int(lines[first - 1].split(" ")[1])
        if kind == "tlog-proof":
            assert follow(leaves[n], n, size, hashes) == root
            assert follow(leaves[n - 1], n, size, hashes) != root
        else:
            assert grow(tree(commits[:n]), n, size, hashes) == (tree(commits[:n]), root)
    print(*counts.values())


main(pathlib.Path(sys.argv[1]))
