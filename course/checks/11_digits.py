"""Checks of the exercises of chapter 11; CONTRIBUTING.md describes the format."""

import sympy as sp

from infonce_theory.answers import same_expression, same_numbers

# %% exr-11-floor · 2 points · 1 point by hand
# %% visible
same_numbers(target_floor(0.5, 900), -4.0, "the floor at temperature 0.5")

# %% hidden
for count in (2, 100, 900):
    change = floor_temperature(count)
    same_numbers(-2 / change, -np.log(count), f"both bounds at this temperature for {count} images")
    same_numbers(target_floor(1.1 * change, count), -2 / (1.1 * change), f"the floor above it for {count} images")
    same_numbers(target_floor(0.9 * change, count), -np.log(count), f"the floor below it for {count} images")

# %% right: by cases
def target_floor(temperature, num_images):
    return -2 / temperature if num_images > np.exp(2 / temperature) else np.log(1 / num_images)

def floor_temperature(num_images):
    return 1 / np.log(num_images**0.5)

# %% wrong: the weaker of the two
def target_floor(temperature, num_images):
    return min(-2 / temperature, -np.log(num_images))

def floor_temperature(num_images):
    return 2 / np.log(num_images)

# %% wrong: only the temperature
def target_floor(temperature, num_images):
    return -2 / temperature

def floor_temperature(num_images):
    return 2 / np.log(num_images)

# %% wrong: scores from 0 to 1
def target_floor(temperature, num_images):
    return max(-1 / temperature, -np.log(num_images))

def floor_temperature(num_images):
    return 1 / np.log(num_images)

# %% exr-11-pull-back · 3 points
# %% visible
g, u, r = sp.symbols("g1:4", real=True), sp.symbols("u1 u2", real=True), sp.symbols("r", positive=True)
found = pull_back(list(g), list(u), r)
assert len(found) == 2, f"{len(found)} derivatives; expected one for each entry of u"
origin = {u[0]: 0, u[1]: 0}
same_expression(sp.sympify(found[0]).subs(origin), g[0] / r, "the derivative in u_1 at u = 0")

# %% hidden
for size in (1, 2, 3):
    g, u = sp.symbols(f"g1:{size + 2}", real=True), sp.symbols(f"u1:{size + 1}", real=True)
    length = sp.sqrt(sum(entry**2 for entry in u) + r**2)
    along = (sum(a * b for a, b in zip(g, u)) + g[-1] * r) / length
    found = list(pull_back(list(g), list(u), r))
    for place in range(size):
        expected = (g[place] - along * u[place] / length) / length
        same_expression(found[place], expected, f"the derivative in u_{place + 1}, {size} entries", low=-2, high=2)

# %% right: by the formula, as a matrix
def pull_back(g, u, r):
    import sympy as sp

    v, g = sp.Matrix([*u, r]), sp.Matrix(g)
    phi = v / v.norm()
    return ((g - g.dot(phi) * phi) / v.norm())[: len(u), 0]

# %% wrong: forgets the normalisation
def pull_back(g, u, r):
    return list(g[: len(u)])

# %% wrong: divides by the norm, but does not project
def pull_back(g, u, r):
    import sympy as sp

    return [entry / sp.sqrt(sum(x**2 for x in u) + r**2) for entry in g[: len(u)]]

# %% wrong: projects, but does not divide
def pull_back(g, u, r):
    import sympy as sp

    v, g = sp.Matrix([*u, r]), sp.Matrix(g)
    return list((g - g.dot(v) * v / v.dot(v))[: len(u), 0])

# %% wrong: the constant coordinate is left out of the norm
def pull_back(g, u, r):
    import sympy as sp

    length = sp.sqrt(sum(x**2 for x in u))
    value = (sum(a * b for a, b in zip(g, u)) + g[-1] * r) / length
    return [sp.diff(value, x) for x in u]

# %% exr-11-whitening · 3 points · 1 point by hand
# %% visible
reference = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
found = np.asarray(whitened(reference, reference, 1))
same_numbers(np.abs(found), [[np.sqrt(2)], [np.sqrt(2)], [0.0], [0.0]], "the sizes of the first component")

# %% hidden
rng = np.random.default_rng(4)
for rows, columns, count in [(50, 6, 3), (200, 10, 10), (30, 4, 1)]:
    reference = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns))
    reference -= reference.mean(axis=0)
    points = rng.normal(size=(7, columns))
    values, vectors = np.linalg.eigh(reference.T @ reference / rows)
    order = np.argsort(values)[::-1][:count]
    expected = (points @ vectors[:, order]) / np.sqrt(values[order])
    found = np.asarray(whitened(points, reference, count))
    assert found.shape == expected.shape, f"the shape is {found.shape}; expected {expected.shape}"
    same_numbers(np.abs(found), np.abs(expected), f"the sizes of {count} components", rtol=1e-6)
    same_numbers(found @ found.T, expected @ expected.T, f"the inner products of points with {count} components", rtol=1e-6)

# %% right: from the singular values
def whitened(points, reference, count):
    _, sizes, axes = np.linalg.svd(np.asarray(reference), full_matrices=False)
    return (np.asarray(points) @ axes[:count].T) * (np.sqrt(len(reference)) / sizes[:count])

# %% right: by eigenvectors of the covariance
def whitened(points, reference, count):
    values, vectors = np.linalg.eigh(np.cov(np.asarray(reference).T, bias=True))
    return np.asarray(points) @ vectors[:, ::-1][:, :count] / np.sqrt(values[::-1][:count])

# %% wrong: components that are not scaled
def whitened(points, reference, count):
    axes = np.linalg.svd(reference, full_matrices=False)[2][:count]
    return points @ axes.T

# %% wrong: scaled by the spread of the points themselves
def whitened(points, reference, count):
    axes = np.linalg.svd(reference, full_matrices=False)[2][:count]
    found = points @ axes.T
    return found / found.std(axis=0)

# %% wrong: the axes of the points
def whitened(points, reference, count):
    axes = np.linalg.svd(points, full_matrices=False)[2][:count]
    return points @ axes.T / (reference @ axes.T).std(axis=0)

# %% wrong: the last components
def whitened(points, reference, count):
    axes = np.linalg.svd(reference, full_matrices=False)[2][-count:]
    return points @ axes.T / (reference @ axes.T).std(axis=0)

# %% wrong: divided by the variance
def whitened(points, reference, count):
    axes = np.linalg.svd(reference, full_matrices=False)[2][:count]
    return points @ axes.T / (reference @ axes.T).var(axis=0)

# %% exr-11-labels · 2 points · 3 points by hand
# %% visible
same_numbers(label_kernel(np.repeat(np.arange(10), 3)), [np.log(10), 9.0], "the pair for ten equal classes")

# %% hidden
rng = np.random.default_rng(6)
for labels in ([5, 5, 5], [1, 2, 2, 2, 9], rng.integers(0, 4, 30).tolist(), list(range(6))):
    law = AugmentedImages(len(labels), 2)
    same = np.array([[one == other for other in labels] for one in labels], dtype=float)
    kernel = np.kron(same / same.sum(axis=1, keepdims=True), np.full((2, 2), 0.5))
    density = kernel * law.size
    divergence = np.mean(np.sum(kernel * np.log(np.where(kernel > 0, density, 1.0)), axis=1))
    peak = np.mean(np.sum(kernel * np.maximum(density - 1, 0), axis=1))
    same_numbers(label_kernel(labels), [divergence, peak], f"the pair for the labels {labels[:5]}")

# %% right: by a mean over images
def label_kernel(labels):
    labels = list(labels)
    densities = np.array([len(labels) / labels.count(label) for label in labels])
    return [np.log(densities).mean(), (densities - 1).mean()]

# %% wrong: classes taken as equal
def label_kernel(labels):
    count = len(set(np.asarray(labels).tolist()))
    return np.log(count), count - 1

# %% wrong: one too many
def label_kernel(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return -np.sum(shares * np.log(shares)), len(shares)

# %% wrong: the kernel that knows the image
def label_kernel(labels):
    return np.log(len(labels)), len(labels) - 1

# %% wrong: the labels themselves counted as classes up to the largest
def label_kernel(labels):
    shares = np.bincount(labels) / len(labels)
    return -np.sum(shares[shares > 0] * np.log(shares[shares > 0])), max(labels)
