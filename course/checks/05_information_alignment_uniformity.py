"""Checks of the exercises of chapter 5; CONTRIBUTING.md describes the format."""

from infonce_theory.answers import same_expression, same_numbers

# %% exr-05-forget · 2 points
# %% visible
information, bound = forgetful(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
same_numbers([information, bound], [0.0, 0.0], "the pair when both laws are equal")

# %% hidden
weights, target = np.array([0.2, 0.3, 0.5]), np.array([0.0, 0.6, 0.4])
information, bound = forgetful(weights, target)
same_numbers(information, 0.0, "the mutual information")
same_numbers(bound, -(0.6 * np.log(2.0) + 0.4 * np.log(0.8)), "the lower bound")

# %% right: by a sum over the points with mass
def forgetful(weights, target):
    found = 0.0
    for p, q in zip(weights, target):
        found -= q * np.log(q / p) if q > 0 else 0.0
    return [0, found]

# %% wrong: the sign of the divergence
def forgetful(weights, target):
    return 0.0, kullback_leibler(target, weights)

# %% wrong: the divergence the other way round
def forgetful(weights, target):
    return 0.0, -kullback_leibler(weights, target)

# %% wrong: takes the divergence for mutual information
def forgetful(weights, target):
    return kullback_leibler(target, weights), -kullback_leibler(target, weights)

# %% wrong: the bound for positives that follow the data law
def forgetful(weights, target):
    return 0.0, 0.0

# %% wrong: not a number where the target has no mass
def forgetful(weights, target):
    with np.errstate(all="ignore"):
        return 0.0, -np.sum(target * np.log(target / weights))

# %% exr-05-chain · 4 points
# %% visible
rho, beta = sp.symbols("rho beta", real=True)
information, shift = divergence_terms(rho, beta)
same_expression(information.subs(rho, 0), 0, "the information when X⁺ does not depend on X")
same_expression(shift.subs(beta, 0), 0, "the divergence of the laws without a shift")

# %% hidden
rho, beta = sp.symbols("rho beta", real=True)
information, shift = divergence_terms(rho, beta)
same_expression(information, -sp.log(1 - rho**2) / 2, "the mutual information", low=-0.9, high=0.9)
same_expression(shift, beta**2 / 2, "the divergence of the laws", low=-0.9, high=0.9)

# %% right: from the entropies of Gaussians, as a list
def divergence_terms(rho, beta):
    noise = sp.log(2 * sp.pi * sp.E * (1 - rho**2)) / 2
    return [sp.log(2 * sp.pi * sp.E) / 2 - noise, beta * beta / sp.Integer(2)]

# %% right: the logarithm split in two
def divergence_terms(rho, beta):
    return -(sp.log(1 - rho) + sp.log(1 + rho)) / 2, sp.Rational(1, 2) * beta**2

# %% wrong: the standard deviation for the variance
def divergence_terms(rho, beta):
    return -sp.log(1 - rho**2), beta**2 / 2

# %% wrong: the correlation for its square
def divergence_terms(rho, beta):
    return -sp.log(1 - rho) / 2, beta**2 / 2

# %% wrong: counts the shift as information
def divergence_terms(rho, beta):
    return beta**2 / 2 - sp.log(1 - rho**2) / 2, beta**2 / 2

# %% wrong: divides the shift by the variance of the noise
def divergence_terms(rho, beta):
    return -sp.log(1 - rho**2) / 2, beta**2 / (2 * (1 - rho**2))

# %% wrong: bits, not nats
def divergence_terms(rho, beta):
    return -sp.log(1 - rho**2) / 2 / sp.log(2), beta**2 / 2 / sp.log(2)

# %% exr-05-bits · 3 points
# %% visible
same_numbers(negatives_needed(10.0), 1024, "k for concentration 10")

# %% hidden
same_numbers(negatives_needed(20.0), 4096, "k for concentration 20")
same_numbers(negatives_needed(80.0), 131072, "k for concentration 80")
same_numbers(negatives_needed(5.0, 3), 256, "k for concentration 5 in three dimensions")

# %% right: searches the exponent, with the divergence from the mean cosine
def negatives_needed(concentration, dimension=8):
    c, (nodes, law) = concentration, von_mises_fisher.concentrated_rule(2.5 * concentration, dimension)
    density = np.exp(c * nodes - von_mises_fisher.log_partition(c, dimension))
    target = c * von_mises_fisher.mean_cosine(c, dimension) - von_mises_fisher.log_partition(c, dimension)
    for power in range(40):
        excess = exact_excess_by_anchor(density, law, law * density / (law @ density), 2**power)
        if np.log1p(2.0**-power) - excess + target >= 0.99 * target:
            return 2**power

# %% wrong: the last power of two that is not enough
def negatives_needed(concentration, dimension=8):
    nodes, weights = von_mises_fisher.concentrated_rule(2 * concentration, dimension)
    density = np.exp(concentration * nodes - von_mises_fisher.log_partition(concentration, dimension))
    truth = -von_mises_fisher.cross_entropy(1 / concentration, concentration, dimension)
    positives, k = weights * density / (weights @ density), 1
    while exact_excess_by_anchor(density, weights, positives, k) - np.log1p(1 / k) > 0.01 * truth:
        k *= 2
    return k // 2

# %% wrong: one hundredth of a nat in place of one per cent
def negatives_needed(concentration, dimension=8):
    nodes, weights = von_mises_fisher.concentrated_rule(2 * concentration, dimension)
    density = np.exp(concentration * nodes - von_mises_fisher.log_partition(concentration, dimension))
    positives, k = weights * density / (weights @ density), 1
    while exact_excess_by_anchor(density, weights, positives, k) - np.log1p(1 / k) > 0.01:
        k *= 2
    return k

# %% wrong: waits until the ceiling log(k + 1) is above the information, no longer
def negatives_needed(concentration, dimension=8):
    truth, k = -von_mises_fisher.cross_entropy(1 / concentration, concentration, dimension), 1
    while np.log(k + 1) < truth:
        k *= 2
    return k

# %% wrong: knows the answers of the table in eight dimensions only
def negatives_needed(concentration, dimension=8):
    return {10: 1024, 20: 4096, 40: 16384, 80: 131072}.get(concentration, 1024)

# %% exr-05-negatives · 2 points · 2 points by hand
# %% visible
law = np.array([0.4, 0.6])
same_numbers(replacing_constant(law, np.array([[0.3, 0.7], [0.3, 0.7]])), 0.0, "the constant when M forgets")

# %% hidden
law, kernel = np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.1, 0.9]])
expected = 0.125 * np.log(2.5) + 0.125 * np.log(5 / 8) + 0.075 * np.log(0.5) + 0.675 * np.log(9 / 8)
same_numbers(replacing_constant(law, kernel), expected, "the constant on two points")

# %% right: entropies of the joint law and its marginals
def replacing_constant(weights, kernel):
    joint = weights[:, None] * kernel
    entropies = [-np.sum(law * np.log(law)) for law in (weights, joint.sum(axis=0), joint)]
    return entropies[0] + entropies[1] - entropies[2]

# %% wrong: the constant of negatives from π
def replacing_constant(weights, kernel):
    return weights @ kullback_leibler(kernel, weights)

# %% wrong: only the divergence that drops out
def replacing_constant(weights, kernel):
    return kullback_leibler(weights @ kernel, weights)

# %% wrong: anchors weighted equally
def replacing_constant(weights, kernel):
    return kullback_leibler(kernel, weights @ kernel).mean()

# %% wrong: divergence the other way round
def replacing_constant(weights, kernel):
    return weights @ kullback_leibler(weights @ kernel, kernel)
