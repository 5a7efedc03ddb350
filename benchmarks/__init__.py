"""Benchmarks of the library beside its peers: ``make bench``, or ``python -m benchmarks``."""
