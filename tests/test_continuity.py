"""The continuity bound and its functionals against brute force, linear programmes, SciPy and mpmath."""

from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize_scalar
from scipy.special import expit
from scipy.stats import expectile

from infonce_theory import evidence
from infonce_theory._norms import tilt_for_divergence, tilted_divergence
from infonce_theory.continuity import (
    average_functional,
    continuity_bound,
    cvar_functional,
    effective_kappa,
    expectile_functional,
    exponential_functional,
    max_functional,
    optimal_beta,
)
from infonce_theory.loss import infonce_loss
from infonce_theory.temperature_bounds import kl_bound

ALL = [expectile_functional, exponential_functional, cvar_functional, average_functional, max_functional]
NAMES = ["expectile", "exponential", "cvar", "average", "max"]
few = settings(max_examples=50, deadline=None, derandomize=True)
norm_lists = st.lists(st.one_of(st.floats(1e-6, 2.0), st.just(0.0), st.just(1.0)), min_size=1, max_size=40)
temperatures = st.floats(-3.0, 3.0).map(lambda power: 10.0**power)


def norms_of(k, seed=0):
    return np.random.default_rng(seed).exponential(size=k)


def highest_vertex(norms, temperature):
    """Largest softmax mean over all 2^k score patterns of ±1."""
    patterns = np.array(list(product([-1.0, 1.0], repeat=len(norms))))
    weights = np.exp((patterns - 1.0) / temperature)
    return (weights @ norms / weights.sum(axis=1)).max()


# The sharp functional.


@pytest.mark.parametrize("temperature", [0.05, 0.4, 1.0, 10.0])
@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_expectile_is_the_highest_vertex(k, temperature):
    norms = norms_of(k)
    norms[: k // 3] = 1.0  # ties
    assert expectile_functional(norms, temperature) == pytest.approx(highest_vertex(norms, temperature), rel=1e-13)


@pytest.mark.parametrize("temperature", [0.2, 0.7, 3.0, 1e3])
@pytest.mark.parametrize("k", [1, 7, 256])
def test_expectile_agrees_with_scipy(k, temperature):
    norms = norms_of(k)
    reference = expectile(norms, expit(2.0 / temperature))
    assert expectile_functional(norms, temperature) == pytest.approx(reference, rel=1e-10)


@pytest.mark.parametrize("temperature", [1e-3, 2e-3, 0.02, 1.0, 1e3])
def test_expectile_is_the_root_in_sixty_digits(temperature):
    norms = [mpmath.mpf(float(a)) for a in norms_of(30)]
    with mpmath.workdps(60):
        ratio = mpmath.exp(mpmath.mpf(2) / mpmath.mpf(temperature))
        low, high = min(norms), max(norms)
        for _ in range(180):
            middle = (low + high) / 2
            balance = sum(ratio * (a - middle) if a > middle else a - middle for a in norms)
            low, high = (middle, high) if balance > 0 else (low, middle)
        assert float(expectile_functional(norms_of(30), temperature) / low - 1) == pytest.approx(0.0, abs=2e-15)


def test_no_interior_scores_do_better():
    rng = np.random.default_rng(1)
    norms = norms_of(9)
    weights = np.exp(rng.uniform(-1.0, 1.0, (4000, 9)) / 0.5)
    assert (weights @ norms / weights.sum(axis=1)).max() < expectile_functional(norms, 0.5)


# The other functionals.


@pytest.mark.parametrize("temperature", [0.1, 0.6, 2.0, 20.0])
@pytest.mark.parametrize("k", [1, 2, 9, 50])
def test_cvar_solves_its_linear_programme(k, temperature):
    norms = norms_of(k)
    cap = effective_kappa(temperature, k) / k
    solution = linprog(-norms, A_eq=np.ones((1, k)), b_eq=[1.0], bounds=[(0.0, cap * (1 + 1e-12))] * k)
    assert cvar_functional(norms, temperature) == pytest.approx(-solution.fun, rel=1e-8)


@pytest.mark.parametrize("temperature", [0.6, 2.0, 20.0])
def test_best_beta_agrees_with_a_scalar_optimiser(temperature):
    norms = norms_of(40)
    found = minimize_scalar(
        lambda log_beta: float(exponential_functional(norms, temperature, np.exp(log_beta))),
        bounds=(-8.0, 8.0),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert exponential_functional(norms, temperature) == pytest.approx(found.fun, rel=1e-12)
    assert np.log(optimal_beta(norms, temperature)) == pytest.approx(found.x, abs=1e-5)


def test_best_beta_is_infinite_exactly_when_the_maximum_is_within_reach():
    threshold = np.log(4.0 / 2.0)  # two of four norms are the largest
    norms = [3.0, 3.0, 1.0, 0.0]
    grid = np.geomspace(0.5, 5.0, 200)
    infinite = [np.isinf(optimal_beta(norms, t)) for t in grid]
    assert infinite == [kl_bound(t) >= threshold for t in grid]
    assert 0 < sum(infinite) < 200
    assert exponential_functional(norms, 0.5) == 3.0


def test_best_beta_reaches_the_divergence():
    norms = norms_of(64)
    for temperature in (0.5, 1.0, 30.0, 1e3):
        beta = optimal_beta(norms, temperature)
        assert tilted_divergence(norms.max() - norms, beta) == pytest.approx(kl_bound(temperature), rel=1e-7)


def test_exponential_functional_from_its_definition():
    norms, beta = norms_of(6), 1.7
    direct = (np.log(np.exp(beta * norms).mean()) + kl_bound(0.8)) / beta
    assert exponential_functional(norms, 0.8, beta) == pytest.approx(direct, rel=1e-13)
    assert exponential_functional(norms, 0.8, [beta, np.inf]) == pytest.approx([direct, norms.max()], rel=1e-13)


def test_effective_kappa():
    assert effective_kappa(2.0, 1) == 1.0
    assert effective_kappa(2.0, 10) == pytest.approx(10 * np.e / (np.e + 9), rel=1e-14)
    assert effective_kappa(1e-3, 10**12) == 1e12
    assert effective_kappa(2.0, 10**12) == pytest.approx(np.e, rel=1e-11)


# Order, limits, homogeneity.


@few
@given(norm_lists, temperatures, st.floats(-3.0, 3.0))
def test_order(norms, temperature, log_beta):
    mean, largest = np.mean(norms), np.max(norms)
    sharp, best, cvar, average, top = (float(b(norms, temperature)) for b in ALL)
    slack = 1e-12 * largest
    assert mean <= sharp + slack
    assert sharp <= min(best, cvar) + slack
    assert cvar <= min(average, top) + slack
    assert best <= min(top, exponential_functional(norms, temperature, np.exp(log_beta))) + slack


@few
@given(norm_lists, temperatures, st.floats(1e-6, 1e6))
def test_homogeneity(norms, temperature, scale):
    scaled = scale * np.array(norms)
    for functional in ALL:
        assert functional(scaled, temperature) == pytest.approx(scale * functional(norms, temperature), rel=1e-9)
    left = exponential_functional(scaled, temperature, 2.0)
    assert left == pytest.approx(scale * exponential_functional(norms, temperature, 2.0 * scale), rel=1e-9)


def test_limits_of_the_temperature():
    norms = norms_of(20)
    for functional in (expectile_functional, exponential_functional, cvar_functional, average_functional):
        assert functional(norms, 1e3) == pytest.approx(norms.mean(), rel=3e-3)
    for functional in (expectile_functional, exponential_functional, cvar_functional):
        assert functional(norms, 1e-3) == norms.max()
    assert average_functional(norms, 1e-3) == pytest.approx(norms.sum())


def test_batches_are_rows():
    batch = norms_of(60).reshape(3, 4, 5)
    for functional in ALL:
        rows = [[functional(row, 0.7) for row in block] for block in batch]
        assert functional(batch, 0.7) == pytest.approx(np.array(rows), rel=1e-15)
    assert optimal_beta(batch, 0.7).shape == (3, 4)


@pytest.mark.parametrize("functional", ALL, ids=NAMES)
@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_extreme_norms_give_no_nan(functional, temperature):
    for norms in ([0.0, 0.0], [1e-320, 0.0], [1e300, 1e300, 1.0], [1.0, np.nextafter(1.0, 0.0)]):
        value = functional(norms, temperature)
        assert np.isfinite(value) and value >= 0.0


# The bound itself. Scores are those of φ and ψ; the loss is the library's, the bound knows only the norms.


def loss_change(before, after, temperature, alpha):
    values = []
    for x, positive, negatives in (before, after):
        values.append(infonce_loss(positive @ x, negatives @ x, temperature, alpha))
    return abs(values[1] - values[0])


def ratio(before, after, temperature, alpha, functional, **options):
    own, positive, negatives = (np.linalg.norm(b - a, axis=-1) for a, b in zip(before, after))
    bound = continuity_bound(own, positive, negatives, temperature, functional, alpha, **options)
    return float(loss_change(before, after, temperature, alpha) / bound)


def inward(anchor, positive, negatives, dimension=3):
    """All points on one axis; the positive is opposite. Everything moves towards the centre by the amounts given."""
    e = np.eye(dimension)[0]
    before = (e, -e, np.tile(e, (len(negatives), 1)))
    after = ((1 - anchor) * e, -(1 - positive) * e, (1 - np.asarray(negatives))[:, None] * e)
    return before, after


def one_far_negative(k, step):
    """One negative at the anchor moves; the others are at the antipode and stay."""
    e = np.eye(3)[0]
    before = (e, -e, np.vstack([e, np.tile(-e, (k - 1, 1))]))
    after = (e, -e, np.vstack([(1 - step) * e, np.tile(-e, (k - 1, 1))]))
    return before, after


def far_share(k, step, temperature):
    """The negatives at the anchor move; their share p makes KL(w‖uniform) nearly K*_τ, which B_β needs."""
    e, level = np.eye(3)[0], 1.0 / temperature
    share = (level / np.sinh(level) - np.exp(-level)) / (2.0 * np.sinh(level))
    signs = np.where(np.arange(k) < round(share * k), 1.0, -1.0)[:, None]
    return (e, -e, signs * e), (e, -e, np.where(signs > 0.0, 1.0 - step, -1.0) * e)


def right_angles(anchor_angle, negative_angle, k=4):
    """On the sphere: the anchor turns towards the negatives, and these towards it; the positive turns away."""
    turn = np.array([np.cos(anchor_angle / 2), np.sin(anchor_angle / 2)])
    lean = np.array([np.sin(negative_angle / 2), np.cos(negative_angle / 2)])
    flip = np.array([-1.0, 1.0])
    before = (turn * -flip, -lean * flip, np.tile(lean * flip, (k, 1)))
    return before, (turn, -lean, np.tile(lean, (k, 1)))


SHARP = [
    ("expectile", expectile_functional, inward(0.0, 0.3, [0.2] * 5), 0, 1.0),
    ("cvar", cvar_functional, inward(0.0, 0.3, [0.2] * 5), 0, 0.1),
    ("max", max_functional, inward(0.0, 0.3, [0.2] * 5), 0, 10.0),
    ("exponential, ties", exponential_functional, inward(0.0, 0.3, [0.2] * 5), 0, 1.0),
    ("exponential, two levels", exponential_functional, far_share(256, 1e-5, 1.0), 0, 1.0),
    ("average, one norm", average_functional, one_far_negative(8, 1e-5), 0, 1.0),
    ("expectile, one norm", expectile_functional, one_far_negative(8, 1e-5), 0, 1.0),
    ("cvar, one norm", cvar_functional, one_far_negative(8, 1e-5), 0, 1.0),
    ("whole bound, small steps", expectile_functional, inward(1e-5, 1e-5, [1e-5] * 3), 0, 0.5),
    ("expectile, InfoNCE", expectile_functional, inward(1e-5, 1e-5, [1e-5] * 3), 1, 0.5),
    ("cvar, InfoNCE", cvar_functional, inward(1e-5, 1e-5, [1e-5] * 3), 1, 5.0),
    ("max, InfoNCE", max_functional, inward(1e-5, 1e-5, [1e-5] * 3), 1, 5.0),
    ("exponential, InfoNCE", exponential_functional, inward(1e-5, 1e-5, [1e-5] * 3), 1, 5.0),
    ("average, InfoNCE", average_functional, inward(1e-5, 1e-5, [1e-5]), 1, 5.0),
]


@pytest.mark.parametrize("name, functional, points, alpha, temperature", SHARP, ids=[case[0] for case in SHARP])
def test_bound_is_sharp_and_its_check_goes_red_at_99_percent(name, functional, points, alpha, temperature):
    worst = ratio(*points, temperature, alpha, functional)
    assert 0.999 < worst <= 1.0 + 1e-9
    evidence.bound("thm-continuity", "adversarial", worst, 1.0, name)
    with pytest.raises(evidence.EvidenceError):
        evidence.bound("thm-continuity", "adversarial", worst, 0.99, name)


def test_refinement_on_the_sphere_is_sharp_where_the_plain_bound_is_not():
    points = right_angles(2.6, 0.2)
    refined = ratio(*points, 0.5, 0, expectile_functional, on_sphere=True)
    assert 0.992 < refined <= 1.0
    assert ratio(*points, 0.5, 0, expectile_functional) < 0.95
    with pytest.raises(evidence.EvidenceError):
        evidence.bound("prop-sphere-refinement", "adversarial", refined, 0.99, "lowered by 1%")


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("functional", ALL, ids=NAMES)
def test_random_displacements_stay_under_every_bound(functional, alpha):
    rng = np.random.default_rng(2)
    for temperature, k, dimension in product([0.05, 1.0, 10.0], [1, 4, 64], [2, 16]):
        phi = rng.normal(size=(k + 2, dimension))
        phi /= np.linalg.norm(phi, axis=1, keepdims=True)
        psi = phi + rng.exponential() * rng.normal(size=phi.shape)
        psi /= np.linalg.norm(psi, axis=1, keepdims=True)
        for end, on_sphere in ((psi, True), (psi, False), (0.3 * psi, False)):
            points = [(p[0], p[1], p[2:]) for p in (phi, end)]
            assert ratio(*points, temperature, alpha, functional, on_sphere=on_sphere) <= 1.0 + 1e-9


def test_bound_is_vectorised_and_knows_its_factors():
    own, positive, negatives = np.full(3, 0.4), np.full(3, 0.2), np.full((3, 6), 0.1)
    plain = continuity_bound(own, positive, negatives, 0.5, alpha=0)
    assert plain == pytest.approx(np.full(3, 2.0 * (0.8 + 0.2 + 0.1)), rel=1e-14)
    share = 6 * np.exp(4.0) / (1 + 6 * np.exp(4.0))
    assert continuity_bound(own, positive, negatives, 0.5) == pytest.approx(share * plain, rel=1e-14)
    refined = continuity_bound(own, positive, negatives, 0.5, alpha=0, on_sphere=True)
    assert refined == pytest.approx(np.full(3, 2.0 * (0.8 + np.sqrt(0.96) * 0.3)), rel=1e-14)


# Bad input.


@pytest.mark.parametrize("functional", [*ALL, optimal_beta], ids=[*NAMES, "optimal_beta"])
@pytest.mark.parametrize("norms", [[-0.1, 1.0], [np.nan], [], 1.0, [np.inf]])
def test_bad_norms(functional, norms):
    with pytest.raises(ValueError, match="norms"):
        functional(norms, 1.0)


@pytest.mark.parametrize("functional", [*ALL, optimal_beta], ids=[*NAMES, "optimal_beta"])
@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan])
def test_bad_temperature(functional, temperature):
    with pytest.raises(ValueError, match="temperature"):
        functional([1.0], temperature)


@pytest.mark.parametrize("beta", [0.0, -1.0, np.nan, [], "1"])
def test_bad_inverse_temperature(beta):
    with pytest.raises(ValueError, match="inverse_temperature"):
        exponential_functional([1.0], 1.0, beta)


def test_bad_arguments_of_the_bound():
    for arguments, name in (
        (([-1.0], [0.0], [[0.0]]), "anchor_norms"),
        (([0.0], [-1.0], [[0.0]]), "positive_norms"),
        (([0.0], [0.0], [[-1.0]]), "negative_norms"),
        (([0.0], [0.0, 0.0], [[0.0]]), "positive_norms"),
        (([0.0], [0.0], [0.0, 0.0]), "negative_norms"),
        ((0.0, 0.0, 0.0), "negative_norms"),
    ):
        with pytest.raises(ValueError, match=name):
            continuity_bound(*arguments, 1.0)
    with pytest.raises(ValueError, match="anchor_norms"):
        continuity_bound([2.1], [0.0], [[0.0]], 1.0, on_sphere=True)
    on_the_edge = continuity_bound([2.0 + 1e-6], [0.0], [[0.0]], 1.0, on_sphere=True)
    assert on_the_edge == pytest.approx(continuity_bound([2.0], [0.0], [[0.0]], 1.0, on_sphere=True), rel=1e-5)
    with pytest.raises(ValueError, match="alpha"):
        continuity_bound([0.1], [0.0], [[0.0]], 1.0, alpha=2)
    with pytest.raises(ValueError, match="k is"):
        effective_kappa(1.0, 0)


@pytest.mark.parametrize("beta", [1e-100, 1e100])
def test_inverse_temperatures_have_a_range_that_is_taken_whole(beta):
    assert np.isfinite(exponential_functional([1.0, 0.5], 1.0, beta))
    with pytest.raises(ValueError, match="inverse_temperature is .*; expected numbers > 0 from 1e-100 to 1e"):
        exponential_functional([1.0, 0.5], 1.0, beta * 1.1 if beta > 1.0 else beta / 1.1)


@pytest.mark.parametrize("scale", [1e-306, 1e-3, 1e200])
def test_the_exponential_functional_is_homogeneous(scale):
    norms = np.array([0.3, 0.9, 0.1, 0.5])
    expected = exponential_functional(norms, 3.0)
    assert exponential_functional(scale * norms, 3.0) / scale == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("temperature", [0.5, 5.0, 500.0])
@pytest.mark.parametrize("gap", [1.0, 2.0**-20, 2.0**-40])
def test_best_beta_of_two_norms_solves_its_equation(temperature, gap):
    beta = optimal_beta([1.0, 1.0 - gap], temperature)
    divergence = kl_bound(temperature)
    if divergence >= np.log(2.0):
        assert beta == np.inf
    else:
        with mpmath.workdps(40):
            share = 1 / (1 + mpmath.exp(-mpmath.mpf(float(beta)) * gap))
            found = mpmath.log(2) + share * mpmath.log(share) + (1 - share) * mpmath.log(1 - share)
        assert float(found) == pytest.approx(divergence, rel=1e-9)


def test_no_finite_tilt_reaches_the_largest_divergence():
    assert tilt_for_divergence(np.array([0.0, 1.0]), np.log(2.0)) == np.inf


def test_inverse_temperatures_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"inverse_temperature has shape \(3,\); .* the shape of norms"):
        exponential_functional(np.ones((2, 4)), 1.0, [1.0, 1.0, 1.0])
