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
import pathlib
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
from completions import (
    CompletedProfiles, CompletedSteps, bound_agreement, bound_disagreement, is_useless, list_choices,
)
from differences import (
    DRAWS, MILLION, MOST_EXACT_SEEDS, ProfileDifference, ShareDifference, StepDifference, in_millionths, show,
)

LEVEL = Fraction(1, 20)


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
    of_useful = correct_by_holm([test.p for _, test, _, _ in tests], weights)
    corrected = correct_by_holm([test.largest or test.p for _, test, _, _ in tests], weights)
    for (report, test, name, _), weight, useful, holm in zip(tests, weights, of_useful, corrected):
        possible = smallest_p(test.seeds) * sum(weights) / weight <= LEVEL
        other = "NOT_TOLD_APART" if possible else "TOO_FEW_SEEDS"
        if test.largest and useful <= LEVEL:
            other = "CANNOT_BE_TOLD"
        report["verdict"] = name if holm <= LEVEL else other
        report["test"] = {
            "p": in_millionths(test.p), "p_error": show(test.error), "p_holm": in_millionths(holm),
            "seeds": test.seeds, "swaps": test.swaps,
        } | ({"p_largest": in_millionths(test.largest)} if test.largest else {})


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
        bounds = any(map(any, useless)) and CompletedSteps(list(bound_agreement(reference, run)))
        steps.append(("agreement", agreement, bounds, "AGREES_MORE", "AGREES_LESS"))
        if bounds:
            chosen = ([list_choices(seed) for seed in of_run.seeds] for of_run in (reference, run))
            choices.test.largest = max(choices.test.p, CompletedProfiles(*map(tabulate, chosen), useless).p)
    if is_declared and replicate:
        beyond = StepDifference(list(count_disagreement(reference, replicate, run)), "replicate_steps")
        is_open = any(is_useless(step) for three in (reference, replicate, run) for step in three.steps)
        bounds = is_open and CompletedSteps(list(bound_disagreement(reference, replicate, run)))
        steps.append(("disagreement", beyond, bounds, "DIFFERS_MORE", "DIFFERS_LESS"))
    for name, of, bounds, more, less in steps:
        report[name] = of.counts | {"difference": of.difference, "confidence_interval": of.interval}
        if bounds:
            report[name]["widest_interval"] = bounds.interval
            of.test.largest = max(of.test.p, bounds.p)
        tests.append((name, of.test, name_by_sign(of.difference, more, less)))
    return report, tests


def judge_margin(report, margin):
    """A share of steps that is not told apart is less than a margin that its whole interval is less than."""
    if report["verdict"] == "NOT_TOLD_APART":
        ends = report["confidence_interval"] + report.get("widest_interval", [])
        if all(-margin < Fraction(end) < margin for end in ends):
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
        names = ("NOT_TOLD_APART", "TOO_FEW_SEEDS", "LESS_THAN", "CANNOT_BE_TOLD")
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
