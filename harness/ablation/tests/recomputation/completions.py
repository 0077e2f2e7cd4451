"""What useless answers may hide of a difference, over all completions, which take some action for each of them."""

import itertools
from fractions import Fraction

import numpy as np

from differences import MOST_EXACT_SEEDS, StepDifference, Test, draw_swaps


class CompletedProfiles:
    """A bound of the p-value of the energy distance over all completions, which take some action for each useless answer.
    A run is given by how often useful answers chose each action under each seed, and by how many were not useful."""

    def __init__(self, reference, run, useless):
        # After the known actions one that no run shows.
        counts = np.array([np.pad(counts, ((0, 0), (0, 1))) for counts in (reference, run)], float)
        counts[counts.sum(axis=2) == 0, :-1] = 1
        self.profiles = counts / counts.sum(axis=2, keepdims=True)
        useful = np.array([np.sum(counts, axis=1) for counts in (reference, run)])
        self.open = np.array(useless) / (useful + useless)
        self.radii = self.open * np.sqrt(1 + (self.profiles**2).sum(axis=2))
        seeds, shares = self.profiles.shape[1:]
        # As much is allowed for what the document's integers round.
        self.error = seeds**2 * (4 * shares + 10) / 2**40
        swapped = draw_swaps(seeds) if seeds > MOST_EXACT_SEEDS else self.list_ways(seeds)
        reached = sum(int(self.reach(ways).sum()) for ways in np.array_split(swapped, 1 + len(swapped) // 256))
        self.p = Fraction(reached + (seeds > MOST_EXACT_SEEDS), len(swapped) + (seeds > MOST_EXACT_SEEDS))

    @staticmethod
    def list_ways(seeds):
        return np.arange(2 ** max(seeds - 1, 0))[:, None] >> np.arange(seeds) & 1 == 1

    def reach(self, swapped):
        """In which ways of swapping the pairs of a swapped and another seed may add up to nothing or less."""
        across = swapped[:, :, None] != swapped[:, None, :]
        least = np.zeros(len(swapped))
        for own, other in ((0, 1), (1, 0)):
            apart = self.profiles[own][:, None] - self.profiles[other][None]
            lengths = np.linalg.norm(apart, axis=2)
            within = self.profiles[own][:, None] - self.profiles[own][None]
            bounds = np.sqrt((within**2).sum(axis=2) + (self.radii[own][:, None] + self.radii[own][None]) ** 2)
            tangents, parabolas = (
                np.divide(of, by[:, :, None], out=np.zeros_like(of), where=by[:, :, None] > 0)
                for of, by in ((apart, lengths), (within, bounds))
            )
            # Each pair stands in it twice.
            least += (across * (lengths - bounds)).sum(axis=(1, 2)) / 2
            slopes = np.einsum("wij,ijk->wik", across, tangents - parabolas)
            here = (slopes * self.profiles[own]).sum(axis=2)
            least += (self.open[own] * (slopes.min(axis=2) - here)).sum(axis=1)
        return least <= self.error


class CompletedSteps:
    """The largest p-value and the widest interval of a difference of shares over all completions. Under each seed: the
    steps, the least and the largest difference."""

    def __init__(self, ranges):
        steps, *ends = (np.array(column) for column in zip(*ranges))
        least, most = ends
        self.interval = [StepDifference.invert_test(ends[side], steps)[side] for side in (0, 1)]
        nearest = least if least.sum() > 0 else most if most.sum() < 0 else None
        self.p = Fraction(1)
        if nearest is not None:
            square = lambda x, y, axis: (y.sum(axis=axis) - x.sum(axis=axis)) ** 2
            self.p = Test(np.zeros_like(nearest), nearest, square).p


def is_useless(step):
    return step["refused"] is not None


def list_choices(steps):
    return [None if is_useless(step) else step["proposed"] for step in steps]


def bound_repeats(choices):
    """The fewest and the most choices that are the one before: every change between useful answers costs one."""
    known = [choice for choice in choices if choice is not None]
    changes = sum(a != b for a, b in zip(known, known[1:]))
    return sum(a == b is not None for a, b in zip(choices, choices[1:])), len(choices) - 1 - changes


def bound_agreement(reference, run):
    for steps in zip(reference.seeds, run.seeds):
        (least, most), (least_of_run, most_of_run) = (bound_repeats(list_choices(of)) for of in steps)
        yield len(steps[0]) - 1, least_of_run - most, most_of_run - least


def bound_disagreement(baseline, replicate, run):
    """All completions of a step are tried, with three actions that no run shows."""
    for steps in zip(baseline.seeds, replicate.seeds, run.seeds):
        least = most = 0
        for known in zip(*map(list_choices, steps)):
            possible = {*known, "?", "??", "???"} - {None}
            completed = itertools.product(*(possible if choice is None else [choice] for choice in known))
            found = [(c != a) - (b != a) for a, b, c in completed]
            least, most = least + min(found), most + max(found)
        yield len(steps[0]), least, most
