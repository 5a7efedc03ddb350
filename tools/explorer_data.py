"""The numbers of the explorer page: von Mises–Fisher positives on a uniform sphere, identity embedding.

For each dimension, temperature and number of negatives on a grid: the target, the exact risk of both
forms of the loss and the bounds of its distance from the target; and the densities of the scores.
"""

import json
from pathlib import Path

import numpy as np
from products import kept

from infonce_theory import rates, von_mises_fisher
from infonce_theory.exact_risk import exact_excess_by_anchor
from infonce_theory.search_kernel import search_density
from infonce_theory.sphere_density import score_density

CONCENTRATION = 10.0
DIMENSIONS = (3, 4, 8, 16, 32, 64, 128)
TEMPERATURES = (0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0)
NEGATIVES = tuple(2**power for power in range(17))
SCORES = np.linspace(-1.0, 1.0, 101)


def rounded(values, digits: int) -> list:
    """Nested lists of numbers with so many significant digits."""
    return json.loads(json.dumps(np.asarray(values).tolist()), parse_float=lambda text: float(f"{float(text):.{digits}g}"))


def densities(dimension: int, concentration: float) -> list[float]:
    """Density of the score when its point is von Mises–Fisher of this concentration around the anchor."""
    log_mean = von_mises_fisher.log_partition(concentration, dimension)
    values = score_density(SCORES, dimension) * np.exp(concentration * SCORES - log_mean)
    return rounded(np.where(values < 5e-4, 0.0, values), 3)


def setting(dimension: int, temperature: float) -> dict[str, list | float]:
    """All numbers of one dimension and temperature; a list runs over the numbers of negatives.

    ``least`` and ``most`` are the bounds of R_k - CE: ``least`` holds for both forms of the loss.
    """
    level = max(1.0 / temperature, CONCENTRATION)
    scores, law = von_mises_fisher.concentrated_rule(2.0 * level, dimension)
    positives = law * np.exp(CONCENTRATION * (scores - 1.0))
    density = search_density(scores, law, temperature)
    square = von_mises_fisher.chi_square(temperature, dimension)
    excess = [
        [exact_excess_by_anchor(density, law, positives / positives.sum(), k, alpha) for k in NEGATIVES] for alpha in (0, 1)
    ]
    least = [
        max(rates.excess_bounds(temperature, k, 0, square)[0], -rates.pointwise_gap_bound(temperature, k))
        for k in NEGATIVES
    ]
    most = [
        [-rates.gap_lower_bound(temperature, k, square) for k in NEGATIVES],
        [rates.excess_bounds(temperature, k, 1)[1] for k in NEGATIVES],
    ]
    return {
        "target": rounded(von_mises_fisher.cross_entropy(temperature, CONCENTRATION, dimension), 5),
        "square": rounded(square, 4),
        "excess": rounded(excess, 4),
        "least": rounded(least, 4),
        "most": rounded(most, 4),
        "search": densities(dimension, 1.0 / temperature),
    }


def compute() -> str:
    """All numbers of the page as JSON."""
    table = {
        "concentration": CONCENTRATION,
        "dimensions": DIMENSIONS,
        "temperatures": TEMPERATURES,
        "negatives": NEGATIVES,
        "scores": rounded(SCORES, 3),
        "uniform": [densities(dimension, 0.0) for dimension in DIMENSIONS],
        "pairs": [densities(dimension, CONCENTRATION) for dimension in DIMENSIONS],
        "settings": [[setting(dimension, value) for value in TEMPERATURES] for dimension in DIMENSIONS],
    }
    return json.dumps(table, separators=(",", ":"))


def explorer_json() -> str:
    """All numbers of the page as JSON, computed again only if an input changed."""
    return kept(compute, "explorer.json", Path(__file__))
