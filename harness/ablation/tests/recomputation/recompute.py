"""Recomputes comparison.json from the run documents alone, and compares every value.

    recompute.py COMPARISON RUN...            RUN: the directories of the runs, in the document's order
    recompute.py --prove COMPARISON RUN...    changes each value of a copy, and fails where that is not found

The definitions are those of docs/ablation.md, written down a second time: distances in floating point with scipy,
p-values with scipy.stats.permutation_test, fractions exactly. Above 20 seeds the p-value depends on the ways that
were drawn: it is computed with the same draws, and scipy's own draws must agree within the standard error that the
document states. What the document rounds to six digits must be the same six digits.
"""

import copy
import functools
import hashlib
import json
import math
import pathlib
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import permutation_test

LEVEL = Fraction(1, 20)
MOST_EXACT_SEEDS = 20
DRAWS = 9999
MILLION = 1_000_000
# Sums of distances that are closer than this count as equal: they differ by rounding only.
DIGITS_OF_A_SUM = 11
# By so many standard errors two p-values from different draws may differ.
STANDARD_ERRORS = 5


def in_millionths(fraction):
    """The text of a fraction, rounded to six digits, ties to even."""
    return show(round(Fraction(fraction) * MILLION))


def show(millionths):
    sign, magnitude = "-" if millionths < 0 else "", abs(millionths)
    whole, part = divmod(magnitude, MILLION)
    return f"{sign}{whole}" + (f".{part:06}".rstrip("0") if part else "")


class Near:
    """A number that was computed in floating point, to six digits."""

    def __init__(self, value):
        # Beside a tie it may be rounded either way.
        self.texts = {show(round(Fraction(value + error) * MILLION)) for error in (-1e-9, 0, 1e-9)}

    def __eq__(self, found):
        return found in self.texts

    def __repr__(self):
        return " or ".join(sorted(self.texts))


def digest(purpose, seed, episode):
    return hashlib.sha256(f"{purpose}:{seed}:{episode}:0".encode()).digest()


@functools.cache
def draw_swaps(seeds):
    """For each draw which seeds are swapped. A draw swaps seeds of the way before."""
    blocks = range(-(-seeds // 256))
    drawn = [b"".join(digest("swap", draw, block) for block in blocks) for draw in range(DRAWS)]
    bits = np.unpackbits(np.array([list(row) for row in drawn], np.uint8), axis=1, bitorder="little")
    return np.bitwise_xor.accumulate(bits[:, :seeds], axis=0).astype(bool)


@functools.cache
def draw_weights(seeds):
    """For each resample how often each seed stands in it."""
    weights = np.zeros((DRAWS, seeds), int)
    for number in range(DRAWS):
        drawn = b"".join(digest("resample", block, number) for block in range(-(-seeds // 4)))
        for place in range(seeds):
            weights[number, int.from_bytes(drawn[8 * place : 8 * place + 8], "big") % seeds] += 1
    return weights


def find_interval(estimates):
    """The middle 95 % of the estimates."""
    ordered = np.sort(estimates)
    tail = len(ordered) // 40
    return [Near(ordered[tail]), Near(ordered[-1 - tail])] if len(ordered) else ["0", "0"]


class Test:
    """A p-value by swapping the two values of a seed; statistic(x, y, axis) is large where runs differ."""

    def __init__(self, x, y, statistic):
        self.seeds = seeds = len(x)
        self.error = 0
        if seeds < 2:
            self.p, self.swaps = Fraction(1), 1
        elif seeds <= MOST_EXACT_SEEDS:
            tried = self.ask_scipy(x, y, statistic, np.inf)
            assert len(tried.null_distribution) == 2**seeds
            self.p, self.swaps = Fraction(round(tried.pvalue * 2**seeds), 2**seeds), 2 ** (seeds - 1)
        else:
            self.draw(x, y, statistic)

    def draw(self, x, y, statistic):
        swapped = draw_swaps(self.seeds)
        null = statistic(np.where(swapped, y, x), np.where(swapped, x, y), axis=-1)
        reached = 1 + int((null >= statistic(x, y, axis=-1)).sum())
        self.swaps = DRAWS + 1
        self.p = Fraction(reached, self.swaps)
        # Rounded down.
        self.error = math.isqrt(reached * (self.swaps - reached) * MILLION**2 // self.swaps**3)
        # The error is of both p-values.
        allowed = STANDARD_ERRORS * math.sqrt(2) * max(self.error, 1) / MILLION
        other = self.ask_scipy(x, y, statistic, DRAWS).pvalue
        if abs(other - float(self.p)) > allowed:
            sys.exit(f"scipy's draws give p = {other}, the document's {float(self.p)}: more than {allowed} apart")

    @staticmethod
    def ask_scipy(x, y, statistic, resamples):
        return permutation_test(
            (x, y), statistic, permutation_type="samples", alternative="greater", vectorized=True,
            n_resamples=resamples, batch=1000, rng=np.random.default_rng(1),
        )


class ProfileDifference:
    """The energy distance of two runs, each given by how often each action was counted under each seed."""

    def __init__(self, reference, run):
        totals = [np.sum(reference), np.sum(run)]
        of_all = [[int(n) for n in np.sum(counts, axis=0)] for counts in (reference, run)]
        moved = sum(abs(a * int(totals[1]) - b * int(totals[0])) for a, b in zip(*of_all))
        whole = 2 * int(totals[0]) * int(totals[1])
        self.total_variation = in_millionths(Fraction(moved, whole) if whole else 0)
        counted = [(a, b) for a, b in zip(reference, run) if sum(a) and sum(b)]
        self.seeds = seeds = len(counted)
        profiles = [np.divide(pair[side], sum(pair[side])) for side in (0, 1) for pair in counted]
        self.between = cdist(profiles, profiles) if seeds else np.zeros((0, 0))
        x, y = np.arange(seeds), seeds + np.arange(seeds)
        self.distance = Near(self.estimate(x, y, axis=-1) if seeds > 1 else 0.0)
        self.interval = find_interval(self.resample(x, y))
        self.test = Test(x, y, self.estimate)

    def estimate(self, x, y, axis):
        """Twice the mean distance between the runs less the mean distance within each, over pairs of different
        seeds. The runs are given by the places of their profiles."""
        assert axis == -1

        def sum_pairs(first, second):
            every = self.between[first[..., :, None], second[..., None, :]].sum(axis=(-1, -2))
            return every - self.between[first, second].sum(axis=-1)

        pairs = self.seeds * (self.seeds - 1)
        found = (2 * sum_pairs(x, y) - sum_pairs(x, x) - sum_pairs(y, y)) / pairs
        return np.round(found, DIGITS_OF_A_SUM)

    def resample(self, x, y):
        """The estimate in each resample that has two different seeds."""
        weights = draw_weights(self.seeds)
        D = self.between
        added = D[np.ix_(x, y)] + D[np.ix_(y, x)] - D[np.ix_(x, x)] - D[np.ix_(y, y)]
        added = added - np.diag(np.diag(added))
        pairs = weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)
        sums = ((weights @ added) * weights).sum(axis=1)
        return sums[pairs > 0] / pairs[pairs > 0]


class ShareDifference:
    """The difference of how often answers were not useful, of `steps` under each seed."""

    def __init__(self, reference, run, steps):
        x, y = np.array(reference), np.array(run)
        self.difference = Fraction(int((y - x).sum()), steps * len(x))
        self.interval = find_interval(draw_weights(len(x)) @ (y - x) / (steps * len(x)))
        self.test = Test(x, y, lambda x, y, axis: (y.sum(axis=axis) - x.sum(axis=axis)) ** 2)


def correct_by_holm(p_values):
    """Holm's p-values: the smallest times the number of tests, the next times one less, none below the one before."""
    corrected, before = [None] * len(p_values), Fraction(0)
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        before = max(before, min(Fraction(1), p_values[place] * (len(p_values) - rank)))
        corrected[place] = before
    return corrected


def smallest_p(seeds):
    return Fraction(1, 2 ** (max(seeds, 1) - 1) if seeds <= MOST_EXACT_SEEDS else DRAWS + 1)


def judge(tests, told_apart):
    """The members `test` and `verdict` for each test of a question."""
    corrected = correct_by_holm([test.p for test in tests])
    for test, holm, name in zip(tests, corrected, told_apart):
        possible = smallest_p(test.seeds) * len(tests) <= LEVEL
        verdict = name if holm <= LEVEL else "NOT_TOLD_APART" if possible else "TOO_FEW_SEEDS"
        reported = {
            "p": in_millionths(test.p), "p_error": show(test.error), "p_holm": in_millionths(holm),
            "seeds": test.seeds, "swaps": test.swaps,
        }
        yield {"test": reported, "verdict": verdict}


class Run:
    """A run document."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        data = (self.directory / "run.json").read_bytes()
        document = json.loads(data)
        self.hash = hashlib.sha256(data).hexdigest()
        self.header = document["header"]
        self.oracle = (self.header["provider"], self.header["model_id"])
        self.seeds = [
            [step for episode in seed["episodes"] for step in episode["steps"]] for seed in document["seeds"]
        ]
        self.steps = [step for seed in self.seeds for step in seed]

    def report(self, reported, actions):
        def count(member, steps):
            return Counter(step[member] for step in steps)

        refused = list(filter(is_useless, self.steps))
        done, proposed, recorded = (count(m, self.steps) for m in ("action", "proposed", "recorded"))
        lengths = [step["prompt_tokens"] for step in self.steps]
        gaps = [abs(step["length_gap"]) for step in self.steps if "length_gap" in step]
        report = {
            "actions": {action: done[action] for action in actions},
            "document_hash": self.hash,
            "label": reported["label"],
            "model_id": self.header["model_id"],
            "proposed": {action: proposed[action] for action in actions},
            "provider": self.header["provider"],
            "refusals": count("refused", [step for step in refused if step["proposed"] is not None]),
            "rejections": count("refused", [step for step in refused if step["proposed"] is None]),
            "steps": len(self.steps),
            "token_jitter": max(lengths) - min(lengths),
            "useful_answers": len(self.steps) - len(refused),
            "variant": self.header["variant"],
            "writes_blocked": recorded["BLOCKED"],
            "written": recorded["WRITTEN"] + recorded["REPLACED"],
        }
        if "path" in reported:
            is_own = pathlib.Path(reported["path"]).name == self.directory.name
            report["path"] = reported["path"] if is_own else self.directory.name
        if "ledger_head" in reported:
            last = (self.directory / "ledger.jsonl").read_bytes().splitlines()[-1]
            report["ledger_head"] = json.loads(last)["chain"]
        return report | ({"largest_length_gap": max(gaps)} if gaps else {})


def is_useless(step):
    return step["refused"] is not None


def compare_family(pairs, actions):
    """How the second run of each pair differs from the first. The pairs are one family of tests."""

    def tabulate(seeds):
        counts = [Counter(names) for names in seeds]
        return np.array([[count[action] for action in actions] for count in counts])

    found = []
    for reference, run in pairs:
        common = [
            [(a["proposed"], b["proposed"]) for a, b in zip(*steps) if not is_useless(a) and not is_useless(b)]
            for steps in zip(reference.seeds, run.seeds)
        ]
        useless, done = (
            [[of(seed) for seed in of_run.seeds] for of_run in (reference, run)]
            for of in (lambda steps: sum(map(is_useless, steps)), lambda steps: [s["action"] for s in steps])
        )
        found.append((
            ProfileDifference(*(tabulate([[pair[side] for pair in seed] for seed in common]) for side in (0, 1))),
            ShareDifference(*useless, len(run.seeds[0])),
            ProfileDifference(*map(tabulate, done)),
            [a != b for seed in common for a, b in seed],
        ))
    choices, answers, done = ([difference[place] for difference in found] for place in range(3))
    directions = ["ANSWERS_WORSE" if answer.difference > 0 else "ANSWERS_BETTER" for answer in answers]
    judged = zip(
        judge([choice.test for choice in choices], ["CHOOSES_OTHERWISE"] * len(found)),
        judge([answer.test for answer in answers], directions),
        judge([action.test for action in done], ["ACTS_OTHERWISE"] * len(found)),
    )
    for (choice, answer, action, differs), verdicts in zip(found, judged):
        apart = {
            "common_steps": len(differs), "differing_steps": sum(differs),
            "differing_share": in_millionths(Fraction(sum(differs), len(differs)) if differs else 0),
        }
        members = [
            {"distance": of.distance, "resampling_interval": of.interval, "total_variation": of.total_variation}
            for of in (choice, action)
        ]
        shares = {"difference": in_millionths(answer.difference), "resampling_interval": answer.interval}
        yield {
            "choices": members[0] | apart | verdicts[0], "answers": shares | verdicts[1],
            "actions": members[1] | verdicts[2],
        }


def expect(document, runs):
    """The document as it should be. Labels are names, and taken from it."""
    labels = [run["label"] for run in document["runs"]]
    actions = sorted({s[m] for run in runs for s in run.steps for m in ("action", "proposed")} - {None})
    first = runs[0]

    def list_variant(variant):
        is_baseline = first.header["variant"] == "baseline"
        own = (place for place, run in enumerate(runs) if place and run.oracle == first.oracle)
        return [place for place in own if is_baseline and runs[place].header["variant"] == variant]

    def compare_places(pairs):
        compared = compare_family([(runs[a], runs[b]) for a, b in pairs], actions)
        return [difference | {"run": labels[run]} for (_, run), difference in zip(pairs, compared)]

    placebos, replicates = list_variant("placebo"), list_variant("replicate")
    others = [place for place in range(1, len(runs)) if place not in placebos + replicates]
    expected = {
        "axilog_ablation_comparison": 2,
        "differences": compare_places([(0, place) for place in others]),
        "reference": labels[0],
        "runs": [run.report(reported, actions) for run, reported in zip(runs, document["runs"])],
        "statistics": {
            "correction": "HOLM", "level": in_millionths(LEVEL), "resamples": DRAWS, "resampling_share": "0.95",
            "seeds": first.header["seeds"], "smallest_p": in_millionths(smallest_p(len(first.seeds))),
            "test": "SEED_SWAPS",
        },
    }
    if "controls" in document:
        held_against = {
            "PLACEBO": [(a, place) for place in placebos for a in [0] + list_variant("b")],
            "REPLICATE": [(0, place) for place in replicates],
        }
        expected["controls"] = []
        for control, pairs in held_against.items():
            for (reference, _), found in zip(pairs, compare_places(pairs)):
                names = ("NOT_TOLD_APART", "TOO_FEW_SEEDS")
                apart = [q for q in ("choices", "answers", "actions") if found[q]["verdict"] not in names]
                expected["controls"].append(
                    found | {"control": control, "reference": labels[reference], "told_apart": apart}
                )
    return expected


def list_differences(expected, found, path=""):
    """The places at which a document is not as expected."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            if name not in expected or name not in found:
                yield f"{path}/{name}: {'missing' if name in expected else 'not among what is recomputed'}"
            else:
                yield from list_differences(expected[name], found[name], f"{path}/{name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for place, pair in enumerate(zip(expected, found)):
            yield from list_differences(*pair, f"{path}/{place}")
    elif not expected == found or isinstance(expected, int) != isinstance(found, int):
        yield f"{path}: found {found!r}, expected {expected!r}"


def list_leaves(document, path=()):
    if not isinstance(document, (dict, list)):
        yield path
        return
    for key in document if isinstance(document, dict) else range(len(document)):
        yield from list_leaves(document[key], (*path, key))


def change(value):
    """Values that differ from this one as little as can be: a number in its sixth digit."""
    if isinstance(value, int):
        return [value + 1]
    try:
        millionths = int(Fraction(value) * MILLION)
        return [show(millionths + 1), show(millionths - 1)]
    except ValueError:
        return [value + "X"]


def prove(expected, document):
    """Counts the changes of single values that are found; exits where one is not."""
    found = 0
    for path in list_leaves(document):
        *parents, last = path
        copied = copy.deepcopy(document)
        place = functools.reduce(lambda at, key: at[key], parents, copied)
        for changed in change(place[last]):
            place[last] = changed
            if not any(list_differences(expected, copied)):
                sys.exit(f"{'/'.join(map(str, path))}: changed to {changed!r}, and nobody noticed")
            found += 1
    return found


def main(arguments):
    is_proof = arguments[:1] == ["--prove"]
    path, *directories = arguments[is_proof:]
    document = json.loads(pathlib.Path(path).read_bytes())
    expected = expect(document, [Run(directory) for directory in directories])
    differences = list(list_differences(expected, document))
    if differences:
        sys.exit("\n".join(f"{path}: {difference}" for difference in differences))
    leaves = sum(1 for _ in list_leaves(document))
    print(f"{path}: {leaves} values recomputed, none differs")
    if is_proof:
        print(f"{path}: {prove(expected, document)} changes of single values were found, all that were made")


if __name__ == "__main__":
    main(sys.argv[1:])
