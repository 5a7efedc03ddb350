"""Checks of the exercises of chapter 9; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-09-certainty · 2 points
# %% visible
same_numbers(cost_of_certainty(0.1, 0.1), [1.0, 1.0], "the factors if δ stays")

# %% hidden
same_numbers(cost_of_certainty(0.05, 5e-6), [2.01848, 4.07425], "the factors of the exercise", rtol=1e-4)
for delta, smaller in [(0.1, 0.01), (0.5, 1e-9)]:
    settings = [TrainingSetting(n, 4, 4, 0.5, 3, 1.0, chance, 1.0) for n, chance in [(10**6, delta), (10**6, smaller)]]
    terms = [generalisation_terms(setting, 1.0).variability for setting in settings]
    factor, more = cost_of_certainty(delta, smaller)
    same_numbers(factor, terms[1] / terms[0], f"the factor of the term from {delta} to {smaller}")
    same_numbers(more, (terms[1] / terms[0]) ** 2, f"the factor of n from {delta} to {smaller}")

# %% right: with logarithms of the inverse, as a list
def cost_of_certainty(delta, smaller):
    more = np.log10(1 / smaller) / np.log10(1 / delta)
    return [more**0.5, more]

# %% wrong: the pair in the other order
def cost_of_certainty(delta, smaller):
    ratio = np.log(smaller) / np.log(delta)
    return ratio, np.sqrt(ratio)

# %% wrong: without the root
def cost_of_certainty(delta, smaller):
    ratio = np.log(smaller) / np.log(delta)
    return ratio, ratio

# %% wrong: without the logarithm
def cost_of_certainty(delta, smaller):
    return np.sqrt(delta / smaller), delta / smaller

# %% wrong: log(2/δ) of a two-sided bound
def cost_of_certainty(delta, smaller):
    ratio = np.log(2 / smaller) / np.log(2 / delta)
    return np.sqrt(ratio), ratio

# %% exr-09-expected · 3 points · 2 points by hand
# %% visible
n, tau, delta = sp.symbols("n tau delta", positive=True)
same_expression(variability(n, tau, delta).subs(delta, 1), 0, "the term for δ = 1")

# %% hidden
n, tau, delta = sp.symbols("n tau delta", positive=True)
same_expression(variability(n, tau, delta), 4 / tau * sp.sqrt(-sp.log(delta) / (2 * n)), "the term")
for temperature, chance in [(sp.Rational(1, 2), sp.Rational(1, 20)), (sp.Integer(2), sp.Rational(1, 100))]:
    setting = TrainingSetting(1000, 4, 4, float(temperature), 3, 1.0, float(chance), 1.0)
    value = float(sp.N(variability(n, tau, delta).subs({n: 1000, tau: temperature, delta: chance})))
    same_numbers(3 * value, generalisation_terms(setting, 1.0).variability, "three times the term, that of the theorem")

# %% right: typed, with the logarithm in another place
def variability(n, temperature, delta):
    return sp.sqrt(8 * sp.log(delta**-1) / n) / temperature

# %% wrong: the constant of the theorem
def variability(n, temperature, delta):
    return 12 / temperature * sp.sqrt(sp.log(1 / delta) / (2 * n))

# %% wrong: the range 2/τ of the scores
def variability(n, temperature, delta):
    return 2 / temperature * sp.sqrt(sp.log(1 / delta) / (2 * n))

# %% wrong: Hoeffding's 2 on the wrong side
def variability(n, temperature, delta):
    return 4 / temperature * sp.sqrt(2 * sp.log(1 / delta) / n)

# %% wrong: a two-sided bound
def variability(n, temperature, delta):
    return 4 / temperature * sp.sqrt(sp.log(2 / delta) / (2 * n))

# %% exr-09-enough · 3 points
# %% visible
same_numbers(negatives_needed(0.5, 10**6, 1000, False), 16, "k at temperature 0.5 with the bias of the theorem")

# %% hidden
cases = [(0.1, 10**6, 1000), (0.2, 10**6, 1000), (0.5, 10**6, 1000), (0.2, 10**8, 500), (0.5, 10**5, 50), (1.0, 10**9, 10**6)]
for temperature, n, searched in cases:
    for sharper, compute in ((False, generalisation_terms), (True, sharper_terms)):
        enough = []
        for power in range(30):
            setting = TrainingSetting(n, 2**power, searched, temperature, 1024, 3.0, 0.01, 9.0)
            width = np.log1p(2**power * np.exp(2 / temperature)) - np.log1p(2**power * np.exp(-2 / temperature))
            variability = (2 * width if sharper else 12 / temperature) * np.sqrt(np.log(100) / (2 * n))
            complexity = 2 * np.sqrt(np.pi / 2) * 4 / temperature * 3.0 * np.sqrt(1024 / n)
            enough.append(compute(setting, 4 / temperature).bias < variability + complexity)
        expected = 2 ** enough.index(True) if any(enough) else None
        found = negatives_needed(temperature, n, searched, sharper)
        assert found == expected, f"k is {found} at temperature {temperature}, n = {n}, k' = {searched}, sharper={sharper}"

# %% right: a list of powers that are enough
def negatives_needed(temperature, num_tuples, searched, sharper):
    setting = TrainingSetting(num_tuples, 1, searched, temperature, 1024, 3.0, 0.01, 9.0)
    enough = []
    for k in 1 << np.arange(30):
        terms = (generalisation_terms, sharper_terms)[sharper](replace(setting, k=int(k)), 4 / temperature)
        if terms.total > 2 * terms.bias:
            enough.append(int(k))
    return min(enough, default=None)

# %% wrong: the bias below the complexity alone times two
def negatives_needed(temperature, num_tuples, searched, sharper):
    compute = sharper_terms if sharper else generalisation_terms
    for k in (2**power for power in range(30)):
        terms = compute(TrainingSetting(num_tuples, k, searched, temperature, 1024, 3.0, 0.01, 9.0), 4 / temperature)
        if terms.bias < 2 * terms.complexity:
            return k

# %% wrong: the sharper bias is ignored
def negatives_needed(temperature, num_tuples, searched, sharper):
    for k in (2**power for power in range(30)):
        terms = generalisation_terms(TrainingSetting(num_tuples, k, searched, temperature, 1024, 3.0, 0.01, 9.0), 4 / temperature)
        if terms.bias < terms.variability + terms.complexity:
            return k

# %% wrong: the last power that is not enough
def negatives_needed(temperature, num_tuples, searched, sharper):
    compute = sharper_terms if sharper else generalisation_terms
    for k in (2**power for power in range(1, 30)):
        terms = compute(TrainingSetting(num_tuples, k, searched, temperature, 1024, 3.0, 0.01, 9.0), 4 / temperature)
        if terms.bias < terms.variability + terms.complexity:
            return k // 2

# %% wrong: as many points to search as negatives
def negatives_needed(temperature, num_tuples, searched, sharper):
    compute = sharper_terms if sharper else generalisation_terms
    for k in (2**power for power in range(30)):
        terms = compute(TrainingSetting(num_tuples, k, k, temperature, 1024, 3.0, 0.01, 9.0), 4 / temperature)
        if terms.bias < terms.variability + terms.complexity:
            return k

# %% exr-09-erm · 6 points by hand

# %% exr-09-shared · 3 points · 2 points by hand
# %% visible
ratio = float(variance_ratio(1, 2, 0.5, 50, 0))
assert 0.2 < ratio < 5, f"the ratio is {ratio} for n = 1, where both ways are one"

# %% hidden
ring, single = ring_space(12), circle_embeddings(ring_angles(12), np.zeros(12), [0.0])
for n, k, temperature in [(48, 8, 0.5), (48, 2, 0.5), (128, 8, 1.0)]:
    # Two anchors that share their negatives: the correlation of their losses gives the ratio.
    rng = np.random.default_rng(11)
    x, y, z = ring.sample(rng, 60000, k)
    other, mate, _ = ring.sample(rng, 60000, k)
    pairs = [loss_table(single, anchors, positives, z, temperature)[:, 0] for anchors, positives in ((x, y), (other, mate))]
    expected = 1 + (n - 1) * np.corrcoef(pairs)[0, 1]
    found = float(variance_ratio(n, k, temperature, 800, 1))
    assert 0.7 * expected < found < 1.4 * expected, f"the ratio is {found:.2f} for n = {n}, k = {k}, temperature {temperature}"

# %% right: all batches at once
def variance_ratio(n, k, temperature, batches, seed):
    rng, ring = np.random.default_rng(seed), ring_space(12)
    single = circle_embeddings(ring_angles(12), np.zeros(12), [0.0])
    found = []
    for common in (True, False):
        x, y, z = ring.sample(rng, batches * n, k)
        drawn = np.repeat(z[::n], n, axis=0) if common else z
        losses = loss_table(single, x, y, drawn, temperature).reshape(batches, n)
        found.append(losses.mean(axis=1).var())
    return found[0] / found[1]

# %% wrong: the ratio upside down
def variance_ratio(n, k, temperature, batches, seed):
    rng, ring = np.random.default_rng(seed), ring_space(12)
    single = circle_embeddings(ring_angles(12), np.zeros(12), [0.0])
    x, y, z = ring.sample(rng, batches * n, k)
    tables = [loss_table(single, x, y, drawn, temperature).reshape(batches, n) for drawn in (z, np.repeat(z[::n], n, axis=0))]
    return tables[0].mean(axis=1).var() / tables[1].mean(axis=1).var()

# %% wrong: one set of negatives for all batches
def variance_ratio(n, k, temperature, batches, seed):
    rng, ring = np.random.default_rng(seed), ring_space(12)
    single = circle_embeddings(ring_angles(12), np.zeros(12), [0.0])
    x, y, z = ring.sample(rng, batches * n, k)
    tables = [loss_table(single, x, y, drawn, temperature).reshape(batches, n) for drawn in (np.tile(z[:1], (len(z), 1)), z)]
    return tables[0].mean(axis=1).var() / tables[1].mean(axis=1).var()

# %% wrong: the variance of single losses
def variance_ratio(n, k, temperature, batches, seed):
    rng, ring = np.random.default_rng(seed), ring_space(12)
    single = circle_embeddings(ring_angles(12), np.zeros(12), [0.0])
    x, y, z = ring.sample(rng, batches * n, k)
    tables = [loss_table(single, x, y, drawn, temperature) for drawn in (np.repeat(z[::n], n, axis=0), z)]
    return tables[0].var() / tables[1].var()

# %% wrong: anchors and positives shared as well
def variance_ratio(n, k, temperature, batches, seed):
    rng, ring = np.random.default_rng(seed), ring_space(12)
    single = circle_embeddings(ring_angles(12), np.zeros(12), [0.0])
    x, y, z = ring.sample(rng, batches * n, k)
    same = [np.repeat(part[::n], n, axis=0) for part in (x, y, z)]
    tables = [loss_table(single, *parts, temperature).reshape(batches, n) for parts in (same, (x, y, z))]
    return tables[0].mean(axis=1).var() / tables[1].mean(axis=1).var()
