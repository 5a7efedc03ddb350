"""Checks of the exercises of chapter 2; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-02-leash · 3 points
# %% visible
same_numbers(critical_temperature(0.5), 0.91023922663, "the temperature for the distance ½")
same_numbers(largest_share(0.5, 2.0), 0.73105857863, "the probability of half the archive at temperature 2")
same_numbers(largest_difference(0.0, 0.5), 0.0, "the difference of equal queries")

# %% hidden
for distance in (0.01, 0.5, 0.99):
    below = temperature_bounds.total_variation_bound(critical_temperature(distance))
    same_numbers(below, distance, f"the bound at the temperature for the distance {distance}")
for share, temperature in [(0.01, 0.5), (0.3, 0.1), (0.9, 3.0)]:
    scores = np.array([1.0, -1.0])  # the set at the query, all else opposite
    best = search_kernel(scores, [share, 1 - share], temperature)[0]
    same_numbers(largest_share(share, temperature), best, f"the probability of {share} at temperature {temperature}")
for distance, temperature in [(0.1, 0.5), (0.1, 0.07), (2.0, 0.3)]:
    expected = temperature_bounds.dobrushin_bound(temperature, distance)
    same_numbers(largest_difference(distance, temperature), expected, f"the difference at distance {distance}")

# %% right: with logarithms and exponentials only
def critical_temperature(distance):
    return 1 / np.log((1 + distance) / (1 - distance))

def largest_share(share, temperature):
    return 1 / (1 + (1 - share) / share * np.exp(-2 / temperature))

def largest_difference(distance, temperature):
    return (np.exp(distance / temperature) - 1) / (np.exp(distance / temperature) + 1)

# %% wrong: the bound of the density alone for the probability of a set
def critical_temperature(distance):
    return 1 / (2 * np.arctanh(distance))

def largest_share(share, temperature):
    return share * np.exp(2 / temperature) / (share * np.exp(2 / temperature) + 1)

def largest_difference(distance, temperature):
    return np.tanh(distance / (2 * temperature))

# %% wrong: scores from 0 to 1
def critical_temperature(distance):
    return 1 / (2 * np.arctanh(distance))

def largest_share(share, temperature):
    return 1 / (1 + (1 - share) / share * np.exp(-1 / temperature))

def largest_difference(distance, temperature):
    return np.tanh(distance / (2 * temperature))

# %% wrong: the distance of two queries without the half
def critical_temperature(distance):
    return 1 / (2 * np.arctanh(distance))

def largest_share(share, temperature):
    return 1 / (1 + (1 - share) / share * np.exp(-2 / temperature))

def largest_difference(distance, temperature):
    return np.tanh(distance / temperature)

# %% wrong: the inverse of the temperature
def critical_temperature(distance):
    return 2 * np.arctanh(distance)

def largest_share(share, temperature):
    return 1 / (1 + (1 - share) / share * np.exp(-2 / temperature))

def largest_difference(distance, temperature):
    return np.tanh(distance / (2 * temperature))

# %% exr-02-hellinger · 3 points · 1 point by hand
# %% visible
b = sp.symbols("b", positive=True)
assert sp.limit(extremal_mass(b), b, 0) == sp.Rational(1, 2), "for b = 0 both points have mass ½"
assert sp.limit(hellinger_bound(b), b, 0) == 0, "for b = 0 the two laws are equal"

# %% hidden
for level in (0.2, 1.0, 3.0):
    masses = np.linspace(1e-6, 1 - 1e-6, 20001)
    high, low = np.exp(level), np.exp(-level)
    mean = masses * high + (1 - masses) * low
    distances = 1 - (masses * np.sqrt(high) + (1 - masses) * np.sqrt(low)) / np.sqrt(mean)
    value = float(sp.N(hellinger_bound(b).subs(b, level)))
    same_numbers(value, distances.max(), f"the bound at b = {level}", rtol=1e-6)
    mass = float(sp.N(extremal_mass(b).subs(b, level)))
    same_numbers(mass, masses[distances.argmax()], f"the mass at b = {level}", atol=2e-4)
same_expression(hellinger_bound(b), 1 - 1 / sp.cosh(b / 2), "the bound", low=0.1, high=4.0)
same_expression(extremal_mass(b), 1 / (1 + sp.exp(b)), "the mass", low=0.1, high=4.0)

# %% right: by the mean weight, in hyperbolic functions
def extremal_mass(b):
    return (1 - sp.tanh(b / 2)) / 2

def hellinger_bound(b):
    return 2 * sp.sinh(b / 4) ** 2 / sp.cosh(b / 2)

# %% wrong: the extremal law of χ²
def extremal_mass(b):
    return 1 / (1 + sp.exp(2 * b))

def hellinger_bound(b):
    return 1 - 1 / sp.cosh(b / 2)

# %% wrong: equal masses
def extremal_mass(b):
    return sp.Rational(1, 2)

def hellinger_bound(b):
    return 1 - sp.cosh(b / 2) / sp.sqrt(sp.cosh(b))

# %% wrong: b for b/2
def extremal_mass(b):
    return 1 / (1 + sp.exp(b))

def hellinger_bound(b):
    return 1 - 1 / sp.cosh(b)

# %% wrong: the mass of the other point
def extremal_mass(b):
    return 1 / (1 + sp.exp(-b))

def hellinger_bound(b):
    return 1 - 1 / sp.cosh(b / 2)

# %% exr-02-dimension · 3 points · 1 point by hand
# %% visible
divergence, chi = uniform_divergences(1.0, 3)
same_numbers(chi, 0.31303528549, "χ² for temperature 1 and d = 3, which is coth 1 - 1")

# %% hidden
for temperature, dimension in [(0.1, 2), (0.1, 8), (0.1, 128), (1.0, 3), (5.0, 32), (0.1, 512)]:
    level = 1 / temperature
    shape = lambda angle: np.exp((dimension - 2) * np.log(np.sin(angle))) if 0 < angle < np.pi else float(dimension == 2)
    middle = np.arctan2(np.sqrt(dimension), level)  # near the peak of the integrand, which is narrow
    integral = lambda f: quad(lambda angle: f(np.cos(angle)) * shape(angle), 0, np.pi, points=[middle / 2, middle, np.pi / 2], limit=500, epsabs=0)[0]
    mass, partition = integral(lambda t: 1.0), integral(lambda t: np.exp(level * (t - 1)))
    mean = integral(lambda t: t * np.exp(level * (t - 1))) / partition
    second = integral(lambda t: np.exp(2 * level * (t - 1))) * mass / partition**2
    expected = [level * mean - level - np.log(partition / mass), second - 1]
    where = f"temperature {temperature}, d = {dimension}"
    same_numbers(uniform_divergences(temperature, dimension), expected, f"the divergences for {where}", rtol=1e-5)

# %% right: sums over the law of the score
def uniform_divergences(temperature, dimension):
    nodes, law = von_mises_fisher.concentrated_rule(2 / temperature, dimension)
    density = np.exp(nodes / temperature - von_mises_fisher.log_partition(1 / temperature, dimension))
    return [float(law @ (density * np.log(density))), float(law @ (density - 1) ** 2)]

# %% right: from the library's search kernel and divergences
def uniform_divergences(temperature, dimension):
    nodes, law = von_mises_fisher.concentrated_rule(2 / temperature, dimension)
    found = search_kernel(nodes, law, temperature)
    return kullback_leibler(found, law), chi_square(found, law)

# %% wrong: the divergence the other way round
def uniform_divergences(temperature, dimension):
    nodes, law = von_mises_fisher.concentrated_rule(2 / temperature, dimension)
    found = search_kernel(nodes, law, temperature)
    return kullback_leibler(law, found), chi_square(found, law)

# %% wrong: the second moment of the density for χ²
def uniform_divergences(temperature, dimension):
    nodes, law = von_mises_fisher.concentrated_rule(2 / temperature, dimension)
    found = search_kernel(nodes, law, temperature)
    return kullback_leibler(found, law), chi_square(found, law) + 1

# %% wrong: the approximations for large dimension
def uniform_divergences(temperature, dimension):
    return 1 / (2 * temperature**2 * dimension), np.expm1(1 / (temperature**2 * dimension))

# %% wrong: forgets the partition function
def uniform_divergences(temperature, dimension):
    return von_mises_fisher.mean_cosine(1 / temperature, dimension) / temperature, von_mises_fisher.chi_square(temperature, dimension)

# %% exr-02-reverse · 3 points · 2 points by hand
# %% visible
one = np.array([[1.0, 0.0], [1.0, 0.0]])
same_numbers(reverse_ratio([0.5, 0.5], one, 0.5), 0.0, "the ratio if all embeddings are equal")
law, vectors = near_extremal(0.05)
same_numbers(np.sum(law), 1.0, "the sum of the weights")
same_numbers(np.linalg.norm(vectors, axis=1), np.ones(len(law)), "the norms of the embeddings")

# %% hidden
rng = np.random.default_rng(8)
for size, dimension, temperature in [(2, 2, 0.5), (6, 3, 0.1), (5, 4, 0.01)]:
    law, vectors = rng.dirichlet(np.ones(size)), random_embeddings(rng, size, dimension)
    expected = 0.0
    for x in range(size):
        scores = [mpmath.mpf(float(vectors[x] @ vectors[y])) / temperature for y in range(size)]
        partition = sum(float(law[y]) * mpmath.exp(scores[y]) for y in range(size))
        expected += float(law[x]) * sum(float(law[y]) * (mpmath.log(partition) - scores[y]) for y in range(size))
    same_numbers(reverse_ratio(law, vectors, temperature), float(temperature * expected), f"the ratio of {size} points")
for temperature in (0.005, 0.02, 0.05):
    law, vectors = (np.asarray(part, dtype=float) for part in near_extremal(temperature))
    assert (law >= 0).all() and abs(law.sum() - 1) < 1e-9, "the weights are no probabilities"
    same_numbers(np.linalg.norm(vectors, axis=1), np.ones(len(law)), "the norms of the embeddings")
    scores = vectors @ vectors.T / temperature
    logs = scores.max(axis=1) + np.log(np.exp(scores - scores.max(axis=1, keepdims=True)) @ law)
    ratio = temperature * (law @ logs - law @ scores @ law)
    assert ratio >= 0.9, f"the ratio of your example is {ratio:.3f} at temperature {temperature}; expected at least 0.9"

# %% right: by the formula with log μ, and three directions in the plane
def reverse_ratio(weights, embeddings, temperature):
    law, scores = np.asarray(weights), pairwise_scores(embeddings)
    return temperature * law @ log_partition(scores, law, temperature) - law @ scores @ law

def near_extremal(temperature):
    return [1 / 3] * 3, circle_embedding(2 * np.pi * np.arange(3) / 3)

# %% wrong: the divergence of the theorem, not the other one
def reverse_ratio(weights, embeddings, temperature):
    law = np.asarray(weights)
    kernels = search_kernel(pairwise_scores(embeddings), law, temperature)
    return temperature * law @ kullback_leibler(kernels, law)

def near_extremal(temperature):
    return np.array([0.5, 0.5]), np.array([[1.0, 0.0], [-1.0, 0.0]])

# %% wrong: the mean over anchors without their weights
def reverse_ratio(weights, embeddings, temperature):
    law = np.asarray(weights)
    kernels = search_kernel(pairwise_scores(embeddings), law, temperature)
    return temperature * kullback_leibler(law, kernels).mean()

def near_extremal(temperature):
    return np.array([0.5, 0.5]), np.array([[1.0, 0.0], [-1.0, 0.0]])

# %% wrong: an example that is not near the bound
def reverse_ratio(weights, embeddings, temperature):
    law, scores = np.asarray(weights), pairwise_scores(embeddings)
    return temperature * law @ log_partition(scores, law, temperature) - law @ scores @ law

def near_extremal(temperature):
    return np.array([0.9, 0.1]), np.array([[1.0, 0.0], [-1.0, 0.0]])

# %% wrong: a divergence that is not multiplied by the temperature
def reverse_ratio(weights, embeddings, temperature):
    law, scores = np.asarray(weights), pairwise_scores(embeddings)
    return law @ log_partition(scores, law, temperature) - law @ scores @ law / temperature

def near_extremal(temperature):
    return np.array([0.5, 0.5]), np.array([[1.0, 0.0], [-1.0, 0.0]])

# %% exr-02-two-towers · 3 points · 3 points by hand
# %% visible
line = np.array([[1.0, 0.0], [-1.0, 0.0]])
same_numbers(mean_inverse([0.5, 0.5], line, line, 1.0), 0.64805427366, "E 1/μ for two antipodal points with one encoder")
weights, queries, items = counterexample(0.5)
same_numbers(np.linalg.norm(queries, axis=1), np.ones(len(weights)), "the norms of the queries")
same_numbers(np.linalg.norm(items, axis=1), np.ones(len(weights)), "the norms of the items")

# %% hidden
rng = np.random.default_rng(9)
for size, dimension, temperature in [(2, 2, 0.5), (6, 3, 0.1), (5, 4, 2.0)]:
    law = rng.dirichlet(np.ones(size))
    first, second = random_embeddings(rng, size, dimension), random_embeddings(rng, size, dimension)
    expected = 0.0
    for x in range(size):
        expected += law[x] / sum(law[y] * np.exp(first[x] @ second[y] / temperature) for y in range(size))
    same_numbers(mean_inverse(law, first, second, temperature), expected, f"E 1/μ for {size} points")
for temperature in (0.1, 0.5, 3.0):
    weights, queries, items = (np.asarray(part, dtype=float) for part in counterexample(temperature))
    assert (weights >= 0).all() and abs(weights.sum() - 1) < 1e-9, "the weights are no probabilities"
    for rows in (queries, items):
        same_numbers(np.linalg.norm(rows, axis=1), np.ones(len(weights)), "the norms of the rows")
    value = weights @ (1 / (np.exp(queries @ items.T / temperature) @ weights))
    assert value > 1 + 1e-6, f"E 1/μ of your example is {value:.4f} at temperature {temperature}; expected more than 1"

# %% right: plain exponentials, and an example in one direction with unequal weights
def mean_inverse(weights, queries, items, temperature):
    table = np.exp(np.asarray(queries) @ np.asarray(items).T / temperature)
    return float(np.sum(np.asarray(weights) / (table @ np.asarray(weights))))

def counterexample(temperature):
    return [0.3, 0.7], [[0.0, 1.0], [0.6, 0.8]], [[0.0, -1.0], [-0.6, -0.8]]

# %% wrong: one over the mean of μ
def mean_inverse(weights, queries, items, temperature):
    law = np.asarray(weights)
    return 1 / (law @ np.exp(log_partition(pairwise_scores(queries, items), law, temperature)))

def counterexample(temperature):
    rows = np.tile([1.0, 0.0], (3, 1))
    return np.full(3, 1 / 3), rows, -rows

# %% wrong: the queries for both encoders
def mean_inverse(weights, queries, items, temperature):
    law = np.asarray(weights)
    return law @ np.exp(-log_partition(pairwise_scores(queries), law, temperature))

def counterexample(temperature):
    rows = np.tile([1.0, 0.0], (3, 1))
    return np.full(3, 1 / 3), rows, -rows

# %% wrong: the roles of the encoders exchanged
def mean_inverse(weights, queries, items, temperature):
    law = np.asarray(weights)
    return law @ np.exp(-log_partition(pairwise_scores(items, queries), law, temperature))

def counterexample(temperature):
    rows = np.tile([1.0, 0.0], (3, 1))
    return np.full(3, 1 / 3), rows, -rows

# %% wrong: an example that is none, one encoder and its negative on spread points
def mean_inverse(weights, queries, items, temperature):
    law = np.asarray(weights)
    return law @ np.exp(-log_partition(pairwise_scores(queries, items), law, temperature))

def counterexample(temperature):
    rows = circle_embedding(2 * np.pi * np.arange(8) / 8)
    return np.full(8, 1 / 8), rows, -rows
