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


class StepDifference:
    """The difference of two shares of the same steps. Under each seed: the steps, and how often it happened in what the
    run is held against and in the run."""

    def __init__(self, counts, reference_name):
        counted = [count for count in counts if count[0]]
        self.steps, reference, run = (sum(column) for column in zip(*counted)) if counted else (0, 0, 0)
        self.counts = {"common_steps": self.steps, reference_name: reference, "run_steps": run}
        self.difference = in_millionths(Fraction(run - reference, self.steps) if self.steps else 0)
        x, y = (np.array([count[side] for count in counted]) for side in (1, 2))
        self.interval = self.invert_test(y - x, [count[0] for count in counted])
        self.test = Test(x, y, lambda x, y, axis: (y.sum(axis=axis) - x.sum(axis=axis)) ** 2)

    @staticmethod
    def invert_test(differences, steps):
        """The 95 % confidence interval: the shares of all sets of seeds but the empty one, in order, without as many at
        each end as are a fortieth of the pieces that they cut the line into."""
        seeds = len(steps)
        if seeds <= MOST_EXACT_SEEDS:
            sets = np.arange(1, 2**seeds)[:, None] >> np.arange(seeds) & 1
        else:
            sets = draw_sets(seeds)
        sums = np.stack([sets @ np.array(differences, int), sets @ np.array(steps, int)]) if seeds else np.zeros((2, 0))
        sums = sums[:, sums[1] > 0]
        left_out = (sums.shape[1] + 1) // 40
        if not left_out:
            return ["-1", "1"]
        order = np.argsort(sums[0] / sums[1], kind="stable")
        ends = [sums[:, order[left_out - 1]], sums[:, order[-left_out]]]
        return [in_millionths(Fraction(int(difference), int(of))) for difference, of in ends]


@functools.cache
def draw_sets(seeds):
    """For each draw which seeds are in the set."""
    blocks = range(-(-seeds // 256))
    drawn = [b"".join(digest("set", draw, block) for block in blocks) for draw in range(DRAWS)]
    return np.unpackbits(np.array([list(row) for row in drawn], np.uint8), axis=1, bitorder="little")[:, :seeds].astype(int)


def correct_by_holm(p_values, weights):
    """Holm's p-values: the smallest for its weight times the weight of all tests by its own, the next times that of those
    that are left, none below the one before."""
    corrected, before, left = [None] * len(p_values), Fraction(0), sum(weights)
    for place in sorted(range(len(p_values)), key=lambda place: p_values[place] / weights[place]):
        before = max(before, min(Fraction(1), p_values[place] * left / weights[place]))
        corrected[place] = before
        left -= weights[place]
    return corrected


def smallest_p(seeds):
    return Fraction(1, 2 ** (max(seeds, 1) - 1) if seeds <= MOST_EXACT_SEEDS else DRAWS + 1)


def judge(tests, smallest):
    """Puts `test` and `verdict` into the report of each test of a family: (report, test, verdict where it is told apart,
    whether it is of the primary endpoint). The primary endpoint weighs 2, or a million where the smallest p-value is too
    large for another test to be told apart first."""
    weights = [2 if is_primary else 1 for *_, is_primary in tests]
    if smallest * sum(weights) > LEVEL:
        weights = [1_000_000 if is_primary else 1 for *_, is_primary in tests]
    corrected = correct_by_holm([test.p for _, test, _, _ in tests], weights)
    for (report, test, name, _), weight, holm in zip(tests, weights, corrected):
        possible = smallest_p(test.seeds) * sum(weights) / weight <= LEVEL
        report["verdict"] = name if holm <= LEVEL else "NOT_TOLD_APART" if possible else "TOO_FEW_SEEDS"
        report["test"] = {
            "p": in_millionths(test.p), "p_error": show(test.error), "p_holm": in_millionths(holm),
            "seeds": test.seeds, "swaps": test.swaps,
        }


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


def name_by_sign(difference, more, less):
    return more if Fraction(difference) > 0 else less


def count_agreement(seeds):
    """Under each seed, how often each of two choices is the one before, at the common steps."""
    for steps in seeds:
        pairs = list(zip(steps, steps[1:]))
        yield len(pairs), *(sum(before[side] == after[side] for before, after in pairs) for side in (0, 1))


def count_disagreement(baseline, replicate, run):
    """Under each seed, how often replicate and run choose otherwise than the baseline, where all three answered."""
    for steps in zip(baseline.seeds, replicate.seeds, run.seeds):
        chosen = [[step["proposed"] for step in three] for three in zip(*steps) if not any(map(is_useless, three))]
        yield len(chosen), sum(a != b for a, b, _ in chosen), sum(a != c for a, _, c in chosen)


def compare_pair(reference, run, actions, is_declared, replicate):
    """How a run differs from another: a report, and its tests."""

    def tabulate(seeds):
        counts = [Counter(names) for names in seeds]
        return np.array([[count[action] for action in actions] for count in counts])

    common = [
        [(a["proposed"], b["proposed"]) for a, b in zip(*steps) if not is_useless(a) and not is_useless(b)]
        for steps in zip(reference.seeds, run.seeds)
    ]
    useless, done = (
        [[of(seed) for seed in of_run.seeds] for of_run in (reference, run)]
        for of in (lambda steps: sum(map(is_useless, steps)), lambda steps: [s["action"] for s in steps])
    )
    choices = ProfileDifference(*(tabulate([[pair[side] for pair in seed] for seed in common]) for side in (0, 1)))
    answers = ShareDifference(*useless, len(run.seeds[0]))
    acts = ProfileDifference(*map(tabulate, done))
    differs = [a != b for seed in common for a, b in seed]
    report = {
        name: {"distance": of.distance, "resampling_interval": of.interval, "total_variation": of.total_variation}
        for name, of in (("choices", choices), ("actions", acts))
    }
    report["choices"] |= {
        "common_steps": len(differs), "differing_steps": sum(differs),
        "differing_share": in_millionths(Fraction(sum(differs), len(differs)) if differs else 0),
    }
    report["answers"] = {"difference": in_millionths(answers.difference), "resampling_interval": answers.interval}
    direction = name_by_sign(answers.difference, "ANSWERS_WORSE", "ANSWERS_BETTER")
    tests = [
        ("choices", choices.test, "CHOOSES_OTHERWISE"), ("answers", answers.test, direction),
        ("actions", acts.test, "ACTS_OTHERWISE"),
    ]
    steps = []
    if is_declared:
        agreement = StepDifference(list(count_agreement(common)), "reference_steps")
        steps.append(("agreement", agreement, "AGREES_MORE", "AGREES_LESS"))
    if is_declared and replicate:
        beyond = StepDifference(list(count_disagreement(reference, replicate, run)), "replicate_steps")
        steps.append(("disagreement", beyond, "DIFFERS_MORE", "DIFFERS_LESS"))
    for name, of, more, less in steps:
        report[name] = of.counts | {"difference": of.difference, "confidence_interval": of.interval}
        tests.append((name, of.test, name_by_sign(of.difference, more, less)))
    return report, tests


def judge_margin(report, margin):
    """A share of steps that is not told apart is less than a margin that its whole interval is less than."""
    if report["verdict"] == "NOT_TOLD_APART":
        low, high = map(Fraction, report["confidence_interval"])
        if -margin < low and high < margin:
            report["verdict"] = "LESS_THAN"


def expect(document, runs):
    """The document as it should be. Labels are names, and taken from it."""
    labels = [run["label"] for run in document["runs"]]
    actions = sorted({s[m] for run in runs for s in run.steps for m in ("action", "proposed")} - {None})
    first = runs[0]

    def list_variant(variant):
        is_baseline = first.header["variant"] == "baseline"
        own = (place for place, run in enumerate(runs) if place and run.oracle == first.oracle)
        return [place for place in own if is_baseline and runs[place].header["variant"] == variant]

    placebos, replicates = list_variant("placebo"), list_variant("replicate")
    others = [place for place in range(1, len(runs)) if place not in placebos + replicates]
    pairs = [("difference", 0, place) for place in others]
    pairs += [("PLACEBO", a, place) for place in placebos for a in [0] + list_variant("b")]
    pairs += [("REPLICATE", 0, place) for place in replicates]
    declared = {run.header.get("primary") for run in runs}
    primary = declared.pop() if len(declared) == 1 else None
    margin = document["statistics"].get("margin")
    # What is corrected together: everything where a primary endpoint was declared, else each question of a family.
    families, reports = {}, []
    for kind, a, place in pairs:
        noise = runs[replicates[0]] if replicates and a == 0 and kind != "REPLICATE" else None
        report, tests = compare_pair(runs[a], runs[place], actions, primary is not None, noise)
        for name, test, verdict in tests:
            is_primary = kind == "difference" and name == primary
            family = "all" if primary else (kind, name)
            families.setdefault(family, []).append((report[name], test, verdict, is_primary))
        reports.append((kind, a, place, report))
    for family in families.values():
        judge(family, smallest_p(len(first.seeds)))
    expected = {"axilog_ablation_comparison": 3 if primary else 2, "differences": [], "controls": []}
    for kind, a, place, report in reports:
        if margin and primary in report:
            judge_margin(report[primary], Fraction(margin))
        names = ("NOT_TOLD_APART", "TOO_FEW_SEEDS", "LESS_THAN")
        order = ("choices", "answers", "actions", "agreement", "disagreement")
        apart = [name for name in order if name in report and report[name]["verdict"] not in names]
        report["run"] = labels[place]
        if kind == "difference":
            expected["differences"].append(report)
        else:
            expected["controls"].append(report | {"control": kind, "reference": labels[a], "told_apart": apart})
    expected |= {
        "reference": labels[0],
        "runs": [run.report(reported, actions) for run, reported in zip(runs, document["runs"])],
        "statistics": {
            "correction": "HOLM", "level": in_millionths(LEVEL), "resamples": DRAWS, "resampling_share": "0.95",
            "seeds": first.header["seeds"], "smallest_p": in_millionths(smallest_p(len(first.seeds))),
            "test": "SEED_SWAPS",
        } | ({"primary": primary} if primary else {}) | ({"margin": margin} if margin else {}),
    }
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
