"""Checks of the exercises of chapter 10; CONTRIBUTING.md describes the format."""

import mpmath

from infonce_theory.answers import same_expression, same_numbers

# %% exr-10-one · 2 points
# %% visible
same_numbers(outlier_expectile(1, 5.0, 1.0), 5.0, "the expectile if the outlier is alone")
same_numbers(half_of_maximum(1000, 100.0), 979.02, "κ for a thousand negatives and modulus 100")

# %% hidden
for k, size, temperature in [(1000, 100.0, 1.0), (1000, 100.0, 0.2), (7, 3.0, 0.5), (50, 10.0, 5.0)]:
    expected = float(expectile_functional([size, *[1.0] * (k - 1)], temperature))
    same_numbers(outlier_expectile(k, size, temperature), expected, f"the expectile for k = {k}, modulus {size}")
for k, size in [(1000, 100.0), (64, 20.0)]:
    at = 2 / np.log(half_of_maximum(k, size))
    same_numbers(float(expectile_functional([size, *[1.0] * (k - 1)], at)), size / 2, f"the expectile at this κ for k = {k}")

# %% right: from the balance of the expectile
def outlier_expectile(k, size, temperature):
    if k == 1:
        return size
    return brentq(lambda b: np.exp(2 / temperature) * (size - b) - (k - 1) * (b - 1), 1, size, xtol=1e-14)

def half_of_maximum(k, size):
    return (k - 1) * (0.5 * size - 1) / (size - 0.5 * size)

# %% wrong: k ones beside the outlier
def outlier_expectile(k, size, temperature):
    ratio = np.exp(2 / temperature)
    return size if k == 1 else (size * ratio + k) / (ratio + k)

def half_of_maximum(k, size):
    return (k - 1) * (size - 2) / size

# %% wrong: the root of κ
def outlier_expectile(k, size, temperature):
    ratio = np.exp(1 / temperature)
    return (size * ratio + k - 1) / (ratio + k - 1)

def half_of_maximum(k, size):
    return (k - 1) * (size - 2) / size

# %% wrong: the temperature for the ratio
def outlier_expectile(k, size, temperature):
    ratio = np.exp(2 / temperature)
    return (size * ratio + k - 1) / (ratio + k - 1)

def half_of_maximum(k, size):
    return 2 / np.log((k - 1) * (size - 2) / size)

# %% wrong: neglects the ones in the sum
def outlier_expectile(k, size, temperature):
    ratio = np.exp(2 / temperature)
    return size * ratio / (ratio + k - 1)

def half_of_maximum(k, size):
    return k - 1

# %% exr-10-exponential · 3 points · 1 point by hand
# %% visible
kap = sp.symbols("kappa", positive=True)
same_numbers(float(sp.N(sp.sympify(exponential_expectile(kap)).subs(kap, 1))), 1.0, "the expectile for κ = 1, the mean")

# %% hidden
kap, tau = sp.symbols("kappa tau", positive=True)
for ratio in (1.5, 7.0, 1e4):
    root = brentq(lambda b: (ratio - 1) * np.exp(-b) - (b - 1), 1, 100, xtol=1e-13)
    same_numbers(float(sp.N(sp.sympify(exponential_expectile(kap)).subs(kap, ratio))), root, f"the expectile for κ = {ratio}")
same_expression(low_temperature(tau), 2 / tau - sp.log(2) + sp.log(tau), "the two terms")

# %% right: from the table of Lambert's function, on one fraction bar
def exponential_expectile(kappa):
    return sp.LambertW((kappa - 1) / sp.E) + sp.Integer(1)

def low_temperature(tau):
    return (2 + tau * sp.log(tau / 2)) / tau

# %% wrong: without the e in the argument
def exponential_expectile(kappa):
    return sp.LambertW(kappa - 1) + 1

def low_temperature(tau):
    return 2 / tau - sp.log(2 / tau)

# %% wrong: κ in place of κ - 1
def exponential_expectile(kappa):
    return sp.LambertW(kappa / sp.E)

def low_temperature(tau):
    return 2 / tau - sp.log(2 / tau)

# %% wrong: the first term only
def exponential_expectile(kappa):
    return sp.LambertW((kappa - 1) / sp.E) + 1

def low_temperature(tau):
    return 2 / tau

# %% wrong: the sign of the logarithm
def exponential_expectile(kappa):
    return sp.LambertW((kappa - 1) / sp.E) + 1

def low_temperature(tau):
    return 2 / tau + sp.log(2 / tau)

# %% exr-10-clip · 3 points
# %% visible
same_numbers(pareto_quantile(0.0, 2.5), 1.0, "the quantile of level 0")
same_numbers(clip_effect([[1.0, 1.0]], 2.0, 1.0), [1.0, 1.0, 0.0], "the effect where nothing is clipped")

# %% hidden
for level, a in [(0.5, 1.5), (0.99, 2.5), (0.999, 4.0)]:
    same_numbers(pareto_quantile(level, a), stats.pareto(a).ppf(level), f"the quantile of level {level}")
rng = np.random.default_rng(2)
for rows, k, clip, temperature in [(3, 5, 2.0, 1.0), (20, 50, 1.5, 0.2), (1, 8, 3.0, 0.5)]:
    norms = 1 + rng.pareto(1.5, (rows, k))
    lowered = [[min(entry, clip) for entry in row] for row in norms]
    ratio = np.exp(2 / temperature)
    means = []
    for table in (norms, lowered):
        values = []
        for row in table:
            order = sorted(row, reverse=True)
            values.append(max((ratio * sum(order[:j]) + sum(order[j:])) / (ratio * j + k - j) for j in range(1, k + 1)))
        means.append(np.mean(values))
    expected = [*means, sum(entry > clip for row in norms for entry in row) / norms.size]
    same_numbers(clip_effect(norms, clip, temperature), expected, f"the effect of clipping at {clip}")

# %% right: by a loop over the rows
def pareto_quantile(level, a):
    return float(np.exp(-np.log1p(-level) / a))

def clip_effect(norms, clip, temperature):
    before = [float(expectile_functional(row, temperature)) for row in norms]
    after = [float(expectile_functional(np.clip(row, None, clip), temperature)) for row in norms]
    touched = [np.count_nonzero(np.asarray(row) > clip) / len(row) for row in norms]
    return [np.mean(before), np.mean(after), np.mean(touched)]

# %% wrong: drops what is above the level
def pareto_quantile(level, a):
    return (1 - level) ** (-1 / a)

def clip_effect(norms, clip, temperature):
    norms = np.asarray(norms)
    zeroed = np.where(norms > clip, 0.0, norms)
    means = [expectile_functional(rows, temperature).mean() for rows in (norms, zeroed)]
    return *means, np.mean(norms > clip)

# %% wrong: the quantile of the excess over 1
def pareto_quantile(level, a):
    return (1 - level) ** (-1 / a) - (level > 0)

def clip_effect(norms, clip, temperature):
    norms = np.asarray(norms)
    means = [expectile_functional(rows, temperature).mean() for rows in (norms, np.minimum(norms, clip))]
    return *means, np.mean(norms > clip)

# %% wrong: all rows as one
def pareto_quantile(level, a):
    return (1 - level) ** (-1 / a)

def clip_effect(norms, clip, temperature):
    norms = np.ravel(norms)
    means = [float(expectile_functional(rows, temperature)) for rows in (norms, np.minimum(norms, clip))]
    return *means, np.mean(norms > clip)

# %% wrong: the index upside down
def pareto_quantile(level, a):
    return (1 - level) ** -a

def clip_effect(norms, clip, temperature):
    norms = np.asarray(norms)
    means = [expectile_functional(rows, temperature).mean() for rows in (norms, np.minimum(norms, clip))]
    return *means, np.mean(norms > clip)

# %% exr-10-box · 3 points
# %% visible
same_numbers(box_temperatures(0.5, 1, 1.0), [0.5, 0.5, 2.0], "the numbers for one coordinate")

# %% hidden
for temperature, dimension, side in [(0.1, 128, 1.0), (0.5, 3, 0.2), (2.0, 16, 3.0)]:
    corners = np.array(list(product([-side, side], repeat=min(dimension, 3))))
    scores = (corners @ corners.T).ravel() * dimension / min(dimension, 3)
    widest = (scores.max() - scores.min()) / temperature
    sphere, needed, spread = box_temperatures(temperature, dimension, side)
    same_numbers(2 / sphere, widest, f"log κ at the first temperature for d = {dimension}, b = {side}")
    same_numbers((scores.max() - scores.min()) / needed, 2 / temperature, f"log κ of the box at the second temperature, d = {dimension}")
    same_numbers(spread, np.sqrt(dimension * side**4) / temperature, f"the standard deviation for d = {dimension}")

# %% right: by the variance of a product, as a list
def box_temperatures(temperature, dimension, side):
    ratio = dimension * side * side
    return [temperature * ratio**-1, ratio * temperature, (dimension * (side**2 / temperature) ** 2) ** 0.5]

# %% wrong: the side without its square
def box_temperatures(temperature, dimension, side):
    return temperature / (dimension * side), temperature * dimension * side, side * np.sqrt(dimension) / temperature

# %% wrong: the first two exchanged
def box_temperatures(temperature, dimension, side):
    largest = dimension * side**2
    return temperature * largest, temperature / largest, side**2 * np.sqrt(dimension) / temperature

# %% wrong: the largest logit for the typical one
def box_temperatures(temperature, dimension, side):
    largest = dimension * side**2
    return temperature / largest, temperature * largest, largest / temperature

# %% wrong: the norm of a corner for its square
def box_temperatures(temperature, dimension, side):
    largest = np.sqrt(dimension) * side
    return temperature / largest, temperature * largest, side**2 * np.sqrt(dimension) / temperature

# %% exr-10-deep · 2 points · 3 points by hand
# %% visible
same_numbers(largest_depth(1.0, 10**5, 10**9), 39, "the depth for s = 1")
same_numbers(largest_depth(1.0, 10**5, 10), 0, "the depth for ten tuples")

# %% hidden
for norm, parameters, tuples in [(2.0, 10**5, 10**9), (0.5, 10**5, 10**9), (0.9, 10**5, 10**7), (1.5, 100, 10**12), (0.5, 10**5, 10**5)]:
    allowed = [
        depth for depth in range(1, 2001)
        if 2 * mpmath.pi * (depth * mpmath.mpf(norm) ** depth) ** 2 * (parameters - 0.5) <= tuples
    ]
    same_numbers(largest_depth(norm, parameters, tuples), max(allowed, default=0), f"the depth for s = {norm}, n = {tuples}")

# %% right: downwards from 2000
def largest_depth(norm, parameters, num_tuples):
    for depth in range(2000, 0, -1):
        root = depth * norm ** float(depth) if depth * abs(np.log(norm)) < 300 else (0.0 if norm < 1 else np.inf)
        if 2 * np.pi * root**2 * (parameters - 0.5) <= num_tuples:
            return depth
    return 0

# %% wrong: stops at the first depth that is too much
def largest_depth(norm, parameters, num_tuples):
    depth = 0
    while depth < 2000 and 2 * np.pi * ((depth + 1) * norm ** (depth + 1)) ** 2 * (parameters - 0.5) <= num_tuples:
        depth += 1
    return depth

# %% wrong: without the square of the norm's power
def largest_depth(norm, parameters, num_tuples):
    depths = np.arange(1, 2001)
    log_bound = np.log(2 * np.pi * (parameters - 0.5)) + 2 * np.log(depths) + depths * np.log(norm)
    return int(depths[log_bound <= np.log(num_tuples)].max(initial=0))

# %% wrong: a depth too many
def largest_depth(norm, parameters, num_tuples):
    depths = np.arange(1, 2001)
    log_bound = np.log(2 * np.pi * (parameters - 0.5)) + 2 * np.log(depths) + 2 * (depths - 1) * np.log(norm)
    return int(depths[log_bound <= np.log(num_tuples)].max(initial=0))

# %% wrong: depth without its square
def largest_depth(norm, parameters, num_tuples):
    depths = np.arange(1, 2001)
    log_bound = np.log(2 * np.pi * (parameters - 0.5)) + np.log(depths) + 2 * depths * np.log(norm)
    return int(depths[log_bound <= np.log(num_tuples)].max(initial=0))
