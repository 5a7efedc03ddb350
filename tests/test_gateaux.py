"""The symbolic derivative against difference quotients in high precision, classical variations and bad input."""

import mpmath
import pytest
import sympy as sp

from infonce_theory.gateaux import gateaux, perturb

a, b, c, f_k = (sp.IndexedBase(name) for name in ("a", "b", "c", "f"))
j, i, k, d = sp.symbols("j i k d", integer=True, positive=True)
tau, alpha = sp.symbols("tau alpha", positive=True)
t, u, v, y, z = sp.symbols("t u v y z")
pi, nu, f, g = sp.symbols("pi nu f g", cls=sp.Function)


def at_three(expression, values):
    """Value of an expression with sums up to k = 3 after the indexed symbols are replaced by numbers."""
    plain = expression.subs(k, 3).doit()
    return plain.subs({base[n + 1]: row[n] for base, row in values.items() for n in range(3)}).evalf(30)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_log_sum_exp_match_differences_in_high_precision(order):
    path = sp.log(alpha * sp.exp(u / tau) + sp.Sum(sp.exp((a[j] + t * b[j] + t**2 * c[j]) / tau), (j, 1, k)))
    numbers = {a: ["0.3", "-0.7", "0.3"], b: ["1.1", "-0.4", "2"], c: ["0.2", "0.9", "-1.3"]}
    numbers = {base: [sp.Rational(entry) for entry in row] for base, row in numbers.items()}
    fixed = {tau: sp.Rational(3, 10), alpha: 1, u: sp.Rational(-1, 5)}
    derived = at_three(gateaux(path, {t: 1}, order).subs(t, 0).subs(fixed), numbers)
    curve = sp.lambdify(t, at_three(path.subs(fixed), numbers), "mpmath")
    with mpmath.workdps(40):
        difference = mpmath.diff(curve, 0, order)
    assert abs(derived - difference) < 1e-15 * abs(derived)


def test_an_embedding_moves_at_every_point_where_it_is_evaluated():
    phi, h, points = sp.IndexedBase("phi"), sp.IndexedBase("h"), sp.IndexedBase("x")
    score = sp.Sum(phi[y, i] * phi[points[j], i], (i, 1, d))
    moved = sp.Sum(h[y, i] * phi[points[j], i] + phi[y, i] * h[points[j], i], (i, 1, d))
    assert sp.simplify(gateaux(score, {phi: h}) - moved) == 0
    assert sp.simplify(gateaux(score, {phi: h}, 2) - 2 * sp.Sum(h[y, i] * h[points[j], i], (i, 1, d))) == 0


def test_measures_move_along_the_segment_between_them():
    to_nu = {pi: lambda point: nu(point) - pi(point)}
    partition = sp.Integral(f(y) * pi(y), y)
    gain = sp.Integral(f(y) * (nu(y) - pi(y)), y)
    assert perturb(partition, to_nu, t).dummy_eq(sp.Integral(f(y) * (pi(y) + t * (nu(y) - pi(y))), y))
    assert sp.simplify(gateaux(sp.log(partition), to_nu) - gain / partition) == 0
    assert sp.simplify(gateaux(sp.log(partition), to_nu, 2) + (gain / partition) ** 2) == 0
    assert sp.simplify(gateaux(sp.log(partition), to_nu, 3) - 2 * (gain / partition) ** 3) == 0


def test_a_direction_may_be_a_function_a_lambda_or_a_callable():
    functional = sp.Integral(f(y) ** 2, y)
    expected = sp.Integral(2 * f(y) * g(y), y)
    for direction in (g, sp.Lambda(z, g(z)), lambda point: g(point)):
        assert gateaux(functional, {f: direction}) == expected


def test_nested_integrals_and_several_objects_move_together():
    functional = sp.Integral(f(y) * sp.log(sp.Integral(g(y, z), z)), y)
    h_f, h_g = sp.symbols("h_f h_g", cls=sp.Function)
    inner = sp.Integral(g(y, z), z)
    by_f = sp.Integral(h_f(y) * sp.log(inner), y)
    by_g = sp.Integral(f(y) * sp.Integral(h_g(y, z), z) / inner, y)
    assert sp.simplify(gateaux(functional, {f: h_f, g: h_g}) - by_f - by_g) == 0


def test_the_dirichlet_energy_has_its_classical_variations():
    energy = sp.Integral(f(y).diff(y) ** 2 / 2, (y, 0, 1))
    assert gateaux(energy, {f: g}) == sp.Integral(f(y).diff(y) * g(y).diff(y), (y, 0, 1))
    assert gateaux(energy, {f: g}, 2) == sp.Integral(g(y).diff(y) ** 2, (y, 0, 1))


def test_limits_that_move_obey_leibniz():
    assert gateaux(sp.Integral(f(y), (y, 0, u)), {u: v}) == v * f(u)


def test_a_displacement_may_contain_what_it_moves():
    assert sp.expand(gateaux(u**3, {u: u * v})) == 3 * u**3 * v
    assert gateaux(sp.Sum(a[j], (j, 1, k)), {a: lambda index: a[index] * u}) == sp.Sum(u * a[j], (j, 1, k))


def test_a_symbol_that_shares_its_name_with_a_sequence_moves_alone():
    label = sp.Symbol("a")
    assert gateaux(label * sp.Sum(a[j], (j, 1, k)), {label: 1}) == sp.Sum(a[j], (j, 1, k))


@pytest.mark.parametrize("order", [0, -1, 1.0, True])
def test_order_is_checked(order):
    with pytest.raises(ValueError, match="order"):
        gateaux(u**2, {u: v}, order)


@pytest.mark.parametrize(
    "functional, direction, complaint",
    [
        ("u**2", {u: v}, "functional is"),
        (u**2, {}, "direction is"),
        (u**2, [(u, v)], "direction is"),
        (u**2, {v: 1}, "does not contain"),
        (u**2, {sp.Symbol("u", real=True): 1}, "other assumptions"),
        (sp.exp(u), {sp.exp: u}, "direction has the key"),
        (sp.Sum(u * j, (j, 1, k)), {j: 1}, "binds; expected a free symbol"),
        (sp.Sum(u, (j, 1, k)), {u: j}, "rename"),
        (sp.Integral(f(y) * pi(z), y), {pi: lambda point: g(y)}, "rename"),
        (sp.Abs(u), {u: v}, "Abs"),
        (sp.Max(u, 0), {u: 1}, "Max"),
        (sp.Piecewise((u, u > 0), (0, True)), {u: 1}, "Piecewise"),
        (sp.Sum(u * j, (j, 1, k)), {k: 1}, "limits move"),
        (sp.sqrt(f(0)), {f: lambda point: sp.log(point)}, "no finite derivative"),
    ],
)
def test_bad_input_is_named(functional, direction, complaint):
    with pytest.raises(ValueError, match=complaint):
        gateaux(functional, direction)


@pytest.mark.parametrize("size", [sp.nan, sp.zoo, sp.oo, -sp.oo])
def test_the_step_is_finite(size):
    with pytest.raises(ValueError, match="size is"):
        perturb(u**2, {u: v}, size)


def test_a_symbol_moves_by_an_expression_only():
    with pytest.raises(ValueError, match="direction"):
        gateaux(u**2, {u: lambda x: x})


def test_an_infinite_derivative_is_refused():
    with pytest.raises(ValueError, match="no finite derivative at ε = 0, where substitution gives zoo"):
        gateaux(f(0), {f: lambda point: sp.log(point)})


def test_a_text_is_no_displacement():
    with pytest.raises(ValueError, match="direction is or gives 'v'; expected a SymPy expression or a number"):
        gateaux(u**2, {u: "v"})
