"""Every function of several arrays against plain loops, at sizes that invite broadcasting mistakes.

A result with two axes swapped, or one number spread over an axis, has the right shape when sizes coincide or are 1.
"""

import loop_oracles as loops
import numpy as np
import pytest
from hostile_arguments import entry, family
from hostile_run import good_arguments, make_case
from hostile_targets import targets

TARGETS = targets()
ALIKE = {"n": 3, "k": 2, "d": 4, "m": 3, "q": 2, "h": 3, "T": 2, "a": 2, "b": 3}
SIZES = {
    "all different": {"n": 2, "k": 3, "d": 5, "m": 4, "q": 3, "h": 2, "T": 3},
    "n = k": ALIKE | {"n": 3, "k": 3},
    "n = d": ALIKE | {"n": 3, "d": 3},
    "k = d": ALIKE | {"k": 3, "d": 3},
    "n = k = d = m": dict.fromkeys("nkdmqhTab", 3),
    "n = 1": ALIKE | {"n": 1},
    "k = 1": ALIKE | {"k": 1},
    "d = 1": ALIKE | {"d": 1},
    "|X| = 1": ALIKE | {"m": 1},
    "T = 1": ALIKE | {"T": 1},
    "all 1": dict.fromkeys("nkdmqhTab", 1),
}
LEADS = [(), (1,), (3,), (2, 3)]

ORACLES = {
    "augmentation.augment": loops.augment,
    "augmentation.AugmentedImages.density": loops.image_density,
    "continuity.continuity_bound": loops.continuity_bound,
    "continuity.exponential_functional": loops.exponential_functional,
    "divergences.total_variation": loops.by_pair(lambda rows: 0.5 * sum(abs(p - q) for p, q in rows)),
    "divergences.hilbert_distance": loops.by_pair(lambda rows: max(loops.ratios(rows)) - min(loops.ratios(rows))),
    "divergences.chi_square": loops.by_pair(lambda rows: sum((p - q) ** 2 / q for p, q in rows if q > 0.0)),
    "divergences.kullback_leibler": loops.by_pair(lambda rows: sum(p * np.log(p / q) for p, q in rows if p > 0.0)),
    "embedding_classes.circle_embeddings": loops.circle_embeddings,
    "embedding_classes.linear_embeddings": loops.linear_embeddings,
    "embedding_classes.tanh_embeddings": loops.tanh_embeddings,
    "embeddings.pairwise_scores": loops.pairwise_scores,
    "empirical_kernels.empirical_cross_entropy": loops.empirical_cross_entropy,
    "enumerated_search.enumerated_cross_entropy": loops.search_cross_entropy,
    "exact_risk.exact_excess": loops.exact_excess,
    "exact_risk.exact_excess_by_anchor": loops.exact_excess_by_anchor,
    "exact_risk.exact_gap": loops.exact_gap,
    "exact_risk.exact_risk": loops.exact_risk,
    "exact_search.search_cross_entropy": loops.search_cross_entropy,
    "generalisation.root_mean_square_slope": loops.root_mean_square_slope,
    "gradient.cross_entropy_gradient": loops.cross_entropy_gradient,
    "gradient.directional_derivative": loops.directional_derivative,
    "gradient.loss_gradient": loops.loss_gradient,
    "gradient.tangent_part": loops.tangent_part,
    "loss.infonce_loss": loops.infonce_loss,
    "loss.infonce_loss_from_embeddings": loops.infonce_loss_from_embeddings,
    "loss.softmax_weights": loops.softmax_weights,
    "loss_tables.loss_table": loops.loss_table,
    "monte_carlo.extrapolate_thrice": loops.extrapolate,
    "monte_carlo.extrapolate_twice": loops.extrapolate,
    "rademacher.half_ranges": loops.half_ranges,
    "rademacher.rademacher_interval": loops.rademacher_interval,
    "rates.expansion_coefficients": loops.expansion_coefficients,
    "rates.first_order_coefficient": loops.first_order_coefficient,
    "retrieval.cosine_scores": loops.cosine_scores,
    "retrieval.hits": loops.hits,
    "retrieval.image_hits": loops.image_hits,
    "retrieval.label_hits": loops.label_hits,
    "search_bounds.first_order_search_coefficient": loops.first_order_search_coefficient,
    "search_kernel.cross_entropy": loops.cross_entropy,
    "search_kernel.log_partition": loops.log_partition,
    "search_kernel.log_search_density": loops.log_search_density,
    "search_kernel.search_density": loops.search_density,
    "search_kernel.search_kernel": loops.search_kernel,
    "temperature_bounds.dobrushin_bound": lambda temperature, distance: loops.over(
        np.shape(temperature), lambda i: np.tanh(np.asarray(distance)[i] / (2.0 * np.asarray(temperature)[i]))
    ),
    "training.batch_gradient": loops.batch_gradient,
    "training.embed": loops.embed,
    "training.pull_back": loops.pull_back,
}
#: Functions of several arrays with nothing to compute, or checked elsewhere against more than a loop.
ELSEWHERE = {
    "answers.same_numbers", "augmentation.augmentation_matrices", "digits.measure_side", "digits.recalls", "digits.run",
    "digits.split_digits", "empirical_kernels.monte_carlo_search", "evidence.agrees", "evidence.bound", "evidence.monte_carlo",
    "exact_risk.check_densities", "loss.check_tuple_embeddings", "monte_carlo.monte_carlo_risk", "search_kernel.check_score_table",
    "spaces.FiniteSpace", "training.train",
}  # fmt: skip


def takes_several_arrays(target):
    holders = {"space", "directions", "tuples", "parameters", "side"}
    kinds = [entry(target.name, name).split()[0] for name in target.parameters]
    arrays = sum(family(target.name, name).is_array or kind in holders for name, kind in zip(target.parameters, kinds))
    return arrays >= 2


def test_every_function_of_several_arrays_has_an_oracle():
    assert set(ORACLES) | ELSEWHERE == {name for name, target in TARGETS.items() if takes_several_arrays(target)}


def compare(name, arguments):
    answer, expected = TARGETS[name].function(**arguments), ORACLES[name](**arguments)
    numerical = name in ("training.batch_gradient", "training.pull_back")  # central differences
    one, other = ([x] if not isinstance(x, tuple) else list(x) for x in (answer, expected))
    flat = [part for item in one for part in (item if isinstance(item, tuple) else (item,))]
    right = [part for item in other for part in (item if isinstance(item, tuple) else (item,))]
    for a, b in zip(flat, right, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-6 if numerical else 1e-10, atol=1e-8 if numerical else 1e-12)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name", ORACLES)
def test_loops_agree(name, sizes):
    for seed, lead in enumerate(LEADS):
        arguments = good_arguments(TARGETS[name], make_case(sizes, lead, seed))
        if "k" in arguments:
            arguments["k"] = sizes["k"]  # enumeration takes m^k terms
        compare(name, arguments)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name", ["loss.infonce_loss_from_embeddings", "gradient.loss_gradient"])
def test_shared_negatives_agree_with_loops(name, sizes):
    arguments = good_arguments(TARGETS[name], make_case(sizes, (), 0))
    compare(name, arguments | {"negatives": arguments["negatives"][0], "chunk_bytes": 16})


def test_swapped_axes_are_noticed():
    arguments = good_arguments(TARGETS["embeddings.pairwise_scores"], make_case(SIZES["n = k = d = m"], (), 0))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(loops.pairwise_scores(**arguments), loops.pairwise_scores(*reversed(arguments.values())))
