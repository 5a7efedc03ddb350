"""Gâteaux derivatives of SymPy expressions: move the object, differentiate along the path.

One tool serves every derivative of the book. The object that moves may be a number (a
`Symbol`), a sequence or an embedding (an `IndexedBase`), a density or a measure (an undefined
`Function`). Sums keep their symbolic number of terms and integrals stay unevaluated.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef, UndefinedFunction

from infonce_theory._validation import check_integer

#: Functions with kinks, jumps or no complex derivative: substituting ε = 0 into their derivative proves nothing.
NOT_SMOOTH = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise, sp.Heaviside, sp.floor, sp.ceiling, sp.conjugate, sp.re, sp.im)


def perturb(functional: sp.Expr, direction: Mapping[Any, Any], size: Any) -> sp.Expr:
    """The functional at the moved object, F(φ + εh) (``def-gateaux``).

    Parameters
    ----------
    functional
        SymPy expression F in the objects that move.
    direction
        What moves, and by what. A key is a `Symbol`, an `IndexedBase` or an undefined `Function`.
        Its value h is an expression for a `Symbol`; an `IndexedBase`, or a callable of the indices,
        for an `IndexedBase`; a `Function`, a `Lambda` or a callable of the arguments for a `Function`.
    size
        The step ε: a SymPy expression or a number.

    Returns
    -------
    sympy.Expr
        F(φ + εh), where every occurrence has moved. No sum or integral is evaluated.

    Raises
    ------
    ValueError
        If `functional` is no SymPy expression, a key is of another kind or does not occur in it,
        `size` is no finite SymPy expression or number, or a displacement contains a variable that a sum or an integral of the functional binds.

    Examples
    --------
    >>> a, b, j, k = sp.IndexedBase("a"), sp.IndexedBase("b"), *sp.symbols("j k", integer=True)
    >>> perturb(sp.Sum(a[j] ** 2, (j, 1, k)), {a: b}, sp.Symbol("t"))
    Sum((t*b[j] + a[j])**2, (j, 1, k))
    """
    if not isinstance(functional, sp.Expr):
        raise ValueError(f"functional is {functional!r}; expected a SymPy expression")
    _check_direction(functional, direction)
    step = _sympify(size, "size")
    if step.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise ValueError(f"size is {size!r}; expected a finite step")
    bound = _bound_variables(functional)

    def moved(node: sp.Basic) -> sp.Basic:
        if isinstance(node, sp.Symbol) and node in direction:
            return node + step * _displacement(direction[node], (), bound)
        if not node.args or isinstance(node, sp.IndexedBase):
            return node
        rebuilt = node.func(*[moved(argument) for argument in node.args])
        head = _head(node)
        if head not in direction:
            return rebuilt
        arguments = rebuilt.indices if isinstance(rebuilt, sp.Indexed) else rebuilt.args
        return rebuilt + step * _displacement(direction[head], arguments, bound)

    return moved(functional)


def gateaux(functional: sp.Expr, direction: Mapping[Any, Any], order: int = 1) -> sp.Expr:
    """Derivative of ε ↦ F(φ + εh) at ε = 0 (``def-gateaux``, ``thm-gateaux-loss``, ``prop-von-mises``).

    Parameters
    ----------
    functional, direction
        As in `perturb`.
    order
        1 for the first variation dF(φ; h), 2 for the second d²F(φ; h, h), and so on.

    Returns
    -------
    sympy.Expr
        The derivative. Sums and integrals stay as they are; simplifying is left to the caller.

    Raises
    ------
    ValueError
        As in `perturb`; if `order` < 1; if F is not built from smooth functions of what moves; or if
        substituting ε = 0 gives no finite value (take the limit of the definition there).

    Examples
    --------
    The first variation of a mean of f when its law moves from π towards ν:

    >>> y, (pi, nu, f) = sp.Symbol("y"), sp.symbols("pi nu f", cls=sp.Function)
    >>> gateaux(sp.Integral(f(y) * pi(y), y), {pi: lambda y: nu(y) - pi(y)})
    Integral((nu(y) - pi(y))*f(y), y)
    """
    times = check_integer(order, "order", 1)
    epsilon = sp.Dummy("epsilon", real=True)
    path = perturb(functional, direction, epsilon)
    kinks = [node for node in path.atoms(*NOT_SMOOTH) if node.has(epsilon)]
    if kinks:
        raise ValueError(f"functional contains {type(kinks[0]).__name__} of what moves; expected smooth functions only")
    slope = sp.diff(path, epsilon, times)
    slope = slope.replace(lambda node: isinstance(node, sp.Derivative), lambda node: node.doit(deep=False))
    if any(epsilon in node.variables for node in slope.atoms(sp.Derivative)):
        raise ValueError("functional has a sum whose limits move; expected sums over a fixed range")
    value = slope.subs(epsilon, 0)
    if value.has(sp.nan, sp.zoo):
        raise ValueError(f"functional has no finite derivative at ε = 0, where substitution gives {value}")
    return value


def _check_direction(functional: sp.Expr, direction: Mapping[Any, Any]) -> None:
    if not isinstance(direction, Mapping) or not direction:
        raise ValueError(f"direction is {direction!r}; expected a mapping from what moves to its displacement")
    present = {_head(node) for node in sp.preorder_traversal(functional)}
    bound = _bound_variables(functional)
    for key in direction:
        if not isinstance(key, (sp.Symbol, sp.IndexedBase, UndefinedFunction)):
            raise ValueError(f"direction has the key {key!r}; expected a Symbol, an IndexedBase or an undefined Function")
        if key in bound:
            raise ValueError(f"direction moves {key}, which a sum or an integral binds; expected a free symbol")
        if key not in present:
            raise ValueError(f"direction moves {key}, which functional does not contain (or under other assumptions)")


def _head(node: Any) -> Any:
    """What a direction may name: the base of an indexed symbol, the function of a value, or the node itself."""
    if isinstance(node, sp.Indexed):
        return node.base
    return node.func if isinstance(node, AppliedUndef) else node


def _sympify(value: Any, name: str) -> sp.Expr:
    try:
        expression = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError, ValueError):
        expression = None
    if not isinstance(expression, sp.Expr):
        raise ValueError(f"{name} is or gives {value!r}; expected a SymPy expression or a number")
    return expression


def _bound_variables(functional: sp.Expr) -> set[sp.Basic]:
    return {variable for node in functional.atoms(ExprWithLimits) for variable in node.variables}


def _displacement(given: Any, arguments: tuple[sp.Basic, ...], bound: set[sp.Basic]) -> sp.Expr:
    if isinstance(given, sp.IndexedBase):
        value = given[arguments]
    elif arguments and isinstance(given, Callable):
        value = _sympify(given(*arguments), "direction")
    else:
        value = _sympify(given, "direction")
    known = set().union(*(argument.free_symbols for argument in arguments))
    captured = sorted(map(str, (value.free_symbols & bound) - known))
    if captured:
        raise ValueError(f"direction contains {captured[0]}, which a sum or an integral binds; rename one of them")
    return value
