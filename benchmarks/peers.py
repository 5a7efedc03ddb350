"""Loss and gradient by PyTorch and the packages built on it; all are optional (``pip install -e .[bench]``).

Each function takes arrays and returns a call that yields the mean loss and the gradients.
"""

import importlib.util
from collections.abc import Callable

import numpy as np

Result = tuple[float, list[np.ndarray]]


def available() -> bool:
    """Whether the optional packages are installed."""
    return all(importlib.util.find_spec(name) for name in ("torch", "info_nce", "pytorch_metric_learning"))


def cross_entropy(x: np.ndarray, y: np.ndarray, z: np.ndarray, temperature: float) -> Callable[[], Result]:
    """PyTorch: logits with the positive in front, into `torch.nn.functional.cross_entropy`."""
    import torch

    def loss(a, b, c):
        others = a @ c.T if c.ndim == 2 else torch.bmm(c, a[:, :, None])[..., 0]
        logits = torch.cat([(a * b).sum(1, keepdim=True), others], dim=1) / temperature
        return torch.nn.functional.cross_entropy(logits, torch.zeros(len(a), dtype=torch.long))

    return _with_gradient(loss, x, y, z)


def info_nce_pytorch(x: np.ndarray, y: np.ndarray, z: np.ndarray, temperature: float) -> Callable[[], Result]:
    """info-nce-pytorch, which normalises its input once more."""
    from info_nce import info_nce

    mode = "unpaired" if z.ndim == 2 else "paired"
    return _with_gradient(lambda a, b, c: info_nce(a, b, c, temperature=temperature, negative_mode=mode), x, y, z)


def metric_learning(x: np.ndarray, y: np.ndarray, z: np.ndarray, temperature: float) -> Callable[[], Result]:
    """pytorch-metric-learning: SupConLoss with one positive, which is its InfoNCE that forms n × (n + k) scores.

    Its NTXentLoss forms n × nk. Pairs are given as indices, made beforehand.
    """
    import torch
    from pytorch_metric_learning.distances import DotProductSimilarity
    from pytorch_metric_learning.losses import SupConLoss

    function = SupConLoss(temperature=temperature, distance=DotProductSimilarity(normalize_embeddings=False))
    rows, columns = torch.arange(len(x)), torch.arange(len(z))
    pairs = (rows, rows, rows.repeat_interleave(len(z)), len(x) + columns.repeat(len(x)))
    return _with_gradient(lambda a, b, c: function(a, indices_tuple=pairs, ref_emb=torch.cat([b, c])), x, y, z)


def _with_gradient(loss: Callable, *arrays: np.ndarray) -> Callable[[], Result]:
    import torch

    torch.set_num_threads(1)
    leaves = [torch.from_numpy(array).requires_grad_() for array in arrays]

    def call() -> Result:
        for leaf in leaves:
            leaf.grad = None
        value = loss(*leaves)
        value.backward()
        return float(value.detach()), [leaf.grad.numpy() for leaf in leaves]

    return call
