"""Checks of the exercises of chapter 6; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-06-radial · 2 points · 2 points by hand
# %% visible
same_numbers(radial_derivative(0.5, [0.5, 0.5], 1.0), 0.0, "the derivative if all scores are equal")
same_numbers(radial_derivative(1.0, [-1.0], 1.0, 0), -4.0, "the derivative with one negative, α = 0")

# %% hidden
rng = np.random.default_rng(1)
for count, temperature, alpha in [(1, 0.5, 1), (6, 0.2, 1), (6, 0.2, 0), (20, 1.5, 1)]:
    anchor, positive, negatives = (random_embeddings(rng, num, 4) for num in (1, 1, count))
    expected = directional_derivative(
        anchor, positive, negatives[None], (anchor, positive, negatives[None]), temperature, alpha
    )[0]
    value = radial_derivative(float(anchor[0] @ positive[0]), negatives @ anchor[0], temperature, alpha)
    same_numbers(value, expected, f"the derivative for k = {count}, temperature {temperature}, α = {alpha}")

# %% right: by a complex step in the inverse temperature
def radial_derivative(positive, negatives, temperature, alpha=1):
    level = 1 / temperature + 1e-30j
    loss = np.log(alpha + np.exp(level * (np.asarray(negatives) - positive)).sum())
    return 2 / temperature * loss.imag / 1e-30

# %% wrong: without the factor 2
def radial_derivative(positive, negatives, temperature, alpha=1):
    weights = softmax_weights(positive, negatives, temperature, alpha)
    return 1 / temperature * weights @ (np.asarray(negatives) - positive)

# %% wrong: α is ignored
def radial_derivative(positive, negatives, temperature, alpha=1):
    weights = softmax_weights(positive, negatives, temperature, 0)
    return 2 / temperature * weights @ (np.asarray(negatives) - positive)

# %% wrong: the temperature is missing in front, which temperature 1 does not show
def radial_derivative(positive, negatives, temperature, alpha=1):
    weights = softmax_weights(positive, negatives, temperature, alpha)
    return 2 * weights @ (np.asarray(negatives) - positive)

# %% wrong: the positive counted once whatever the weights sum to
def radial_derivative(positive, negatives, temperature, alpha=1):
    weights = softmax_weights(positive, negatives, temperature, alpha)
    return 2 / temperature * (weights @ np.asarray(negatives) - positive)

# %% exr-06-third · 3 points
# %% visible
w, u, v, tau = sp.symbols("w u v tau", positive=True)
same_expression(third_variation([w, 1 - w], [u, u], tau), 0, "the variation if all slopes are equal")

# %% hidden
w1, w2 = sp.symbols("w_1:3", positive=True)
u = sp.symbols("u_1:4", real=True)
tau, size = sp.symbols("tau epsilon", positive=True)
for weights, slopes in [((w1, 1 - w1), u[:2]), ((w1 / 2, w2 / 2, 1 - (w1 + w2) / 2), u)]:
    moved = sp.log(sum(w * sp.exp(size * s / tau) for w, s in zip(weights, slopes)))
    expected = sp.diff(moved, size, 3).subs(size, 0)
    same_expression(third_variation(list(weights), list(slopes), tau), expected, f"the variation with {len(slopes)} negatives")

# %% right: as a central moment
def third_variation(weights, slopes, temperature):
    mean = sum(w * s for w, s in zip(weights, slopes))
    return sum(w * ((s - mean) / temperature) ** 3 for w, s in zip(weights, slopes))

# %% right: by differentiating the cumulant generating function
def third_variation(weights, slopes, temperature):
    t = sp.Dummy("t")
    generating = sp.log(sum(w * sp.exp(t * s) for w, s in zip(weights, slopes)))
    return sp.diff(generating, t, 3).subs(t, 0) / temperature**3

# %% wrong: the raw third moment less its mean's cube
def third_variation(weights, slopes, temperature):
    first, third = (sum(w * s**r for w, s in zip(weights, slopes)) for r in (1, 3))
    return (third - first**3) / temperature**3

# %% wrong: one power of the temperature only
def third_variation(weights, slopes, temperature):
    mean = sum(w * s for w, s in zip(weights, slopes))
    return sum(w * (s - mean) ** 3 for w, s in zip(weights, slopes)) / temperature

# %% wrong: the second variation
def third_variation(weights, slopes, temperature):
    mean = sum(w * s for w, s in zip(weights, slopes))
    return sum(w * (s - mean) ** 2 for w, s in zip(weights, slopes)) / temperature**2

# %% wrong: weights taken as equal
def third_variation(weights, slopes, temperature):
    mean = sum(slopes) / len(slopes)
    return sum((s - mean) ** 3 for s in slopes) / len(slopes) / temperature**3

# %% exr-06-steps · 3 points · 1 point by hand
# %% visible
vectors = (np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([[0.0, 1.0], [-1.0, 0.0]]))
still = tuple(np.zeros_like(vector) for vector in vectors)
same_numbers(three_ways(vectors, still, 0.5, 0.1), np.zeros(3), "the three values if nothing moves")

# %% hidden
rng = np.random.default_rng(3)
for count, temperature in [(1, 1.0), (30, 0.2), (100, 0.1)]:
    anchor, positive, negatives = (random_embeddings(rng, num, 5) for num in (1, 1, count))
    vectors = (anchor[0], positive[0], negatives)
    directions = tuple(rng.standard_normal(vector.shape) for vector in vectors)
    loss = lambda size: mpmath.log(
        1 + sum(mpmath.exp((mpmath.fdot(z + size * h, x) - own) / temperature) for z, h in zip(negatives, directions[2]))
    )
    for step in (0.1, 1e-4):
        values = []
        for size in (0.0, step, -step):
            x, y = (vector + size * direction for vector, direction in zip(vectors[:2], directions[:2]))
            own = float(x @ y)
            values.append(float(loss(size)))
        expected = [(values[1] - values[0]) / step, (values[1] - values[2]) / (2 * step)]
        found = three_ways(vectors, directions, temperature, step)
        same_numbers(found[:2], expected, f"the two differences with the step {step}, k = {count}", rtol=1e-6)
    exact = directional_derivative(anchor, positive, negatives[None], tuple(h[None] for h in directions), temperature)[0]
    same_numbers(three_ways(vectors, directions, temperature, 1e-15)[2], exact, f"the complex step, k = {count}", rtol=1e-11)

# %% right: written with einsum and powers of e, as a list
def three_ways(vectors, directions, temperature, step):
    def moved(size):
        x, y, z = [v + size * h for v, h in zip(vectors, directions)]
        own, others = np.sum(x * y), np.einsum("kd,d->k", z, x)
        return -own / temperature + np.log(np.exp(own / temperature) + np.sum(np.exp(others / temperature)))

    return [(moved(step) - moved(0)) / step, (moved(step) - moved(-step)) / step / 2, moved(step * 1j).imag / step]

# %% wrong: the central difference divided by the step
def three_ways(vectors, directions, temperature, step):
    def loss(size):
        x, y, z = (v + size * h for v, h in zip(vectors, directions))
        return np.log(1 + np.exp((z @ x - x @ y) / temperature).sum())

    return (loss(step) - loss(0.0)) / step, (loss(step) - loss(-step)) / step, loss(1j * step).imag / step

# %% wrong: a conjugate in the complex inner product
def three_ways(vectors, directions, temperature, step):
    def loss(size):
        x, y, z = (v + size * h for v, h in zip(vectors, directions))
        return np.log(1 + np.exp((np.conj(z) @ x - np.vdot(x, y)) / temperature).sum())

    return (loss(step) - loss(0.0)) / step, (loss(step) - loss(-step)) / (2 * step), loss(1j * step).imag / step

# %% wrong: the anchor stays where it is
def three_ways(vectors, directions, temperature, step):
    def loss(size):
        y, z = (v + size * h for v, h in zip(vectors[1:], directions[1:]))
        return np.log(1 + np.exp((z @ vectors[0] - y @ vectors[0]) / temperature).sum())

    return (loss(step) - loss(0.0)) / step, (loss(step) - loss(-step)) / (2 * step), loss(1j * step).imag / step

# %% wrong: the decoupled loss
def three_ways(vectors, directions, temperature, step):
    def loss(size):
        x, y, z = (v + size * h for v, h in zip(vectors, directions))
        return np.log(np.exp((z @ x - x @ y) / temperature).sum())

    return (loss(step) - loss(0.0)) / step, (loss(step) - loss(-step)) / (2 * step), loss(1j * step).imag / step

# %% exr-06-logistic · 3 points · 2 points by hand
# %% visible
same_numbers(logistic_variation(0.0, [0.0, 0.0], 1.0, [1.0, 1.0], 1.0), 0.5, "the variation at scores of zero")
same_numbers(largest_push(1, 1.0), 0.73105857863, "the largest push of one negative at temperature 1")

# %% hidden
rng = np.random.default_rng(6)
for count, temperature in [(1, 0.5), (8, 0.1), (30, 2.0)]:
    positive, own = rng.uniform(-1, 1, 2)
    negatives, slopes = rng.uniform(-1, 1, (2, count))
    loss = lambda t: mpmath.log(1 + mpmath.exp(-(positive + t * own) / temperature)) + sum(
        mpmath.log(1 + mpmath.exp((s + t * h) / temperature)) for s, h in zip(negatives, slopes)
    )
    value = logistic_variation(positive, negatives, own, slopes, temperature)
    same_numbers(value, float(mpmath.diff(loss, 0)), f"the variation for k = {count}, temperature {temperature}")
    same_numbers(largest_push(count, temperature), count / (1 + np.exp(-1 / temperature)), f"the largest push for k = {count}")

# %% right: by a complex step, and with tanh
def logistic_variation(positive, negatives, positive_slope, negative_slopes, temperature):
    own = (positive + 1e-30j * positive_slope) / temperature
    others = (np.asarray(negatives) + 1e-30j * np.asarray(negative_slopes)) / temperature
    return (np.log(1 + np.exp(-own)) + np.log(1 + np.exp(others)).sum()).imag / 1e-30

def largest_push(k, temperature):
    return k * (1 + np.tanh(0.5 / temperature)) / 2

# %% wrong: the sign of the pull
def logistic_variation(positive, negatives, positive_slope, negative_slopes, temperature):
    pull = positive_slope / (1 + np.exp(positive / temperature))
    push = np.asarray(negative_slopes) / (1 + np.exp(-np.asarray(negatives) / temperature))
    return (push.sum() + pull) / temperature

def largest_push(k, temperature):
    return k / (1 + np.exp(-1 / temperature))

# %% wrong: the weight of the positive is that of a negative
def logistic_variation(positive, negatives, positive_slope, negative_slopes, temperature):
    pull = positive_slope / (1 + np.exp(-positive / temperature))
    push = np.asarray(negative_slopes) / (1 + np.exp(-np.asarray(negatives) / temperature))
    return (push.sum() - pull) / temperature

def largest_push(k, temperature):
    return k / (1 + np.exp(-1 / temperature))

# %% wrong: a push that is shared, as with a softmax
def logistic_variation(positive, negatives, positive_slope, negative_slopes, temperature):
    pull = positive_slope / (1 + np.exp(positive / temperature))
    push = np.asarray(negative_slopes) / (1 + np.exp(-np.asarray(negatives) / temperature))
    return (push.sum() - pull) / temperature

def largest_push(k, temperature):
    return 1 / (1 + np.exp(-1 / temperature))

# %% wrong: weights below one, so the bound k
def logistic_variation(positive, negatives, positive_slope, negative_slopes, temperature):
    pull = positive_slope / (1 + np.exp(positive / temperature))
    push = np.asarray(negative_slopes) / (1 + np.exp(-np.asarray(negatives) / temperature))
    return (push.sum() - pull) / temperature

def largest_push(k, temperature):
    return float(k)

# %% exr-06-finite-k · 3 points · 2 points by hand
# %% visible
same_numbers(preferred_level(16, 1), 2.0, "the level for k = 16, α = 1", rtol=2e-3)

# %% hidden
law = ring_space().weights
scores = pairwise_scores(circle_embedding(2 * np.pi * np.arange(len(law)) / len(law)))
space = FiniteSpace(law, search_kernel(scores, law, 0.5))
for k, alpha in [(1, 0), (4, 0), (64, 0), (1, 1), (256, 1)]:
    found = float(preferred_level(k, alpha))
    grid = np.unique(np.clip(found * np.array([0.2, 0.8, 0.98, 0.99, 1.0, 1.01, 1.02, 1.25, 5.0]), 0.1, 20))
    risks = [exact_risk.exact_risk(space, scores, 1 / level, k, alpha) for level in grid]
    at = exact_risk.exact_risk(space, scores, 1 / found, k, alpha)
    assert 0.1 <= found <= 20 and at <= min(risks) + 1e-5, f"{found} does not minimise the risk for k = {k}, α = {alpha}"

# %% right: on a grid that is refined
def preferred_level(k, alpha):
    law = ring_space().weights
    scores = pairwise_scores(circle_embedding(2 * np.pi * np.arange(len(law)) / len(law)))
    space, low, high = FiniteSpace(law, search_kernel(scores, law, 0.5)), 0.1, 20.0
    for _ in range(8):
        grid = np.linspace(low, high, 9)
        best = int(np.argmin([exact_risk.exact_risk(space, scores, 1 / level, k, alpha) for level in grid]))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 8)]
    return grid[best]

# %% wrong: the level of the target, whatever k
def preferred_level(k, alpha):
    return 2.0

# %% wrong: the temperature in place of its inverse
def preferred_level(k, alpha):
    return 0.5

# %% wrong: α is ignored
def preferred_level(k, alpha):
    from scipy.optimize import minimize_scalar

    law = ring_space().weights
    scores = pairwise_scores(circle_embedding(2 * np.pi * np.arange(len(law)) / len(law)))
    space = FiniteSpace(law, search_kernel(scores, law, 0.5))
    return minimize_scalar(lambda level: exact_risk.exact_risk(space, scores, 1 / level, k), bounds=(0.1, 20)).x

# %% wrong: by the first-order approximation, which is poor for few negatives
def preferred_level(k, alpha):
    return 2.0 + (2.5 / k if alpha == 0 else 0.0)

# %% exr-06-train · 3 points · 2 points by hand
# %% visible
line = np.array([[1.0, 0.0], [0.0, 1.0]])
end = np.asarray(descend(np.array([0.5, 0.5]), np.full((2, 2), 0.5), line, 0.5))
assert end.shape == (2, 2), f"the result has the shape {end.shape}; expected one row for each point"
same_numbers(np.linalg.norm(end, axis=1), np.ones(2), "the norms of the result")

# %% hidden
ring = ring_space()
for seed in (4, 5):
    start = random_embeddings(np.random.default_rng(seed), ring.size, 2)
    end = np.asarray(descend(ring.weights, ring.kernel, start, 0.5))
    same_numbers(np.linalg.norm(end, axis=1), np.ones(ring.size), "the norms of the result")
    targets = []
    for points in (start, end):
        table = np.exp(2 * points @ points.T)
        densities = table / (table @ ring.weights)[:, None]
        targets.append(-np.sum(ring.weights[:, None] * ring.kernel * np.log(densities)))
    assert targets[1] < min(0, targets[0]) - 0.1, "the target is no lower than that of a constant embedding"
    tangent = tangent_part(cross_entropy_gradient(ring, end, 0.5), end)
    assert np.abs(tangent).max() <= 1e-6, "the tangent part of the gradient has not vanished"

# %% right: by a minimiser over angles
def descend(weights, kernel, embeddings, temperature):
    space, start = FiniteSpace(weights, kernel), np.asarray(embeddings)
    angles = np.arctan2(start[:, 1], start[:, 0])

    def value_and_slope(angles):
        points = circle_embedding(angles)
        densities = search_kernel(pairwise_scores(points), space.weights, temperature) / space.weights
        value = -np.sum(space.weights[:, None] * space.kernel * np.log(densities))
        sideways = np.column_stack([-points[:, 1], points[:, 0]])
        return value, np.sum(cross_entropy_gradient(space, points, temperature) * sideways, axis=1)

    found = minimize(value_and_slope, angles, jac=True, method="BFGS", options={"gtol": 1e-8})
    return circle_embedding(found.x).tolist()

# %% wrong: stays at the start
def descend(weights, kernel, embeddings, temperature):
    return np.asarray(embeddings)

# %% wrong: climbs
def descend(weights, kernel, embeddings, temperature):
    space, points = FiniteSpace(weights, kernel), np.asarray(embeddings)
    for _ in range(500):
        points = points + tangent_part(cross_entropy_gradient(space, points, temperature), points)
        points = points / np.linalg.norm(points, axis=1, keepdims=True)
    return points

# %% wrong: stops far too early
def descend(weights, kernel, embeddings, temperature):
    space, points = FiniteSpace(weights, kernel), np.asarray(embeddings)
    for _ in range(20):
        points = points - tangent_part(cross_entropy_gradient(space, points, temperature), points)
        points = points / np.linalg.norm(points, axis=1, keepdims=True)
    return points

# %% wrong: all points in one place, which is stationary
def descend(weights, kernel, embeddings, temperature):
    return np.tile([1.0, 0.0], (len(embeddings), 1))
