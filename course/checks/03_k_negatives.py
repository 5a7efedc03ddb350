"""Checks of the exercises of chapter 3; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-03-antipodal · 2 points
# %% visible
gap, chi_square = antipodal(1.0)
same_numbers(gap, 0.43378083048, "gap at temperature 1")
same_numbers(chi_square, 0.58002565838, "chi-squared at temperature 1")

# %% hidden
for temperature in (0.05, 0.3, 2.0, 100.0):
    gap, chi_square = antipodal(temperature)
    density = search_density([1.0, -1.0], [0.5, 0.5], temperature)
    same_numbers(gap, exact_gap(density, [0.5, 0.5], 1), f"gap at temperature {temperature}")
    same_numbers(chi_square, np.mean((density - 1) ** 2), f"chi-squared at temperature {temperature}")

# %% right: from the search density, by the definitions, as a list
def antipodal(temperature):
    high, low = np.exp(1 / temperature), np.exp(-1 / temperature)
    q = np.array([high, low]) / ((high + low) / 2)
    return [-np.log(q).mean(), (q**2).mean() - 1]

# %% right: with exponentials of negative numbers only
def antipodal(temperature):
    small = np.exp(-2 / temperature)
    return np.array([1 / temperature + np.log1p(small) - np.log(2), ((1 - small) / (1 + small)) ** 2])

# %% wrong: temperature in place of its inverse, which temperature 1 does not show
def antipodal(temperature):
    return np.log(np.cosh(temperature)), np.tanh(temperature) ** 2

# %% wrong: the sign of the gap
def antipodal(temperature):
    return -np.log(np.cosh(1 / temperature)), np.tanh(1 / temperature) ** 2

# %% wrong: the largest chi-squared of any law, not that of this one
def antipodal(temperature):
    return np.log(np.cosh(1 / temperature)), np.sinh(1 / temperature) ** 2

# %% wrong: without the weight ½ in the partition function
def antipodal(temperature):
    return np.log(2 * np.cosh(1 / temperature)), np.tanh(1 / temperature) ** 2

# %% wrong: the pair in the other order
def antipodal(temperature):
    return np.tanh(1 / temperature) ** 2, np.log(np.cosh(1 / temperature))

# %% exr-03-fourth · 4 points
# %% visible
central = sp.symbols("m_2:6", real=True)
result = fourth_coefficient(*central)
same_expression(result.subs(dict.fromkeys(central, 0)), 0, "the coefficient when q is constant")
same_expression(sp.diff(result, central[3]), sp.Rational(-1, 5), "the factor of m_5")

# %% hidden
m2, m3, m4, m5 = sp.symbols("m_2:6", real=True)
expected = (
    -m5 / 5 + 5 * m2 * m4 / 2 + 5 * m3**2 / 3 + 2 * m2 * m3
    - 15 * m2**3 / 2 - 15 * m2**2 * m3 + 105 * m2**4 / 8
)
same_expression(fourth_coefficient(m2, m3, m4, m5), expected, "the fourth coefficient", low=-1, high=3)

# %% right: moments of the mean by partitions without ones, result factored
def fourth_coefficient(m2, m3, m4, m5):
    k = sp.symbols("k", positive=True)
    central = {2: m2, 3: m3, 4: m4, 5: m5, 6: 0, 7: 0, 8: 0}
    total = 0
    for power in range(2, 9):
        for parts in partitions(power, m=power // 2):
            if 1 not in parts:
                ways = sp.factorial(power)
                for size, times in parts.items():
                    ways /= sp.factorial(size) ** times * sp.factorial(times)
                groups = sp.expand_func(sp.ff(k, sum(parts.values())))
                term = ways * groups * sp.prod([central[size] ** times for size, times in parts.items()])
                total += (-1) ** power * term / (power * k**power)
    return sp.factor(sp.expand(total).coeff(k, -4))

# %% right: typed in, in another arrangement
def fourth_coefficient(m2, m3, m4, m5):
    square = m2 * (105 * m2**3 - 120 * m2 * m3 - 60 * m2**2 + 16 * m3 + 20 * m4)
    return (15 * square + 200 * m3**2 - 24 * m5) / 120

# %% wrong: stops at the seventh power of δ
def fourth_coefficient(m2, m3, m4, m5):
    return -m5 / 5 + 5 * m2 * m4 / 2 + 5 * m3**2 / 3 + 2 * m2 * m3 - 15 * m2**3 / 2 - 15 * m2**2 * m3

# %% wrong: powers of k in place of falling factorials
def fourth_coefficient(m2, m3, m4, m5):
    return -m5 / 5 + 5 * m2 * m4 / 2 + 5 * m3**2 / 3 - 15 * m2**2 * m3 + 105 * m2**4 / 8

# %% wrong: coefficient of E log r, so of minus the gap
def fourth_coefficient(m2, m3, m4, m5):
    gap = -m5 / 5 + 5 * m2 * m4 / 2 + 5 * m3**2 / 3 + 2 * m2 * m3
    return -(gap - 15 * m2**3 / 2 - 15 * m2**2 * m3 + 105 * m2**4 / 8)

# %% wrong: decimals in place of fractions
def fourth_coefficient(m2, m3, m4, m5):
    gap = -0.2 * m5 + 2.5 * m2 * m4 + 1.667 * m3**2 + 2 * m2 * m3
    return gap - 7.5 * m2**3 - 15 * m2**2 * m3 + 13.125 * m2**4

# %% exr-03-enough · 3 points
# %% visible
same_numbers(negatives_needed(3, 0.5), 55, "k for d = 3 and temperature 0.5")

# %% hidden
for dimension, temperature, tolerance in [(16, 0.1, 0.01), (128, 0.07, 0.01), (128, 0.5, 0.01), (3, 0.1, 0.1), (16, 5.0, 0.01)]:
    scores, law = sphere_rule(dimension, 128)
    density = search_density(scores, law, temperature)
    count = negatives_needed(dimension, temperature, tolerance)
    where = f"d = {dimension}, temperature {temperature}, tolerance {tolerance}"
    assert count == int(count) >= 1, f"k is {count} for {where}; expected a positive integer"
    assert exact_gap(density, law, int(count)) <= tolerance, f"k is too small for {where}"
    assert count == 1 or exact_gap(density, law, int(count) - 1) > tolerance, f"k is too large for {where}"

# %% right: one after the other
def negatives_needed(dimension, temperature, tolerance=0.01):
    scores, law = sphere_rule(dimension, 128)
    density, k = search_density(scores, law, temperature), 1
    while exact_gap(density, law, k) > tolerance:
        k += 1
    return float(k)

# %% right: from Python's bisection
def negatives_needed(dimension, temperature, tolerance=0.01):
    from bisect import bisect_left

    scores, law = sphere_rule(dimension, 128)
    density = search_density(scores, law, temperature)
    return 1 + bisect_left(range(1, 10**6), -tolerance, key=lambda k: -exact_gap(density, law, k))

# %% wrong: the last k that is not enough
def negatives_needed(dimension, temperature, tolerance=0.01):
    scores, law = sphere_rule(dimension, 128)
    density, k = search_density(scores, law, temperature), 1
    while exact_gap(density, law, k) > tolerance:
        k += 1
    return k - 1

# %% wrong: the next power of two
def negatives_needed(dimension, temperature, tolerance=0.01):
    scores, law = sphere_rule(dimension, 128)
    density, k = search_density(scores, law, temperature), 1
    while exact_gap(density, law, k) > tolerance:
        k *= 2
    return k

# %% wrong: the first order in place of the exact gap
def negatives_needed(dimension, temperature, tolerance=0.01):
    scores, law = sphere_rule(dimension, 128)
    density = search_density(scores, law, temperature)
    return int(np.ceil((density - 1) ** 2 @ law / (2 * tolerance)))

# %% wrong: ignores the tolerance
def negatives_needed(dimension, temperature, tolerance=0.01):
    scores, law = sphere_rule(dimension, 128)
    density, k = search_density(scores, law, temperature), 1
    while exact_gap(density, law, k) > 0.01:
        k += 1
    return k

# %% exr-03-centring · 2 points · 3 points by hand
# %% visible
from infonce_theory.spaces import FiniteSpace

weights, kernel, points, temperature = decreasing_example()
space, scores = FiniteSpace(weights, kernel), pairwise_scores(points)
assert len(scores) == space.size, f"there are {len(scores)} points for {space.size} weights"

# %% hidden
counts = [10**power for power in (3, 4, 5, 6)]
errors = [exact_excess(space, scores, temperature, k) + np.log(k / (k + 1)) for k in counts]
assert np.all(np.diff(errors) < -1e-9), f"R' - CE does not decrease: {errors}"

# %% right: three points of unequal mass, positives near the anchor, as lists
def decreasing_example():
    kernel = [[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.1, 0.0, 0.9]]
    angles = 2 * np.pi * np.arange(3) / 3
    return [0.5, 0.3, 0.2], kernel, np.stack([np.cos(angles), np.sin(angles)], axis=1).tolist(), 0.8

# %% right: the ring with its own kernel
def decreasing_example():
    ring = ring_space()
    return ring.weights, ring.kernel, circle_embedding(ring_angles(ring.size)), 1

# %% wrong: positives independent of the anchor
def decreasing_example():
    return [0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [-1.0, 0.0]], 1.0

# %% wrong: positives as far away as can be
def decreasing_example():
    return [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [-1.0, 0.0]], 1.0

# %% wrong: a constant embedding, for which the error is zero
def decreasing_example():
    return [0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]], 1.0

# %% wrong: points off the sphere
def decreasing_example():
    return [0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [-2.0, 0.0]], 1.0

# %% exr-03-other-law · 4 points by hand

# %% exr-03-shared · 4 points by hand
