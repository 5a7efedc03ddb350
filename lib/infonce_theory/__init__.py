"""Exact risks, bounds and derivatives of the InfoNCE contrastive loss.

One module per concept; import the module that carries the statement, for example
``from infonce_theory import exact_risk``. Nothing is imported here, so that
``import infonce_theory`` costs next to nothing.
"""

__version__ = "0.1.0"
