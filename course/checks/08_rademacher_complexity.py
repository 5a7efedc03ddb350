"""Checks of the exercises of chapter 8; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-08-range · 2 points · 3 points by hand
# %% visible
same_numbers(average_half_range([[1.0, 3.0], [2.0, 2.0]]), 0.5, "the average for two tuples and two parameters")
same_numbers(tuples_to_matter(1, 0.0), 0.0, "the number of tuples if the parameters move nothing")

# %% hidden
rng = np.random.default_rng(1)
for shape in [(1, 4), (3, 5), (6, 2)]:
    losses = rng.normal(size=shape)
    expected = sum(max(row) - min(row) for row in losses.tolist()) / (2 * shape[0])
    same_numbers(average_half_range(losses), expected, f"the average for the shape {shape}")
same_numbers(average_half_range(losses[:1]), rademacher_exact(losses[:1]), "the average for one tuple")
for dimension, reach, temperature in [(3, 0.5, 0.2), (1024, 3.0, 1.0)]:
    count = tuples_to_matter(dimension, reach)
    bound = np.sqrt(np.pi / 2) * 4 / temperature * reach * np.sqrt(dimension / count)
    same_numbers(bound, 2 / temperature, f"the bound at this number of tuples, p = {dimension}")

# %% right: with peak to peak, and the constant from the bound
def average_half_range(losses):
    return 0.5 * float(np.ptp(np.asarray(losses), axis=1).mean())

def tuples_to_matter(dimension, reach):
    return dimension * (np.sqrt(np.pi / 2) * 2 * reach) ** 2

# %% wrong: the full range
def average_half_range(losses):
    return np.mean(np.ptp(np.asarray(losses), axis=1))

def tuples_to_matter(dimension, reach):
    return 2 * np.pi * dimension * reach**2

# %% wrong: the range over tuples
def average_half_range(losses):
    return np.mean(np.ptp(np.asarray(losses), axis=0)) / 2

def tuples_to_matter(dimension, reach):
    return 2 * np.pi * dimension * reach**2

# %% wrong: the largest half range
def average_half_range(losses):
    return np.max(np.ptp(np.asarray(losses), axis=1)) / 2

def tuples_to_matter(dimension, reach):
    return 2 * np.pi * dimension * reach**2

# %% wrong: forgets the square
def average_half_range(losses):
    return np.mean(np.ptp(np.asarray(losses), axis=1)) / 2

def tuples_to_matter(dimension, reach):
    return 2 * np.pi * dimension * reach

# %% exr-08-width · 3 points · 2 points by hand
# %% visible
same_numbers(float(exact_width(1)), 0.79788456080, "the width for p = 1")
p = sp.symbols("p", positive=True)
assert sp.limit(sp.sympify(width_expansion(p)) / sp.sqrt(p), p, sp.oo) == 1, "the expansion divided by √p tends to 1"

# %% hidden
p = sp.symbols("p", positive=True)
for count in (2, 3, 10, 64):
    density = lambda r: np.exp(np.log(2) + count * np.log(r) - r**2 / 2 - count / 2 * np.log(2) - special.gammaln(count / 2))
    mean = integrate.quad(density, 1e-12, 40, limit=400, points=[count**0.5])[0]
    same_numbers(float(sp.N(exact_width(count))), mean, f"the width for p = {count}", rtol=1e-7)
for count in (20, 100, 400):
    ratio = float(sp.N(exact_width(sp.Integer(count)) / sp.sympify(width_expansion(p)).subs(p, count), 40)) - 1
    assert abs(ratio) < 0.3 / count**3, f"the expansion is off by {ratio:.1e} for p = {count}"
same_expression(width_expansion(p), sp.sqrt(p) * (32 * p**2 - 8 * p + 1) / (32 * p**2), "the expansion", low=0.5, high=9.0)

# %% right: by the telescoping product, and typed
def exact_width(p):
    return p / (sp.sqrt(2) * sp.gamma(sp.Rational(1, 2) * p + 1) / sp.gamma(sp.Rational(1, 2) * (p + 1)))

def width_expansion(p):
    return p ** sp.Rational(1, 2) - p ** sp.Rational(-1, 2) / 4 + p ** sp.Rational(-3, 2) / 32

# %% wrong: the root of the mean square
def exact_width(p):
    return sp.sqrt(p)

def width_expansion(p):
    return sp.sqrt(p) * (1 - 1 / (4 * p) + 1 / (32 * p**2))

# %% wrong: the gamma functions exchanged
def exact_width(p):
    return sp.sqrt(2) * sp.gamma(sp.sympify(p) / 2 + 1) / sp.gamma((p + sp.Integer(1)) / 2)

def width_expansion(p):
    return sp.sqrt(p) * (1 + 1 / (4 * p) + 1 / (32 * p**2))

# %% wrong: one term too few
def exact_width(p):
    return sp.sqrt(2) * sp.gamma((p + sp.Integer(1)) / 2) / sp.gamma(sp.sympify(p) / 2)

def width_expansion(p):
    return sp.sqrt(p) * (1 - 1 / (4 * p))

# %% wrong: the sign of the last term
def exact_width(p):
    return sp.sqrt(2) * sp.gamma((p + sp.Integer(1)) / 2) / sp.gamma(sp.sympify(p) / 2)

def width_expansion(p):
    return sp.sqrt(p) * (1 - 1 / (4 * p) - 1 / (32 * p**2))

# %% exr-08-two-values · 3 points · 2 points by hand
# %% visible
same_numbers(mean_of_two(1, 0.3, 0.5), 0.3, "the mean for k = 1")

# %% hidden
for k, mass, temperature in [(2, 0.3, 0.5), (7, 0.01, 0.1), (10, 0.9, 2.0)]:
    expected = 0.0
    for ones in range(k + 1):
        value = float(expectile_functional(np.repeat([1.0, 0.0], [ones, k - ones]), temperature))
        expected += comb(k, ones) * mass**ones * (1 - mass) ** (k - ones) * value
    same_numbers(mean_of_two(k, mass, temperature), expected, f"the mean for k = {k}, mass {mass}, temperature {temperature}")
limit = 1 / (1 + np.exp(-2) * 0.7 / 0.3)
assert 0 < limit - mean_of_two(100, 0.3, 1.0) < 0.01, "the mean for k = 100 is not near its limit"

# %% right: recursion over the draws
def mean_of_two(k, mass, temperature):
    chances = np.ones(1)
    for _ in range(k):
        chances = np.append(chances * (1 - mass), 0) + np.append(0, chances * mass)
    ones = np.arange(k + 1)
    return float(chances @ (ones / (ones + (k - ones) * np.exp(-2 / temperature))))

# %% wrong: the expectile of the mean share
def mean_of_two(k, mass, temperature):
    return mass if k == 1 else 1 / (1 + np.exp(-2 / temperature) * (1 - mass) / mass)

# %% wrong: the mean, as if all weights were equal
def mean_of_two(k, mass, temperature):
    return mass

# %% wrong: the mean of the largest number
def mean_of_two(k, mass, temperature):
    return 1 - (1 - mass) ** k

# %% wrong: the root of κ
def mean_of_two(k, mass, temperature):
    fraction, ratio = np.arange(k + 1) / k, np.exp(1 / temperature)
    return stats.binom(k, mass).pmf(np.arange(k + 1)) @ (ratio * fraction / (ratio * fraction + 1 - fraction))

# %% exr-08-rotation · 3 points · 3 points by hand
# %% visible
same_numbers(relative_moduli([0.4], [0.4], [[0.4, 0.4]], 0.5), [0.0], "the modulus if all rates are equal")

# %% hidden
rng = np.random.default_rng(3)
for n, k, temperature in [(1, 1, 0.5), (5, 8, 0.5), (20, 3, 2.0)]:
    x, y, z = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, k))
    expected = [
        (abs(x[i] - y[i]) + float(expectile_functional(np.abs(x[i] - z[i]), temperature))) / temperature for i in range(n)
    ]
    found = np.asarray(relative_moduli(x, y, z, temperature), dtype=float)
    same_numbers(found, expected, f"the moduli of {n} tuples, k = {k}")
    # The slope of the loss along the class is never larger.
    base = rng.uniform(0, 6, (n, k + 2))
    rates = np.column_stack([x, y, z])
    losses = []
    for theta in (0.3 - 1e-6, 0.3 + 1e-6):
        angles = base + theta * rates
        scores = np.cos(angles[:, :1] - angles[:, 1:]) / temperature
        losses.append(np.log(np.exp(scores[:, 1:] - scores[:, :1]).sum(axis=1)))
    assert (np.abs(losses[1] - losses[0]) / 2e-6 <= found * (1 + 1e-6) + 1e-6).all(), "a slope exceeds its modulus"

# %% right: row by row with the continuity bound of the library
def relative_moduli(anchor_rates, positive_rates, negative_rates, temperature):
    rows = []
    for x, y, z in zip(anchor_rates, positive_rates, negative_rates):
        rows.append(float(continuity_bound(0.0, abs(x - y), np.abs(np.asarray(z) - x), temperature, alpha=0)))
    return rows

# %% wrong: the motion of single points
def relative_moduli(anchor_rates, positive_rates, negative_rates, temperature):
    sizes = [np.abs(part) for part in (anchor_rates, positive_rates, negative_rates)]
    return continuity_bound(*sizes, temperature, alpha=0)

# %% wrong: the differences of sizes in place of the size of differences
def relative_moduli(anchor_rates, positive_rates, negative_rates, temperature):
    x, y, z = (np.abs(part) for part in (anchor_rates, positive_rates, negative_rates))
    return (np.abs(x - y) + expectile_functional(np.abs(x[:, None] - z), temperature)) / temperature

# %% wrong: without the positive
def relative_moduli(anchor_rates, positive_rates, negative_rates, temperature):
    others = np.abs(np.asarray(anchor_rates)[:, None] - negative_rates)
    return expectile_functional(others, temperature) / temperature

# %% wrong: the mean in place of the expectile
def relative_moduli(anchor_rates, positive_rates, negative_rates, temperature):
    x = np.asarray(anchor_rates)
    return (np.abs(x - positive_rates) + np.abs(x[:, None] - negative_rates).mean(axis=1)) / temperature

# %% wrong: negatives measured from the positive
def relative_moduli(anchor_rates, positive_rates, negative_rates, temperature):
    x, y = np.asarray(anchor_rates), np.asarray(positive_rates)
    return (np.abs(x - y) + expectile_functional(np.abs(y[:, None] - negative_rates), temperature)) / temperature

# %% exr-08-deep · 3 points · 3 points by hand
# %% visible
same_numbers(deep_embedding([0.0, 0.0], [np.eye(2)], 2.0), [0.0, 0.0, 1.0], "the embedding of the origin")
same_numbers(deep_modulus(1.0, 2.0, 1, 3.0), 0.5, "the modulus of one layer")

# %% hidden
rng = np.random.default_rng(5)
point, layers = rng.normal(size=3), [rng.normal(size=shape) for shape in ((4, 3), (5, 4), (2, 5))]
for depth, matrices in [(1, [rng.normal(size=(2, 3))]), (2, layers[:2]), (3, layers)]:
    values = list(point)
    for number, matrix in enumerate(matrices, start=1):
        values = [sum(float(w) * v for w, v in zip(row, values)) for row in matrix]
        values = [np.tanh(v) for v in values] if number < depth else values
    length = np.sqrt(sum(v * v for v in values) + 0.7**2)
    same_numbers(deep_embedding(point, matrices, 0.7), [*(v / length for v in values), 0.7 / length], f"the embedding, depth {depth}")
same_numbers(deep_modulus(2.0, 0.7, 1, 1.5), linear_moduli([[2.0]], 0.7)[0], "the modulus of the linear class")
same_numbers(deep_modulus(2.0, 0.7, 2, 1.5), tanh_moduli([[2.0]], 0.7, 1.5)[0], "the modulus of the network class")
for depth in (3, 5):
    sizes = np.full(depth, 1.5**2 / depth)  # squared norms of the layers where the bound is largest
    largest = np.sqrt(sum(np.prod(np.delete(sizes, layer)) for layer in range(depth)))
    same_numbers(deep_modulus(2.0, 0.7, depth, 1.5), largest * 2.0 / 0.7, f"the modulus, depth {depth}")

# %% right: with powers collected
def deep_embedding(point, matrices, offset):
    values = np.asarray(point, dtype=float)
    for place, matrix in enumerate(matrices):
        values = np.dot(matrix, np.tanh(values) if place else values)
    return (np.array([*values, offset]) / np.hypot(np.linalg.norm(values), offset)).tolist()

def deep_modulus(norm, offset, depth, radius):
    return norm / offset * radius ** (depth - 1) * depth ** (1 - depth / 2)

# %% wrong: a tanh after the last layer
def deep_embedding(point, matrices, offset):
    values = np.asarray(point)
    for matrix in matrices:
        values = np.tanh(np.asarray(matrix) @ values)
    full = np.append(values, offset)
    return full / np.linalg.norm(full)

def deep_modulus(norm, offset, depth, radius):
    return depth**0.5 * (radius**2 / depth) ** ((depth - 1) / 2) * norm / offset

# %% wrong: each layer may use the whole radius
def deep_embedding(point, matrices, offset):
    values = np.asarray(point)
    for matrix in matrices[:-1]:
        values = np.tanh(np.asarray(matrix) @ values)
    full = np.append(np.asarray(matrices[-1]) @ values, offset)
    return full / np.linalg.norm(full)

def deep_modulus(norm, offset, depth, radius):
    return depth**0.5 * radius ** (depth - 1) * norm / offset

# %% wrong: only the largest term of the sum
def deep_embedding(point, matrices, offset):
    values = np.asarray(point)
    for matrix in matrices[:-1]:
        values = np.tanh(np.asarray(matrix) @ values)
    full = np.append(np.asarray(matrices[-1]) @ values, offset)
    return full / np.linalg.norm(full)

def deep_modulus(norm, offset, depth, radius):
    return (radius**2 / depth) ** ((depth - 1) / 2) * norm / offset

# %% wrong: the normalisation without the last coordinate
def deep_embedding(point, matrices, offset):
    values = np.asarray(point)
    for matrix in matrices[:-1]:
        values = np.tanh(np.asarray(matrix) @ values)
    last = np.asarray(matrices[-1]) @ values
    return np.append(last, offset) / max(np.linalg.norm(last), offset)

def deep_modulus(norm, offset, depth, radius):
    return depth**0.5 * (radius**2 / depth) ** ((depth - 1) / 2) * norm / offset
