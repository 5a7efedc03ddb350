"""The density of the score of a uniform point, against the Beta law."""

import numpy as np
import pytest
from scipy.stats import beta

from infonce_theory.sphere_density import score_density


@pytest.mark.parametrize("dimension", [3, 4, 16, 200])
def test_the_density_of_the_score_is_that_of_a_beta_variable(dimension):
    # (1 + t)/2 has a Beta law with both parameters (d - 1)/2
    scores = np.linspace(-1.0, 1.0, 41)
    half = (dimension - 1) / 2
    assert score_density(scores, dimension) == pytest.approx(beta(half, half, loc=-1.0, scale=2.0).pdf(scores), rel=1e-10)


@pytest.mark.parametrize(("arguments", "name"), [((0.5, 2), "dimension"), ((1.1, 3), "scores"), ((-1.1, 3), "scores"), ((np.nan, 3), "scores")])
def test_the_density_refuses_bad_input(arguments, name):
    with pytest.raises(ValueError, match=name):
        score_density(*arguments)
