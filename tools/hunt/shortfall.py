"""How often heuristic answers fall short: counted by family, and held against what is promised.

Over GF(q) a run on a connected part that is singular falls short where a polynomial in the preconditioner vanishes, of degree twice its rank:
so many in q runs, and one at least. And of parts without number some have
eigenvalues in common: of a rank r, m of them with frequency q·λᵐe^-λ/m!, λ = r/q; blocks of s columns see s of each and no more. A family is
found to break that if so many shortfalls as were seen, or more, would come with a probability below ALARM even at SLACK times the promised rate.
"""

import math

SLACK = 2.0
ALARM = 1e-7


class Falls:
    """For each family: runs, shortfalls, and how many were to be expected at the promised rate."""

    def __init__(self):
        self.families = {}

    def add(self, family, promised, fell_short):
        """Counts a run of which so many shortfalls were promised; whether it was the first shortfall of its family."""
        runs, falls, expected = self.families.get(family, (0, 0, 0.0))
        self.families[family] = runs + 1, falls + fell_short, expected + promised
        return fell_short and falls == 0

    def join(self, other):
        """Adds the counts of another worker."""
        for family, counts in other.families.items():
            self.families[family] = tuple(x + y for x, y in zip(self.families.get(family, (0, 0, 0.0)), counts))

    def alarms(self):
        """(family, runs, shortfalls, expected, probability) of each family that falls short too often."""
        found = []
        for family, (runs, falls, expected) in sorted(self.families.items()):
            chance = tail(falls, SLACK * expected)
            if chance < ALARM:
                found.append((family, runs, falls, expected, chance))
        return found


def tail(k, mean):
    """P(X >= k) of a Poisson variable, which bounds that of a sum of rare independent events from above for k beyond the mean."""
    if k <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    if k <= mean:
        return 1.0
    # The terms fall by at least mean / (k + 1) from one to the next.
    first = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
    return min(1.0, first / (1 - mean / (k + 1)))


def promised(answer, degree=1):
    """Shortfalls that are promised for one run, 1 at most, by the document of its answer and twice the rank of the singular parts."""
    run = answer.get("wiedemann") or {"extension_degree": 1, "block": 1}
    q, s = answer["modulus"] ** run["extension_degree"], run["block"]
    return min(1.0, max(1, degree) / q + q * tail_of_equals(answer["rank"] / q, s))


def tail_of_equals(rate, s):
    """P(X > s) of a Poisson variable."""
    term, total = math.exp(-rate), 0.0
    for m in range(s + 1):
        term *= rate / (m + 1)
    for m in range(s + 1, s + 60):
        total, term = total + term, term * rate / (m + 1)
    return total
