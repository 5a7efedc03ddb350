"""The explorer's numbers by other routes, and that they follow the library.

Bessel functions in high precision give the target, χ² and the limit of the error; quadrature and
simulation give the risk; the bounds are written out from their statements.
"""

import json
import shutil

import explorer_data
import mpmath as mp
import numpy as np
import products
import pytest
from helpers import ROOT
from scipy.integrate import dblquad
from scipy.stats import beta

DATA = json.loads(explorer_data.explorer_json())
C = DATA["concentration"]
CASES = [(3, 0.05), (3, 1.0), (8, 0.3), (16, 0.2), (128, 0.05), (128, 2.0)]


def stored(dimension, temperature):
    return DATA["settings"][DATA["dimensions"].index(dimension)][DATA["temperatures"].index(temperature)]


def at(values, k):
    return values[DATA["negatives"].index(k)]


def partition(level, dimension):
    """μ at temperature 1/level, by the Bessel function of ex-vmf."""
    order = mp.mpf(dimension) / 2 - 1
    return mp.gamma(order + 1) * (2 / mp.mpf(level)) ** order * mp.besseli(order, level)


def score_law(dimension):
    half = (dimension - 1) / 2
    return beta(half, half, loc=-1.0, scale=2.0)


@pytest.mark.parametrize(("dimension", "temperature"), CASES)
def test_target_and_divergence_agree_with_bessel_functions(dimension, temperature):
    level, order = 1 / mp.mpf(temperature), mp.mpf(dimension) / 2
    mean = mp.besseli(order, C) / mp.besseli(order - 1, C)
    found = stored(dimension, temperature)
    assert found["target"] == pytest.approx(float(mp.log(partition(level, dimension)) - level * mean), rel=1e-4)
    assert found["square"] == pytest.approx(float(partition(2 * level, dimension) / partition(level, dimension) ** 2 - 1), rel=1e-3)


@pytest.mark.parametrize(("dimension", "temperature"), CASES)
def test_one_negative_has_a_closed_form(dimension, temperature):
    # E log e^{s/τ} = 0, so that R_1 - CE = -log μ for the negatives-only form
    expected = -float(mp.log(partition(1 / temperature, dimension)))
    assert at(stored(dimension, temperature)["excess"][0], 1) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("dimension", "temperature"), [(3, 1.0), (8, 0.3), (16, 0.2)])
def test_small_numbers_of_negatives_agree_with_quadrature(dimension, temperature):
    level, law = 1 / temperature, score_law(dimension)
    log_mu = float(mp.log(partition(level, dimension)))
    scale = float(partition(C, dimension))

    def pair(s, t):
        return law.pdf(s) * law.pdf(t) * (np.logaddexp(level * s, level * t) - np.log(2) - log_mu)

    def shifted(s, t):
        return law.pdf(s) * law.pdf(t) * np.exp(C * t) / scale * (np.logaddexp(level * s, level * t) - log_mu)

    found = stored(dimension, temperature)["excess"]
    options = {"epsabs": 1e-6, "epsrel": 1e-6}
    assert at(found[0], 2) == pytest.approx(dblquad(pair, -1, 1, -1, 1, **options)[0], rel=1e-3)
    assert at(found[1], 1) == pytest.approx(dblquad(shifted, -1, 1, -1, 1, **options)[0], rel=1e-3)


@pytest.mark.parametrize(("dimension", "temperature"), CASES)
def test_the_error_agrees_with_a_simulation(dimension, temperature):
    k, rng = 256, np.random.default_rng(11)
    scores = score_law(dimension).rvs(size=(4000, k), random_state=rng)
    ratio = np.exp(scores / temperature).mean(axis=1) / float(partition(1 / temperature, dimension))
    losses = np.log(ratio) - (ratio - 1)  # the second term has mean zero and takes most of the noise
    deviation = losses.std(ddof=1) / np.sqrt(losses.size)
    assert abs(at(stored(dimension, temperature)["excess"][0], k) - losses.mean()) < 4 * deviation


@pytest.mark.parametrize(("dimension", "temperature"), [(3, 1.0), (8, 0.3), (16, 0.2), (128, 2.0)])
def test_the_error_has_the_limit_of_the_first_order(dimension, temperature):
    level, k = 1 / temperature, 65536
    own = partition(level + C, dimension) / partition(level, dimension) / partition(C, dimension)
    square = partition(2 * level, dimension) / partition(level, dimension) ** 2 - 1
    found = stored(dimension, temperature)["excess"]
    for alpha, limit in ((0, -square / 2), (1, own - square / 2)):
        assert k * at(found[alpha], k) == pytest.approx(float(limit), rel=5e-3)


@pytest.mark.parametrize("k", [1, 64, 65536])
@pytest.mark.parametrize(("dimension", "temperature"), CASES)
def test_the_bounds_are_those_of_the_statements(dimension, temperature, k):
    level, found = 1 / mp.mpf(temperature), stored(dimension, temperature)
    kappa = mp.exp(2 * level)
    square = partition(2 * level, dimension) / partition(level, dimension) ** 2 - 1
    rate = (mp.log(kappa) - 1 + 1 / kappa) / (1 - 1 / kappa) ** 2 * square / k
    pointwise = min(2 * mp.sinh(level) ** 2 / k, mp.log(1 + 4 * mp.sinh(level) ** 2 / (k + 1)))
    lower = (kappa - 1 - mp.log(kappa)) / (kappa - 1) ** 2 * square / k
    assert at(found["least"], k) == pytest.approx(-float(min(rate, pointwise)), rel=1e-3)
    assert at(found["most"][0], k) == pytest.approx(-float(lower), rel=1e-3)
    assert at(found["most"][1], k) == pytest.approx(float(mp.log(1 + mp.exp(level) / k)), rel=1e-3)


def test_the_risk_lies_between_its_bounds_everywhere():
    for setting in (setting for row in DATA["settings"] for setting in row):
        for excess, most in zip(setting["excess"], setting["most"]):
            assert all(low <= value <= high for low, value, high in zip(setting["least"], excess, most))


@pytest.mark.parametrize(("dimension", "temperature"), CASES)
def test_the_densities_are_those_of_the_scores(dimension, temperature):
    scores, law = np.array(DATA["scores"]), score_law(dimension).pdf(np.array(DATA["scores"]))
    place = DATA["dimensions"].index(dimension)
    curves = [(0, DATA["uniform"][place]), (C, DATA["pairs"][place]), (1 / temperature, stored(dimension, temperature)["search"])]
    for level, curve in curves:
        scale = float(partition(level, dimension)) if level else 1.0
        assert curve == pytest.approx(law * np.exp(level * scores) / scale, rel=6e-3, abs=6e-4)
        if level < 1 / 0.05:  # the sharpest peak is narrower than the grid
            assert np.trapezoid(curve, scores) == pytest.approx(1, abs=0.03)


@pytest.fixture
def project(tmp_path):
    """The folders on which the numbers depend."""
    for folder in ("lib", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["lib/infonce_theory/rates.py", "lib/infonce_theory/_laplace.py", "tools/explorer_data.py", "requirements.txt"])
def test_an_edit_makes_the_numbers_again(project, name):
    """The library, directly or through another module, the program, the lock: each makes the kept file outdated."""
    program, made = project / "tools/explorer_data.py", iter(["first", "second", "third"])

    def numbers():
        return products.kept(lambda: next(made), "numbers", program, project)

    assert (numbers(), numbers()) == ("first", "first")
    with (project / name).open("a", encoding="utf-8") as file:
        file.write("\n# edited\n")
    assert (numbers(), numbers()) == ("second", "second")
    assert len(list((project / "_build/products").iterdir())) == 1


def test_a_module_that_the_numbers_do_not_use_leaves_them(project):
    program = project / "tools/explorer_data.py"
    before = products.digest(program, project)
    with (project / "lib/infonce_theory/training.py").open("a", encoding="utf-8") as file:
        file.write("\n# edited\n")
    assert products.digest(program, project) == before


def test_the_kept_numbers_are_those_of_the_library():
    for dimension, temperature in CASES[:2]:
        assert stored(dimension, temperature) == explorer_data.setting(dimension, temperature)
