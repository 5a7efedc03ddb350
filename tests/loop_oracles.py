"""Brute-force oracles: plain loops over indices with the mathematics of one number at a time.

Each takes the arguments of a public function by name and returns what it must return. Nothing here broadcasts.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def log_sum(values: list[float]) -> float:
    return math.log(math.fsum(math.exp(value) for value in values))


def dot(x: np.ndarray, y: np.ndarray) -> float:
    return math.fsum(float(a) * float(b) for a, b in zip(x, y, strict=True))


def over(lead: tuple[int, ...], function: Callable[[tuple[int, ...]], Any]) -> np.ndarray:
    """Array of a function of each index of the leading axes."""
    cells = [np.asarray(function(index)) for index in np.ndindex(*lead)]
    return np.array(cells).reshape(lead + cells[0].shape)


def loss(own: float, others: list[float], temperature: float, alpha: int) -> float:
    return math.log(alpha + math.fsum(math.exp((score - own) / temperature) for score in others))


def weights(own: float, others: list[float], temperature: float, alpha: int) -> list[float]:
    whole = math.exp(loss(own, others, temperature, alpha))
    return [math.exp((score - own) / temperature) / whole for score in others]


def infonce_loss(positive_scores, negative_scores, temperature, alpha):
    own, others = np.asarray(positive_scores), np.asarray(negative_scores)
    return over(own.shape, lambda i: loss(own[i], list(others[i]), temperature, alpha))


def softmax_weights(positive_scores, negative_scores, temperature, alpha):
    own, others = np.asarray(positive_scores), np.asarray(negative_scores)
    return over(own.shape, lambda i: weights(own[i], list(others[i]), temperature, alpha))


def of_anchor(negatives: np.ndarray, i: int) -> np.ndarray:
    return negatives if negatives.ndim == 2 else negatives[i]


def infonce_loss_from_embeddings(anchors, positives, negatives, temperature, alpha, chunk_bytes):
    rows = [[dot(x, z) for z in of_anchor(negatives, i)] for i, x in enumerate(anchors)]
    return [loss(dot(x, y), row, temperature, alpha) for x, y, row in zip(anchors, positives, rows)]


def loss_gradient(anchors, positives, negatives, temperature, alpha, chunk_bytes):
    losses = infonce_loss_from_embeddings(anchors, positives, negatives, temperature, alpha, chunk_bytes)
    by_x, by_y, by_z = np.zeros(anchors.shape), np.zeros(positives.shape), np.zeros(negatives.shape)
    for i, (x, y) in enumerate(zip(anchors, positives)):
        points = of_anchor(negatives, i)
        for j, w in enumerate(weights(dot(x, y), [dot(x, z) for z in points], temperature, alpha)):
            share = w / (len(anchors) * temperature)
            by_x[i] += share * (points[j] - y)
            by_y[i] -= share * x
            of_anchor(by_z, i)[j] += share * x
    return losses, by_x, by_y, by_z


def directional_derivative(anchors, positives, negatives, directions, temperature, alpha, chunk_bytes):
    _, by_x, by_y, by_z = loss_gradient(anchors, positives, negatives, temperature, alpha, chunk_bytes)
    h_x, h_y, h_z = directions
    n = len(anchors)  # each loss alone: n times the gradient of the mean
    return [
        n * (dot(by_x[i], h_x[i]) + dot(by_y[i], h_y[i]) + sum(dot(a, b) for a, b in zip(by_z[i], h_z[i]))) for i in range(n)
    ]


def pairs(first: np.ndarray, second: np.ndarray) -> Iterator[tuple[float, float]]:
    return ((float(p), float(q)) for p, q in zip(first, second, strict=True))


def by_pair(function: Callable[[list[tuple[float, float]]], float]) -> Callable:
    return lambda first, second: over(first.shape[:-1], lambda i: function(list(pairs(first[i], second[i]))))


def ratios(rows: list[tuple[float, float]]) -> list[float]:
    return [math.log(p / q) for p, q in rows if p > 0.0]


def pairwise_scores(embeddings, others):
    return [[dot(x, y) for y in others] for x in embeddings]


def unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector) / math.sqrt(dot(vector, vector))


def circle_embeddings(base_angles, rates, parameters):
    def point(i, theta):
        angle = base_angles[i] + theta * rates[i]
        return [math.cos(angle), math.sin(angle)]

    return over(np.shape(parameters), lambda t: [point(i, np.asarray(parameters)[t]) for i in range(len(rates))])


def linear_embeddings(points, weights, offset):
    return over(weights.shape[:-2], lambda t: [unit([*(dot(w, x) for w in weights[t]), offset]) for x in points])


def tanh_embeddings(points, hidden_weights, output_weights, offset):
    def embedded(t, x):
        hidden = np.array([math.tanh(dot(w, x)) for w in hidden_weights[t]])
        return unit([*(dot(w, hidden) for w in output_weights[t]), offset])

    return over(hidden_weights.shape[:-2], lambda t: [embedded(t, x) for x in points])


def empirical_cross_entropy(scores, densities, temperature):
    def one(i):
        total = log_sum([s / temperature for s in scores[i]])
        mass = math.fsum(densities[i])
        logs = [math.log(len(scores[i])) + s / temperature - total for s in scores[i]]
        return -math.fsum(m / mass * log for m, log in zip(densities[i], logs))

    return over(scores.shape[:-1], one)


def log_partition(scores, weights, temperature):
    return over(
        scores.shape[:-1],
        lambda i: math.log(math.fsum(p * math.exp(s / temperature) for s, p in zip(scores[i], weights, strict=True))),
    )


def log_search_density(scores, weights, temperature):
    partition = log_partition(scores, weights, temperature)
    return over(scores.shape[:-1], lambda i: [s / temperature - partition[i] for s in scores[i]])


def search_density(scores, weights, temperature):
    return np.exp(log_search_density(scores, weights, temperature))


def search_kernel(scores, weights, temperature):
    return search_density(scores, weights, temperature) * weights


def tuples(law: np.ndarray, k: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Every way to draw k points, with its probability."""
    for drawn in itertools.product(range(len(law)), repeat=k):
        yield math.prod(float(law[j]) for j in drawn), drawn


def exact_excess_by_anchor(densities, weights, positives, k, alpha):
    def one(i):
        q = densities[i]
        return math.fsum(
            chance * p * math.log((sum(q[j] for j in drawn) + alpha * q[y]) / k)
            for chance, drawn in tuples(weights, k)
            for y, p in enumerate(positives[i])
            if chance * p > 0.0
        )

    return over(densities.shape[:-1], one)


def exact_gap(densities, weights, k):
    return -exact_excess_by_anchor(densities, weights, np.broadcast_to(weights, densities.shape), k, 0)


def exact_excess(space, scores, temperature, k, alpha):
    densities = search_density(scores, space.weights, temperature)
    return dot(space.weights, exact_excess_by_anchor(densities, space.weights, space.kernel, k, alpha))


def cross_entropy(space, scores, temperature):
    logs = log_search_density(scores, space.weights, temperature)
    return -math.fsum(p * dot(row, log) for p, row, log in zip(space.weights, space.kernel, logs))


def exact_risk(space, scores, temperature, k, alpha):
    return cross_entropy(space, scores, temperature) + exact_excess(space, scores, temperature, k, alpha)


def search_cross_entropy(space, scores, temperature, k):
    total = 0.0
    for x, anchor in enumerate(space.weights):
        for chance, drawn in tuples(space.weights, k):
            if anchor * chance > 0.0:
                found = np.array([scores[x, j] for j in drawn])
                masses = np.array([space.density[x, j] for j in drawn])
                masses = masses if masses.any() else np.ones(k)
                total += anchor * chance * float(empirical_cross_entropy(found, masses, temperature))
    return total


def continuity_bound(anchor_norms, positive_norms, negative_norms, temperature, functional, alpha, on_sphere):
    own, positive, negatives = map(np.asarray, (anchor_norms, positive_norms, negative_norms))

    def one(i):
        k, kappa = negatives.shape[-1], math.exp(2.0 / temperature)
        mean = math.fsum(negatives[i]) / k * (k * kappa / (kappa + k - 1))  # the functional of the fuzz is B_avg
        gain = math.sqrt(1.0 - own[i] ** 2 / 4.0) if on_sphere else 1.0
        share = k * kappa / (1.0 + k * kappa) if alpha else 1.0
        return share / temperature * (2.0 * own[i] + gain * (positive[i] + mean))

    return over(own.shape, one)


def root_mean_square_slope(anchor_moduli, positive_moduli, negative_moduli, temperature, functional, alpha):
    slopes = continuity_bound(anchor_moduli, positive_moduli, negative_moduli, temperature, functional, alpha, False)
    return math.sqrt(math.fsum(slope**2 for slope in slopes) / len(slopes))


def exponential_functional(norms, temperature, inverse_temperature):
    level = 1.0 / temperature
    divergence = level / math.tanh(level) - 1.0 + math.log(math.sinh(level) / level)

    def one(i):
        beta = inverse_temperature[i]
        return (log_sum([beta * a for a in norms[i]]) - math.log(len(norms[i])) + divergence) / beta

    return over(norms.shape[:-1], one)


def tangent_part(vectors, embeddings):
    return over(vectors.shape[:-1], lambda i: vectors[i] - dot(vectors[i], embeddings[i]) * embeddings[i])


def loss_table(embeddings, anchors, positives, negatives, temperature, alpha):
    def one(i, t):
        phi = embeddings[t]
        own = dot(phi[anchors[i]], phi[positives[i]])
        return loss(own, [dot(phi[anchors[i]], phi[j]) for j in negatives[i]], temperature, alpha)

    return [[one(i, t) for t in range(len(embeddings))] for i in range(len(anchors))]


def expansion_coefficients(densities, weights):
    def one(i):
        second, third, fourth = (
            math.fsum(p * (q - 1.0) ** power for q, p in zip(densities[i], weights)) for power in (2, 3, 4)
        )
        last = fourth / 4 - 0.75 * second**2 - 2 * second * third + 2.5 * second**3
        return [second / 2, 0.75 * second**2 - third / 3, last]

    return tuple(np.moveaxis(over(densities.shape[:-1], one), -1, 0))


def half_ranges(signs, losses):
    columns = range(losses.shape[1])
    sums = [[dot(row, losses[:, t]) / len(losses) for t in columns] for row in signs]
    return [(max(row) - min(row)) / 2.0 for row in sums]


def rademacher_interval(losses, moduli, covering_radius):
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=len(losses))))
    sups = [max(dot(row, losses[:, t]) for t in range(losses.shape[1])) / len(losses) for row in signs]
    low = math.fsum(sups) / len(sups)
    return low, low + covering_radius * math.fsum(moduli) / len(moduli)


def cosine_scores(queries, gallery):
    return [[dot(unit(x), unit(y)) for y in gallery] for x in queries]


def hits(scores, relevant, depth):
    found = [sorted(range(len(row)), key=lambda j: -row[j])[:depth] for row in scores]
    return [any(relevant[i][j] for j in row) for i, row in enumerate(found)]


def image_hits(queries, gallery, depth):
    return hits(cosine_scores(queries, gallery), np.eye(len(queries), dtype=bool), depth)


def label_hits(queries, gallery, labels, depth):
    scores = cosine_scores(queries, gallery)
    same = [[labels[i] == labels[j] and i != j for j in range(len(labels))] for i in range(len(labels))]
    scores = [[-2.0 if i == j else score for j, score in enumerate(row)] for i, row in enumerate(scores)]
    return hits(scores, same, depth)


def augment(images, matrices):
    return [[dot(row, image) for row in matrix] for image in images for matrix in matrices]


def image_density(self, anchors, points):
    first, second = np.asarray(anchors), np.asarray(points)
    g = self.num_augmentations
    return over(first.shape, lambda i: self.num_images if first[i] // g == second[i] // g else 0.0)


def cross_entropy_gradient(space, embeddings, temperature):
    search = search_kernel(np.array(pairwise_scores(embeddings, embeddings)), space.weights, temperature)
    result = np.zeros(embeddings.shape)
    for x, y in itertools.product(range(space.size), repeat=2):
        excess = space.weights[x] * (search[x, y] - space.kernel[x, y]) / temperature
        result[x] += excess * embeddings[y]
        result[y] += excess * embeddings[x]
    return result


def first_order_coefficient(space, scores, temperature, alpha):
    q = search_density(scores, space.weights, temperature)
    return math.fsum(
        px * (alpha * space.kernel[x, y] * q[x, y] - 0.5 * py * (q[x, y] - 1.0) ** 2)
        for x, px in enumerate(space.weights)
        for y, py in enumerate(space.weights)
    )


def first_order_search_coefficient(space, scores, temperature):
    total = first_order_coefficient(space, scores, temperature, 0)
    for x, y in itertools.product(range(space.size), repeat=2):
        offset = scores[x, y] - dot(space.kernel[x], scores[x])
        total += space.weights[x] * space.kernel[x, y] * space.density[x, y] * offset / temperature
    return total


def embed(points, parameters, offset):
    return (linear_embeddings if len(parameters) == 1 else tanh_embeddings)(points, *parameters, offset)


def pull_back(points, parameters, gradients, offset):
    """Central differences of Σ ⟨gradients, embedding⟩ in every entry of every matrix."""
    step, result = 1e-5, [np.zeros(matrix.shape) for matrix in parameters]
    for part, matrix in enumerate(parameters):
        for index in np.ndindex(*matrix.shape):
            sides = []
            for sign in (1.0, -1.0):
                moved = [m.copy() for m in parameters]
                moved[part][index] += sign * step
                sides.append(sum(dot(g, v) for g, v in zip(gradients, np.asarray(embed(points, moved, offset)))))
            result[part][index] = (sides[0] - sides[1]) / (2.0 * step)
    return tuple(result)


def extrapolate(**risks: np.ndarray) -> np.ndarray:
    parts = [np.asarray(risk) for risk in risks.values()]
    rule = {2: lambda a, b: 2.0 * b - a, 3: lambda a, b, c: (8.0 * c - 6.0 * b + a) / 3.0}[len(parts)]
    return over(parts[0].shape, lambda i: rule(*(float(part[i]) for part in parts)))


def batch_gradient(points, tuples, parameters, offset, temperature, alpha, extrapolated):
    def losses(at):
        vectors = np.asarray(embed(points, at, offset))
        x, y, z = (vectors[part] for part in tuples)
        k = z.shape[1]
        found = [
            np.array(infonce_loss_from_embeddings(x, y, part, temperature, alpha, 8)) - math.log(part.shape[1])
            for part in (z, z[:, : k // 2], z[:, k // 2 :])
        ]
        return 2.0 * found[0] - 0.5 * (found[1] + found[2]) if extrapolated else found[0]

    step, slopes = 1e-5, [np.zeros(matrix.shape) for matrix in parameters]
    for part, matrix in enumerate(parameters):
        for index in np.ndindex(*matrix.shape):
            moved = [[m.copy() for m in parameters] for _ in range(2)]
            moved[0][part][index] += step
            moved[1][part][index] -= step
            slopes[part][index] = (losses(moved[0]).mean() - losses(moved[1]).mean()) / (2.0 * step)
    return losses(parameters), tuple(slopes)
