"""Checks of the exercises of chapter 1; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-01-one-negative · 2 points
# %% visible
same_numbers(one_negative(0.0), [0.0, 0.69314718056], "the pair at g = 0")

# %% hidden
for score, temperature in [(1.0, 0.5), (-1.0, 0.5), (0.3, 0.05), (-0.3, 0.05)]:
    expected = [infonce_loss(score, [0.0], temperature, alpha) for alpha in (0, 1)]
    same_numbers(one_negative(score / temperature), expected, f"the pair at g = {score / temperature}")
same_numbers(one_negative(-1e4), [1e4, 1e4], "the pair at g = -10000")
same_numbers(one_negative(1e4), [-1e4, 0.0], "the pair at g = 10000")

# %% right: by cases, as a list
def one_negative(g):
    if g > 0:
        return [-g, np.log1p(np.exp(-g))]
    return [-g, -g + np.log1p(np.exp(g))]

# %% right: through the softmax
def one_negative(g):
    return np.array([-g, -log_softmax([g, 0.0])[0]])

# %% wrong: the sign of g in the logistic loss
def one_negative(g):
    return -g, np.logaddexp(0.0, g)

# %% wrong: the sign of g in both
def one_negative(g):
    return g, np.logaddexp(0.0, g)

# %% wrong: the pair in the other order
def one_negative(g):
    return np.logaddexp(0.0, -g), -g

# %% wrong: overflows where a pair is badly wrong
def one_negative(g):
    with np.errstate(over="ignore"):
        return -g, np.log(1 + np.exp(-g))

# %% exr-01-reversible · 2 points · 2 points by hand
# %% visible
kernel = np.asarray(irreversible_kernel(), dtype=float)
assert kernel.shape == (3, 3), f"the kernel has the shape {kernel.shape}; expected (3, 3)"
same_numbers(kernel.sum(axis=1), np.ones(3), "the sums of the rows")

# %% hidden
kernel = np.asarray(irreversible_kernel(), dtype=float)
assert (kernel >= 0).all(), "an entry of the kernel is negative"
same_numbers(kernel.mean(axis=0), np.full(3, 1 / 3), "the law of the positives")
assert np.abs(kernel - kernel.T).max() > 1e-6, "the kernel is reversible"

# %% right: one way round the circle
def irreversible_kernel():
    return [[0, 1, 0], [0, 0, 1], [1, 0, 0]]

# %% right: a mixture of permutations that is not a circulant
def irreversible_kernel():
    cycle, swap = np.roll(np.eye(3), 1, axis=1), np.eye(3)[[1, 0, 2]]
    return 0.5 * cycle + 0.3 * swap + 0.2 * np.eye(3)

# %% wrong: symmetric, so reversible
def irreversible_kernel():
    return np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])

# %% wrong: does not keep the uniform law
def irreversible_kernel():
    return np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])

# %% wrong: a negative probability
def irreversible_kernel():
    return np.array([[0.5, 0.75, -0.25], [-0.25, 0.5, 0.75], [0.75, -0.25, 0.5]])

# %% wrong: columns sum to one, rows do not
def irreversible_kernel():
    return np.array([[0.5, 0.1, 0.2], [0.2, 0.5, 0.5], [0.3, 0.4, 0.3]])

# %% exr-01-width · 4 points
# %% visible
k, kappa = sp.symbols("k kappa", positive=True)
same_expression(width_slope(k, kappa).subs(kappa, 1), 0, "the slope for κ = 1, where all losses are equal")
same_expression(width_threshold(kappa).subs(kappa, 4), sp.Rational(7, 2), "the threshold for κ = 4")

# %% hidden
k, kappa = sp.symbols("k kappa", positive=True)
expected = (kappa**2 - 1) / ((kappa + k) * (kappa * k + 1))
same_expression(width_slope(k, kappa), expected, "the slope", low=1.1, high=9.0)
for temperature in (0.25, 0.5, 2.0):
    first = float(sp.N(width_threshold(sp.exp(sp.Rational(2) / sp.Rational(temperature)))))
    for count, wider in [(int(np.floor(first)), False), (int(np.floor(first)) + 1, True)]:
        low, high = loss_bounds(temperature, count, 1)
        assert (high - low > 3 / temperature) == wider, f"the threshold is not right at temperature {temperature}"

# %% right: a difference of two simple fractions
def width_slope(k, kappa):
    return kappa / (k * (k + kappa)) - 1 / (k * (kappa * k + 1))

def width_threshold(kappa):
    root = sp.sqrt(kappa)
    return root + 1 + 1 / root

# %% wrong: drops the 1/k of one end
def width_slope(k, kappa):
    return sp.diff(sp.log(kappa + 1 / k) - sp.log(1 / kappa), k)

def width_threshold(kappa):
    return sp.sqrt(kappa) + 1 + 1 / sp.sqrt(kappa)

# %% wrong: the sign of the slope
def width_slope(k, kappa):
    return (1 - kappa**2) / ((kappa + k) * (kappa * k + 1))

def width_threshold(kappa):
    return sp.sqrt(kappa) + 1 + 1 / sp.sqrt(kappa)

# %% wrong: the threshold by its leading term
def width_slope(k, kappa):
    return (kappa**2 - 1) / ((kappa + k) * (kappa * k + 1))

def width_threshold(kappa):
    return sp.sqrt(kappa)

# %% wrong: a threshold that is right for κ = 4 only
def width_slope(k, kappa):
    return (kappa**2 - 1) / ((kappa + k) * (kappa * k + 1))

def width_threshold(kappa):
    return kappa - sp.sqrt(kappa) / 4

# %% exr-01-ntxent · 3 points · 2 points by hand
# %% visible
equal = np.tile([1.0, 0.0], (6, 1))
same_numbers(nt_xent(equal, 0.5), np.full(6, np.log(5)), "the losses if all views are equal")

# %% hidden
for count, dimension, temperature in [(1, 3, 0.5), (2, 2, 0.1), (5, 4, 0.2), (7, 16, 1.5)]:
    views = random_embeddings(np.random.default_rng(count), 2 * count, dimension)
    expected = []
    for i in range(2 * count):
        partner = (i + count) % (2 * count)
        terms = [np.exp(views[i] @ views[j] / temperature) for j in range(2 * count) if j != i]
        expected.append(-np.log(np.exp(views[i] @ views[partner] / temperature) / sum(terms)))
    same_numbers(nt_xent(views, temperature), expected, f"the losses of {2 * count} views")

# %% right: by the library, with a list of negatives for each view
def nt_xent(views, temperature):
    size = len(views)
    if size == 2:
        return np.zeros(2)
    partner = np.roll(np.arange(size), size // 2)
    others = [[v for v in range(size) if v not in (i, partner[i])] for i in range(size)]
    return infonce_loss_from_embeddings(views, views[partner], views[others], temperature, alpha=1)

# %% right: exponentials with the diagonal subtracted
def nt_xent(views, temperature):
    half, table = len(views) // 2, np.exp(pairwise_scores(views) / temperature)
    sums = (table - np.diag(np.diag(table))).sum(axis=1)
    own = np.concatenate([np.diag(table, half), np.diag(table, -half)])
    return (np.log(sums) - np.log(own)).tolist()

# %% wrong: each view stays in its own denominator
def nt_xent(views, temperature):
    size = len(views)
    logits = pairwise_scores(views) / temperature
    return -log_softmax(logits, axis=1)[np.arange(size), np.roll(np.arange(size), size // 2)]

# %% wrong: takes the next row for the other view
def nt_xent(views, temperature):
    size = len(views)
    logits = np.where(np.eye(size, dtype=bool), -np.inf, pairwise_scores(views) / temperature)
    return -log_softmax(logits, axis=1)[np.arange(size), np.arange(size) ^ 1]

# %% wrong: the diagonal has score zero instead of no term
def nt_xent(views, temperature):
    size = len(views)
    logits = pairwise_scores(views) * (1 - np.eye(size)) / temperature
    return -log_softmax(logits, axis=1)[np.arange(size), np.roll(np.arange(size), size // 2)]

# %% wrong: without the temperature
def nt_xent(views, temperature):
    size = len(views)
    logits = np.where(np.eye(size, dtype=bool), -np.inf, pairwise_scores(views))
    return -log_softmax(logits, axis=1)[np.arange(size), np.roll(np.arange(size), size // 2)]

# %% wrong: the mean in place of each loss
def nt_xent(views, temperature):
    size = len(views)
    logits = np.where(np.eye(size, dtype=bool), -np.inf, pairwise_scores(views) / temperature)
    return -log_softmax(logits, axis=1)[np.arange(size), np.roll(np.arange(size), size // 2)].mean()

# %% exr-01-two-logs · 3 points · 2 points by hand
# %% visible
same_numbers(two_logs(0.0, [0.0], [0.0], 0.5), 0.0, "the loss with k = 1 if all scores are zero")
assert len(pull_and_push(0.0, [0.0], [0.0], 0.5)) == 2, "pull_and_push returns two numbers"

# %% hidden
rng = np.random.default_rng(3)
for count, temperature in [(1, 0.5), (6, 0.2), (40, 2.0)]:
    same_numbers(two_logs(0.0, np.zeros(count), np.zeros(count), temperature), 0.0, f"the loss of zero scores, k = {count}")
    positive, first, second = 0.3, rng.uniform(-0.5, 0.5, count), rng.uniform(-0.5, 0.5, count)
    means = np.exp(first / temperature).mean() * np.exp(second / temperature).mean()
    same_numbers(
        two_logs(positive, first, second, temperature), np.log(means) - positive / temperature, f"the loss, k = {count}"
    )
    step = 1e-6
    slopes = [
        (two_logs(positive + step, first, second, temperature) - two_logs(positive - step, first, second, temperature)),
        (two_logs(positive, first + step, second + step, temperature) - two_logs(positive, first - step, second - step, temperature)),
    ]
    same_numbers(
        pull_and_push(positive, first, second, temperature), np.array(slopes) / (2 * step), f"the derivatives, k = {count}", rtol=1e-5
    )

# %% right: two decoupled losses of the library that share the positive, slopes from softmax weights
def two_logs(positive, first, second, temperature):
    k = len(first)
    parts = [infonce_loss(positive, scores, temperature, 0) - np.log(k) for scores in (first, second)]
    return sum(parts) + positive / temperature

def pull_and_push(positive, first, second, temperature):
    weights = [np.exp(log_softmax(np.asarray(scores) / temperature)) for scores in (first, second)]
    return [-1 / temperature, sum(w.sum() for w in weights) / temperature]

# %% wrong: centred as if there were one logarithm
def two_logs(positive, first, second, temperature):
    first, second = np.asarray(first) / temperature, np.asarray(second) / temperature
    logs = np.logaddexp.reduce(first) + np.logaddexp.reduce(second)
    return -positive / temperature + logs - np.log(len(first))

def pull_and_push(positive, first, second, temperature):
    return -1 / temperature, 2 / temperature

# %% wrong: centred with log(2k), which k = 1 shows
def two_logs(positive, first, second, temperature):
    first, second = np.asarray(first) / temperature, np.asarray(second) / temperature
    return -positive / temperature + np.logaddexp.reduce(first) + np.logaddexp.reduce(second) - np.log(2 * len(first))

def pull_and_push(positive, first, second, temperature):
    return -1 / temperature, 2 / temperature

# %% wrong: one logarithm of all scores
def two_logs(positive, first, second, temperature):
    both = np.concatenate([first, second]) / temperature
    return -positive / temperature + np.logaddexp.reduce(both) - np.log(len(both))

def pull_and_push(positive, first, second, temperature):
    return -1 / temperature, 1 / temperature

# %% wrong: repulsion as strong as attraction
def two_logs(positive, first, second, temperature):
    first, second = np.asarray(first) / temperature, np.asarray(second) / temperature
    logs = np.logaddexp.reduce(first) + np.logaddexp.reduce(second)
    return -positive / temperature + logs - 2 * np.log(len(first))

def pull_and_push(positive, first, second, temperature):
    return -1 / temperature, 1 / temperature

# %% exr-01-other-negatives · 3 points · 3 points by hand
# %% visible
pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
target = other_target([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], pair, [0.5, 0.5], 1.0)
same_numbers(target, 0.43378083048, "the limit on two points with ν = π and a kernel that forgets")

# %% hidden
rng = np.random.default_rng(5)
table = pairwise_scores(random_embeddings(rng, 4, 3))
weights, law, kernel = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4), 4)
for negatives, temperature in [(weights, 0.5), (law, 0.5), (law, 0.05), (np.array([0.0, 0.3, 0.3, 0.4]), 0.2), (law, 0.01)]:
    # Monte Carlo's limit, exactly: the law of large numbers for each anchor, mixed over positives.
    expected = 0.0
    for x in range(4):
        partition = sum(float(negatives[y]) * mpmath.exp(float(table[x, y]) / temperature) for y in range(4))
        own = sum(float(kernel[x, y]) * float(table[x, y]) / temperature for y in range(4))
        expected += float(weights[x]) * float(mpmath.log(partition) - own)
    same_numbers(other_target(weights, kernel, table, negatives, temperature), expected, f"the limit at temperature {temperature}")
space = FiniteSpace(weights, kernel)
same_numbers(other_target(weights, kernel, table, weights, 0.5), exact_risk(space, table, 0.5, 10**9), "the limit for ν = π", rtol=1e-6)

# %% right: as a cross-entropy of densities with respect to ν
def other_target(weights, kernel, scores, law, temperature):
    densities = search_density(scores, law, temperature)
    return -np.asarray(weights) @ (np.asarray(kernel) * np.log(densities)).sum(axis=1)

# %% right: loops over anchors and positives
def other_target(weights, kernel, scores, law, temperature):
    total = 0.0
    for x, row in enumerate(scores):
        partition = sum(p * np.exp(s / temperature) for p, s in zip(law, row))
        for y, s in enumerate(row):
            total -= weights[x] * kernel[x][y] * np.log(np.exp(s / temperature) / partition)
    return float(total)

# %% wrong: the target for negatives from π
def other_target(weights, kernel, scores, law, temperature):
    return cross_entropy(FiniteSpace(np.asarray(weights), np.asarray(kernel)), scores, temperature)

# %% wrong: anchors from ν as well
def other_target(weights, kernel, scores, law, temperature):
    densities = search_density(scores, law, temperature)
    return -np.asarray(law) @ (np.asarray(kernel) * np.log(densities)).sum(axis=1)

# %% wrong: masses of the search in place of densities
def other_target(weights, kernel, scores, law, temperature):
    masses = search_kernel(scores, law, temperature)
    return -np.asarray(weights) @ (np.asarray(kernel) * np.log(np.maximum(masses, 1e-300))).sum(axis=1)

# %% wrong: the logarithm of the mean partition function
def other_target(weights, kernel, scores, law, temperature):
    logits = np.asarray(scores) / temperature
    own = np.asarray(weights) @ (np.asarray(kernel) * logits).sum(axis=1)
    return np.log(np.asarray(weights) @ np.exp(logits) @ np.asarray(law)) - own

# %% wrong: positives from ν
def other_target(weights, kernel, scores, law, temperature):
    logits = np.asarray(scores) / temperature
    return np.asarray(weights) @ (np.log(np.exp(logits) @ np.asarray(law)) - logits @ np.asarray(law))
