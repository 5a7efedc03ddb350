"""Checks of the exercises of chapter 4; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-04-one-point · 2 points · 2 points by hand
# %% visible
same_numbers(one_point([0.5, 0.5], [1.0, 1.0]), [0.0, 0.0], "the pair when M is π")
same_numbers(one_point([0.5, 0.5], [2.0, 0.0]), [0.5, 1.0], "the pair when M stays at one of two points")

# %% hidden
rng = np.random.default_rng(2)
for size in (2, 5, 9):
    weights, law = rng.dirichlet(np.ones(size)), rng.dirichlet(np.ones(size))
    densities = law / weights
    distance = np.abs(weights - law).sum() / 2
    peak = sum(law[y] * (densities[y] - 1) for y in range(size) if densities[y] > 1)
    same_numbers(one_point(weights, densities), [distance, peak], f"the pair on {size} points")

# %% right: by the library's distance and a sum over points
def one_point(weights, densities):
    law = np.asarray(weights) * np.asarray(densities)
    bound = sum(p * max(m - 1, 0.0) for p, m in zip(law, densities))
    return [float(total_variation(weights, law)), bound]

# %% wrong: without the half in the distance
def one_point(weights, densities):
    weights, densities = np.asarray(weights), np.asarray(densities)
    return weights @ np.abs(densities - 1), weights @ (densities * np.maximum(densities - 1, 0))

# %% wrong: the positive part is missing in the bound
def one_point(weights, densities):
    weights, densities = np.asarray(weights), np.asarray(densities)
    return weights @ np.maximum(densities - 1, 0), weights @ (densities * (densities - 1))

# %% wrong: the bound without the factor m
def one_point(weights, densities):
    weights, densities = np.asarray(weights), np.asarray(densities)
    return weights @ np.maximum(densities - 1, 0), weights @ np.maximum(densities - 1, 0)

# %% exr-04-classes · 3 points · 2 points by hand
# %% visible
p, k = sp.symbols("p k", positive=True)
same_expression(ratio(p, k).subs(k, 1), p, "the ratio for k = 1")
same_expression(sp.sympify(worst_mass(k)).subs(k, 2), sp.Rational(1, 2), "the mass for k = 2")

# %% hidden
p, k = sp.symbols("p k", positive=True)
same_expression(ratio(p, k), k * (1 - p) ** k * p / (1 - p), "the ratio")
for count in (2, 3, 10, 50):
    masses = np.linspace(1e-5, 1 - 1e-5, 100001)
    exact = count * (1 - masses) ** count * masses / (1 - masses)
    same_numbers(float(sp.N(worst_mass(sp.Integer(count)))), masses[exact.argmax()], f"the mass for k = {count}", atol=2e-5)
same_expression(limit_of_worst(), sp.exp(-1), "the limit")

# %% right: typed in, in another arrangement
def ratio(p, k):
    return k * p * sp.exp((k - 1) * sp.log(1 - p))

def worst_mass(k):
    return k**-1

def limit_of_worst():
    return 1 / sp.E

# %% wrong: the bound without 1/k
def ratio(p, k):
    return p * (1 - p) ** (k - 1)

def worst_mass(k):
    return 1 / k

def limit_of_worst():
    return sp.exp(-1)

# %% wrong: the bound with m² in place of m(m - 1), which k = 1 shows
def ratio(p, k):
    return k * p * (1 - p) ** k

def worst_mass(k):
    return 1 / (k + 1)

def limit_of_worst():
    return sp.exp(-1)

# %% wrong: a mass that is right for k = 2 only
def ratio(p, k):
    return k * p * (1 - p) ** (k - 1)

def worst_mass(k):
    return 2 / k**2

def limit_of_worst():
    return sp.exp(-1)

# %% wrong: the limit as a decimal
def ratio(p, k):
    return k * p * (1 - p) ** (k - 1)

def worst_mass(k):
    return 1 / k

def limit_of_worst():
    return sp.Float("0.3679")

# %% exr-04-enough · 3 points · 1 point by hand
# %% visible
same_numbers(items_needed(0.15, 0.5), [336, 22], "the pair for drift 0.15 at temperature 0.5")

# %% hidden
table = pairwise_scores(circle_embedding(ring_angles(12)))
for drift, temperature, allowed in [(0.0, 0.5, 0.05), (0.25, 0.5, 0.05), (0.15, 1.0, 0.05), (0.1, 0.7, 0.15)]:
    space = ring_space(12, drift)
    found = items_needed(drift, temperature, allowed)
    where = f"drift {drift}, temperature {temperature}, {allowed} nats"
    peak = sum(
        space.weights[x] * space.kernel[x, y] * max(space.density[x, y] - 1, 0) for x in range(12) for y in range(12)
    )
    same_numbers(found[0], np.ceil(2 * peak / (allowed * temperature)), f"the number from the bound for {where}")
    assert found[1] == int(found[1]) >= 1, f"the exact number is {found[1]} for {where}; expected a positive integer"
    for count, enough in [(int(found[1]), True), (int(found[1]) - 1, False)]:
        if count:
            error = abs(search_cross_entropy(space, table, temperature, count) - exact_risk(space, table, temperature, count, 0))
            assert (error <= allowed) == enough, f"the exact number is not the smallest for {where}"

# %% right: counts upwards
def items_needed(drift, temperature, allowed=0.05):
    space, table = ring_space(12, drift), pairwise_scores(circle_embedding(ring_angles(12)))
    bound = 1
    while search_bounds.kernel_bias_bound(temperature, bound, search_bounds.mean_kernel_peakedness(space)) > allowed:
        bound += 1
    exact = 1
    while abs(search_cross_entropy(space, table, temperature, exact) - exact_risk(space, table, temperature, exact, 0)) > allowed:
        exact += 1
    return [bound, float(exact)]

# %% wrong: the distance of the risk from the target in place of the search of k points
def items_needed(drift, temperature, allowed=0.05):
    space, table = ring_space(12, drift), pairwise_scores(circle_embedding(ring_angles(12)))
    exact = 1
    while abs(cross_entropy(space, table, temperature) - exact_risk(space, table, temperature, exact, 0)) > allowed:
        exact += 1
    return int(np.ceil(2 * search_bounds.mean_kernel_peakedness(space) / (allowed * temperature))), exact

# %% wrong: the bound without the factor 2
def items_needed(drift, temperature, allowed=0.05):
    space, table = ring_space(12, drift), pairwise_scores(circle_embedding(ring_angles(12)))
    exact = 1
    while abs(search_cross_entropy(space, table, temperature, exact) - exact_risk(space, table, temperature, exact, 0)) > allowed:
        exact += 1
    return int(np.ceil(search_bounds.mean_kernel_peakedness(space) / (allowed * temperature))), exact

# %% wrong: the risk with the positive in the denominator
def items_needed(drift, temperature, allowed=0.05):
    space, table = ring_space(12, drift), pairwise_scores(circle_embedding(ring_angles(12)))
    exact = 1
    while abs(search_cross_entropy(space, table, temperature, exact) - exact_risk(space, table, temperature, exact, 1)) > allowed:
        exact += 1
    return int(np.ceil(2 * search_bounds.mean_kernel_peakedness(space) / (allowed * temperature))), exact

# %% wrong: knows the answer for drift 0.15 only
def items_needed(drift, temperature, allowed=0.05):
    return 336, 22

# %% exr-04-infonce · 3 points · 3 points by hand
# %% visible
same_numbers(upper_bound(1.0, 1, 0.0), np.log1p(np.exp(2.0)), "the bound for A = 0 and one point at temperature 1")

# %% hidden
for temperature, k, peak in [(0.5, 1, 1.0), (0.5, 100, 1.0), (0.2, 10, 3.0), (0.2, 10**5, 3.0), (2.0, 7, 0.3), (0.05, 10**6, 0.0)]:
    level = 1 / temperature
    top = np.exp(2 * level)
    curvature = (1 / top - 1 + np.log(top)) / (1 - 1 / top) ** 2
    first = 2 * peak / (temperature * k) + np.log1p(top / k)
    second = 2 * peak / (temperature * k) + np.log1p(np.exp(level) / k) + 4 * curvature * np.sinh(level / 2) ** 2 / k
    same_numbers(upper_bound(temperature, k, peak), min(first, second), f"the bound at temperature {temperature}, k = {k}")

# %% right: written out with the curvature typed
def upper_bound(temperature, k, peakedness):
    level = 1 / temperature
    decay = np.exp(-2 * level)
    c = (decay - 1 + 2 * level) / (1 - decay) ** 2
    ends = [np.log(1 + 1 / (decay * k)), np.log(1 + np.exp(level) / k) + 2 * c * (np.cosh(level) - 1) / k]
    return 2 * peakedness * level / k + float(np.min(ends))

# %% wrong: only the bound of (a)
def upper_bound(temperature, k, peakedness):
    return 2 * peakedness / (temperature * k) + np.log1p(np.exp(2 / temperature) / k)

# %% wrong: the larger of the two
def upper_bound(temperature, k, peakedness):
    base = 2 * peakedness / (temperature * k)
    gap = rate_constant(temperature, 0) / k
    return base + max(np.log1p(np.exp(2 / temperature) / k), np.log1p(np.exp(1 / temperature) / k) + gap)

# %% wrong: drops the gap of the decoupled loss, so that it is no bound
def upper_bound(temperature, k, peakedness):
    return 2 * peakedness / (temperature * k) + np.log1p(np.exp(1 / temperature) / k)

# %% wrong: forgets the misplaced weight
def upper_bound(temperature, k, peakedness):
    gap = rate_constant(temperature, 0) / k
    return min(np.log1p(np.exp(2 / temperature) / k), np.log1p(np.exp(1 / temperature) / k) + gap)

# %% exr-04-fallback · 3 points · 3 points by hand
# %% visible
mean = mean_with_fallback([0.5, 0.5], [1.0, 1.0], [0.2, 0.1], 2)
same_numbers(mean, [0.5, 0.5], "the mean when every point is relevant alike")

# %% hidden
rng = np.random.default_rng(7)
for size, k, zeros in [(3, 1, 1), (3, 3, 2), (4, 4, 2), (5, 2, 0)]:
    weights, scores = rng.dirichlet(np.ones(size)), rng.permutation(size) / 10
    densities = rng.uniform(0.5, 2.0, size) * (np.arange(size) >= zeros)
    densities = densities / (weights @ densities)
    # By counting how often each point is drawn, in place of listing the draws.
    expected = np.zeros(size)
    for counts in product(range(k + 1), repeat=size):
        if sum(counts) != k:
            continue
        chance, left = 1.0, k
        for count, weight in zip(counts, weights):
            chance *= float(sp.binomial(left, count)) * weight**count
            left -= count
        share = np.array(counts) * densities
        if share.sum() == 0:
            share = np.zeros(size)
            share[min((i for i in range(size) if counts[i]), key=lambda i: scores[i])] = 1.0
        expected += chance * share / share.sum()
    same_numbers(mean_with_fallback(weights, densities, scores, k), expected, f"the mean on {size} points, k = {k}")

# %% right: recursion over the draws
def mean_with_fallback(weights, densities, scores, k):
    size = len(weights)

    def visit(points, chance):
        if len(points) < k:
            return sum(visit([*points, i], chance * weights[i]) for i in range(size))
        total, result = sum(densities[i] for i in points), np.zeros(size)
        for i in points:
            result[i] += densities[i] / total if total > 0 else 0.0
        if total == 0:
            result[min(points, key=lambda i: scores[i])] = 1.0
        return chance * result

    return visit([], 1.0)

# %% wrong: the uniform convention of the chapter
def mean_with_fallback(weights, densities, scores, k):
    weights, densities, mean = np.asarray(weights), np.asarray(densities), np.zeros(len(weights))
    for points in map(list, product(range(len(weights)), repeat=k)):
        np.add.at(mean, points, weights[points].prod() * ideal_weights(densities[points]))
    return mean

# %% wrong: the highest score in place of the lowest
def mean_with_fallback(weights, densities, scores, k):
    weights, densities, scores = np.asarray(weights), np.asarray(densities), np.asarray(scores)
    mean = np.zeros(len(weights))
    for points in map(list, product(range(len(weights)), repeat=k)):
        found = densities[points]
        share = found if found.any() else (scores[points] == scores[points].max()).astype(float)
        np.add.at(mean, points, weights[points].prod() * share / share.sum())
    return mean

# %% wrong: leaves the empty searches out
def mean_with_fallback(weights, densities, scores, k):
    weights, densities, mean = np.asarray(weights), np.asarray(densities), np.zeros(len(weights))
    for points in map(list, product(range(len(weights)), repeat=k)):
        if densities[points].any():
            np.add.at(mean, points, weights[points].prod() * ideal_weights(densities[points]))
    return mean / mean.sum()

# %% wrong: counts a point once, however often it is drawn
def mean_with_fallback(weights, densities, scores, k):
    weights, densities, scores = np.asarray(weights), np.asarray(densities), np.asarray(scores)
    mean = np.zeros(len(weights))
    for points in map(list, product(range(len(weights)), repeat=k)):
        distinct = sorted(set(points))
        found = densities[distinct]
        share = found if found.any() else (scores[distinct] == scores[distinct].min()).astype(float)
        np.add.at(mean, distinct, weights[points].prod() * share / share.sum())
    return mean
