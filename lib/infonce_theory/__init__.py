"""Exact risks, bounds and derivatives of the InfoNCE contrastive loss.

One module per concept; import the module that carries the statement, for example
``from infonce_theory import exact_risk``. Nothing is imported here, so that
``import infonce_theory`` costs next to nothing.

Every function checks its arguments and raises ValueError for what it cannot answer: masks, NaN and infinity,
numbers beyond ±1e100, positive numbers below 1e-100, integers beyond 10^18, and whatever its own docstring adds.
"""

__version__ = "0.1.0"
