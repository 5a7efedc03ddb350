"""Settings that must stand before NumPy is imported and before a chapter's kernel starts."""

import os

# Two workers share two cores; more threads than cores slow both down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
