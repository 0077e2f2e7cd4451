"""How two runs differ, as docs/ablation.md defines it: distances in floating point with scipy, fractions exactly."""

import functools
import hashlib
import math
import sys
from fractions import Fraction

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import permutation_test

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
        # Whatever the useless answers would have been; None where there are none.
        self.largest = None
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
