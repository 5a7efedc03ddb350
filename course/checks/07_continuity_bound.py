"""Checks of the exercises of chapter 7; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-07-by-hand · 2 points · 2 points by hand
# %% visible
same_numbers(vertex_means([3.0, 1.0, 0.0, 0.0], 1 / np.log(3))[:2], [7 / 3, 1.8], "F_1 and F_2 of the example")

# %% hidden
rng = np.random.default_rng(1)
for count, temperature in [(1, 0.5), (5, 0.1), (9, 0.7), (6, 3.0)]:
    norms = rng.exponential(size=count)
    found = np.asarray(vertex_means(norms, temperature), dtype=float)
    order, ratio = sorted(norms, reverse=True), np.exp(2 / temperature)
    expected = [
        (ratio * sum(order[:j]) + sum(order[j:])) / (ratio * j + count - j) for j in range(1, count + 1)
    ]
    same_numbers(found, expected, f"the means of {count} numbers at temperature {temperature}")
    level = ratio / (1 + ratio)
    same_numbers(found.max(), expectile(norms, level) if count > 1 else norms[0], "the largest of the means", rtol=1e-6)

# %% right: by cumulative sums, with weights 1 and 1/κ
def vertex_means(norms, temperature):
    ordered, shrink = sorted(map(float, norms), reverse=True), np.exp(-2 / temperature)
    top, count = np.cumsum(ordered), np.arange(1, len(ordered) + 1)
    return ((top + shrink * (top[-1] - top)) / (count + shrink * (len(ordered) - count))).tolist()

# %% wrong: takes the numbers as sorted, which the example does not show
def vertex_means(norms, temperature):
    norms, ratio = np.asarray(norms), kappa(temperature)
    weights = np.where(np.tri(len(norms), dtype=bool), ratio, 1.0)
    return weights @ norms / weights.sum(axis=1)

# %% wrong: the root of κ
def vertex_means(norms, temperature):
    ordered, ratio = np.sort(norms)[::-1], np.exp(1 / temperature)
    weights = np.where(np.tri(len(ordered), dtype=bool), ratio, 1.0)
    return weights @ ordered / weights.sum(axis=1)

# %% wrong: the smallest numbers get the large weight
def vertex_means(norms, temperature):
    ordered, ratio = np.sort(norms), kappa(temperature)
    weights = np.where(np.tri(len(ordered), dtype=bool), ratio, 1.0)
    return weights @ ordered / weights.sum(axis=1)

# %% wrong: divided by the number of points
def vertex_means(norms, temperature):
    ordered, ratio = np.sort(norms)[::-1], kappa(temperature)
    weights = np.where(np.tri(len(ordered), dtype=bool), ratio, 1.0)
    return weights @ ordered / len(ordered)

# %% exr-07-high-temperature · 3 points · 2 points by hand
# %% visible
p = sp.symbols("p", positive=True)
same_expression(sp.sympify(expectile_slope(p)).subs(p, sp.Rational(1, 2)), sp.Rational(1, 2), "the slope of the expectile for p = ½")
same_expression(
    sp.sympify(exponential_slope(p)).subs(p, sp.Rational(1, 2)), sp.Rational(1, 2), "the slope of the exponential functional for p = ½"
)

# %% hidden
p = sp.symbols("p", positive=True)
for share in (0.1, 0.3, 0.75):
    norms, temperature = np.repeat([1.0, 0.0], [round(100 * share), 100 - round(100 * share)]), 1e4
    slopes = [temperature * (f(norms, temperature) - share) for f in (expectile_functional, exponential_functional)]
    for value, slope, name in zip((expectile_slope(p), exponential_slope(p)), slopes, ("expectile", "exponential functional")):
        same_numbers(float(sp.sympify(value).subs(p, share)), slope, f"the slope of the {name} for p = {share}", rtol=1e-3)
same_expression(expectile_slope(p), 2 * p * (1 - p), "the slope of the expectile")
same_expression(exponential_slope(p), sp.sqrt(p - p**2), "the slope of the exponential functional")

# %% right: as moments of the two levels
def expectile_slope(p):
    return p * sp.Abs(1 - p) + (1 - p) * p

def exponential_slope(p):
    return sp.sqrt(p * (1 - p) ** 2 + (1 - p) * p**2)

# %% wrong: the positive part without the factor 2
def expectile_slope(p):
    return p * (1 - p)

def exponential_slope(p):
    return sp.sqrt(p * (1 - p))

# %% wrong: the variance for the standard deviation
def expectile_slope(p):
    return 2 * p * (1 - p)

def exponential_slope(p):
    return p * (1 - p)

# %% wrong: the two exchanged, which equal shares do not show
def expectile_slope(p):
    return sp.sqrt(p * (1 - p))

def exponential_slope(p):
    return 2 * p * (1 - p)

# %% wrong: only the ones count
def expectile_slope(p):
    return p

def exponential_slope(p):
    return sp.sqrt(p) / sp.sqrt(2)

# %% exr-07-without-sorting · 3 points · 2 points by hand
# %% visible
same_numbers(expectile_by_steps(np.array([3.0, 1.0, 0.0, 0.0]), 1 / np.log(3)), 7 / 3, "the expectile of the example")

# %% hidden
rng = np.random.default_rng(2)
cases = [rng.exponential(size=1000), rng.pareto(1.5, 500), np.array([2.0]), np.full(7, 0.1), np.repeat([0.0, 1.0], [999, 1])]
for norms in cases:
    for temperature in (0.05, 0.5, 5.0):
        shrink, ordered = np.exp(-2 / temperature), np.sort(norms)[::-1]
        top, count = np.cumsum(ordered), np.arange(1, len(norms) + 1)
        expected = np.max((top + shrink * (top[-1] - top)) / (count + shrink * (len(norms) - count)))
        where = f"{len(norms)} numbers at temperature {temperature}"
        same_numbers(expectile_by_steps(norms, temperature), expected, f"the expectile of {where}", rtol=1e-10)

# %% right: with sums above the level only, for a fixed number of steps
def expectile_by_steps(norms, temperature):
    norms, extra = np.asarray(norms), np.expm1(2 / temperature)
    b = norms.mean()
    for _ in range(200):
        above = norms > b
        b = max(b, (norms.sum() + extra * norms[above].sum()) / (norms.size + extra * above.sum()))
    return float(b)

# %% right: bisection of the balance
def expectile_by_steps(norms, temperature):
    norms, ratio = np.asarray(norms), np.exp(2 / temperature)
    low, high = norms.min(), norms.max()
    for _ in range(200):
        b = (low + high) / 2
        rises = ratio * np.maximum(norms - b, 0).sum() > np.maximum(b - norms, 0).sum()
        low, high = (b, high) if rises else (low, b)
    return high

# %% wrong: a single step
def expectile_by_steps(norms, temperature):
    norms, ratio = np.asarray(norms), np.exp(2 / temperature)
    weights = np.where(norms > norms.mean(), ratio, 1.0)
    return weights @ norms / weights.sum()

# %% wrong: the quantile for the expectile
def expectile_by_steps(norms, temperature):
    return np.quantile(norms, 1 / (1 + np.exp(-2 / temperature)))

# %% wrong: the root of κ
def expectile_by_steps(norms, temperature):
    return expectile_functional(norms, 2 * temperature)

# %% wrong: the mean
def expectile_by_steps(norms, temperature):
    return np.mean(norms)

# %% wrong: the largest number
def expectile_by_steps(norms, temperature):
    return np.max(norms)

# %% exr-07-not-normalised · 2 points · 2 points by hand
# %% visible
same_numbers(ball_bound(0.1, 0.2, [0.3, 0.3], 0.5, 1.0), 1.4, "the bound in the unit ball")

# %% hidden
rng = np.random.default_rng(3)
for radius, temperature in [(1.0, 0.5), (2.0, 1.0), (0.5, 0.1), (10.0, 0.1)]:
    own, other, norms = rng.exponential(), rng.exponential(), rng.exponential(size=20)
    shrink, ordered = np.exp(-2 * radius**2 / temperature), np.sort(norms)[::-1]
    top, count = np.cumsum(ordered), np.arange(1, 21)
    mean = np.max((top + shrink * (top[-1] - top)) / (count + shrink * (20 - count)))
    expected = radius / temperature * (2 * own + other + mean)
    same_numbers(ball_bound(own, other, norms, temperature, radius), expected, f"the bound for radius {radius}")
    # No change of the loss between embeddings in the ball is larger.
    ends = rng.normal(size=(2, 22, 3))
    ends *= radius * rng.uniform(size=(2, 22, 1)) / np.linalg.norm(ends, axis=2, keepdims=True)
    losses = [np.log(np.exp((end[2:] @ end[0] - end[0] @ end[1]) / temperature).sum()) if radius < 10 else 0.0 for end in ends]
    moves = np.linalg.norm(ends[1] - ends[0], axis=1)
    assert abs(losses[1] - losses[0]) <= ball_bound(*moves[:2], moves[2:], temperature, radius) + 1e-12, "it is no bound"

# %% right: by scaling to the unit ball and the library's bound
def ball_bound(anchor_norm, positive_norm, negative_norms, temperature, radius):
    scaled = [np.asarray(norm) / radius for norm in (anchor_norm, positive_norm, negative_norms)]
    return float(continuity_bound(*scaled, temperature / radius**2, alpha=0))

# %% wrong: the radius in front only
def ball_bound(anchor_norm, positive_norm, negative_norms, temperature, radius):
    return radius * continuity_bound(anchor_norm, positive_norm, negative_norms, temperature, alpha=0)

# %% wrong: the radius in the weights only
def ball_bound(anchor_norm, positive_norm, negative_norms, temperature, radius):
    mean = expectile_functional(negative_norms, temperature / radius**2)
    return (2 * anchor_norm + positive_norm + mean) / temperature

# %% wrong: the square of the radius in front
def ball_bound(anchor_norm, positive_norm, negative_norms, temperature, radius):
    return continuity_bound(anchor_norm, positive_norm, negative_norms, temperature / radius**2, alpha=0)

# %% wrong: the radius where its square belongs
def ball_bound(anchor_norm, positive_norm, negative_norms, temperature, radius):
    mean = expectile_functional(negative_norms, temperature / radius)
    return radius / temperature * (2 * anchor_norm + positive_norm + mean)

# %% exr-07-threshold · 2 points · 2 points by hand
# %% visible
same_numbers(friends_functional([1.0, 1.0], 1.0, 1.0), 1.5, "the functional of equal norms at temperature 1")

# %% hidden
rng = np.random.default_rng(4)
for temperature, beta in [(1.0, 0.5), (0.3, 20.0), (5.0, 3.0)]:
    norms = rng.exponential(size=12)
    expected = exponential_functional(norms, temperature, beta) + (0.5 / temperature**2 - kl_bound(temperature)) / beta
    same_numbers(friends_functional(norms, temperature, beta), expected, f"the functional at temperature {temperature}")
same_numbers(friends_functional([1.0, 0.5], 1.0, 1e4), 1 + (0.5 - np.log(2)) / 1e4, "the functional for a large β", rtol=1e-9)
for temperature in (0.05, 0.3, 1.0, 3.0):
    level = 1 / temperature
    threshold = level / np.tanh(level) - 1 + np.log(np.sinh(level) / level)
    same_numbers(friends_factor(temperature), level**2 / 2 / threshold, f"the factor at temperature {temperature}")

# %% right: by the library's functional, and with logaddexp
def friends_functional(norms, temperature, beta):
    norms = np.asarray(norms)
    mean = np.logaddexp.reduce(beta * norms) - np.log(len(norms))
    return (mean + 0.5 * temperature**-2) / beta

def friends_factor(temperature):
    return 0.5 / (temperature * temperature) / float(kl_bound(temperature))

# %% wrong: overflows for a large β
def friends_functional(norms, temperature, beta):
    with np.errstate(over="ignore"):
        return (np.log(np.mean(np.exp(beta * np.asarray(norms)))) + 1 / (2 * temperature**2)) / beta

def friends_factor(temperature):
    return 1 / (2 * temperature**2 * kl_bound(temperature))

# %% wrong: the sum in place of the mean
def friends_functional(norms, temperature, beta):
    return (np.logaddexp.reduce(beta * np.asarray(norms)) + 1 / (2 * temperature**2)) / beta

def friends_factor(temperature):
    return 1 / (2 * temperature**2 * kl_bound(temperature))

# %% wrong: the threshold itself for the factor
def friends_functional(norms, temperature, beta):
    norms = np.asarray(norms)
    return (np.logaddexp.reduce(beta * norms) - np.log(len(norms)) + 1 / (2 * temperature**2)) / beta

def friends_factor(temperature):
    return 1 / (2 * temperature**2)

# %% wrong: the temperature in place of its inverse, which temperature 1 does not show
def friends_functional(norms, temperature, beta):
    norms = np.asarray(norms)
    return (np.logaddexp.reduce(beta * norms) - np.log(len(norms)) + temperature**2 / 2) / beta

def friends_factor(temperature):
    return temperature**2 / (2 * kl_bound(temperature))
