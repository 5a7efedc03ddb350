"""Carry arguments and results between the process of the checks and the process of an answer.

The checks must not run code that an answer sends, so values travel as JSON of known shapes, never as
pickles; a SymPy expression travels as its `srepr`, of which only calls of SymPy's own classes are read.
"""

import ast
import base64
import json
import socket
import struct
from typing import Any

import numpy as np

#: Bytes that one message may have.
LARGEST = 2**26

ALLOWED = "numbers, strings, lists, tuples, dictionaries, NumPy arrays and SymPy expressions"

#: SymPy's classes whose arguments may be strings; others would evaluate a string as code.
NAMED = ("Symbol", "Dummy", "Wild", "Float", "Function", "Str")


class ValueNotCarried(ValueError):
    """A value of a kind that cannot be sent, or a message that cannot be read."""


def send(channel: socket.socket, message: Any) -> None:
    """Send one message."""
    text = json.dumps(message).encode()
    if len(text) > LARGEST:
        raise ValueNotCarried(f"the value takes {len(text)} bytes; at most {LARGEST} can be sent")
    channel.sendall(struct.pack("!I", len(text)) + text)


def receive(channel: socket.socket) -> Any:
    """The next message; raises EOFError if the other side is gone."""
    (length,) = struct.unpack("!I", _exactly(channel, 4))
    if length > LARGEST:
        raise ValueNotCarried(f"a message of {length} bytes is announced; at most {LARGEST} are read")
    try:
        return json.loads(_exactly(channel, length))
    except (ValueError, RecursionError):
        raise ValueNotCarried("a message is not JSON") from None


def _exactly(channel: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        part = channel.recv(min(length - len(found), 2**20))
        if not part:
            raise EOFError("the other process has ended")
        found += part
    return bytes(found)


def encode(value: Any) -> Any:
    """A value as JSON."""
    if value is None or isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        kind = "list" if isinstance(value, list) else "tuple" if isinstance(value, tuple) else "set"
        return {kind: [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, (np.ndarray, np.generic, complex)):
        return _encode_array(np.asarray(value))
    if isinstance(value, range):
        return encode(list(value))
    return _encode_expression(value)


def decode(message: Any) -> Any:
    """The value that `encode` turned into JSON."""
    if not isinstance(message, (dict, list)):
        return message
    if not isinstance(message, dict) or len(message) != 1:
        raise ValueNotCarried("a value has no known shape")
    ((kind, content),) = message.items()
    if kind in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[kind](decode(item) for item in content)
    if kind == "dict":
        return {decode(key): decode(item) for key, item in content}
    if kind == "array":
        dtype, shape, data = content
        if not isinstance(dtype, str) or np.dtype(dtype).kind not in "biufcU":
            raise ValueNotCarried(f"an array has dtype {dtype!r}")
        return np.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape).copy()[()]
    if kind == "objects":
        shape, items = content
        array = np.empty(len(items), dtype=object)
        array[:] = [decode(item) for item in items]
        return array.reshape(shape)
    if kind == "sympy":
        return _expression(content)
    raise ValueNotCarried(f"a value has the unknown kind {kind!r}")


def _encode_array(array: np.ndarray) -> dict:
    if array.dtype.kind in "biufcU":
        return {"array": [array.dtype.str, array.shape, base64.b64encode(array.tobytes()).decode()]}
    if array.dtype.kind == "O":
        return {"objects": [array.shape, [encode(item) for item in array.ravel()]]}
    raise ValueNotCarried(f"an array has dtype {array.dtype}; expected numbers")


def _encode_expression(value: Any) -> dict:
    import sympy

    if str(type(value).__module__).startswith("mpmath"):
        value = sympy.sympify(value)
    if isinstance(value, (sympy.Basic, sympy.MatrixBase)):
        return {"sympy": sympy.srepr(value)}
    raise ValueNotCarried(f"the value is of type {type(value).__name__}; expected {ALLOWED}")


def _expression(text: Any) -> Any:
    try:
        return _evaluate(ast.parse(text, mode="eval").body)
    except (SyntaxError, TypeError, AttributeError, RecursionError) as error:
        raise ValueNotCarried(f"an expression cannot be read: {type(error).__name__}") from None


def _evaluate(node: ast.AST) -> Any:
    """Rebuild an expression from the syntax tree of its `srepr`."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = [_evaluate(argument) for argument in node.args]
        options = {word.arg: _evaluate(word.value) for word in node.keywords}
        if name not in NAMED and any(isinstance(item, str) for item in [*arguments, *options.values()]):
            raise ValueNotCarried(f"an expression gives {name or 'a function'} a string")
        return _evaluate(node.func)(*arguments, **options)
    if isinstance(node, ast.Name):
        return _sympy_name(node.id)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_evaluate(item) for item in node.elts]
        if any(isinstance(item, str) for item in items):
            raise ValueNotCarried("an expression has a list of strings")
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, str, type(None))):
        return node.value
    raise ValueNotCarried(f"an expression contains {type(node).__name__}")


def _sympy_name(name: str) -> Any:
    import sympy
    from sympy.core.symbol import Str
    from sympy.functions.elementary.piecewise import ExprCondPair

    found = {"Str": Str, "ExprCondPair": ExprCondPair}.get(name) or getattr(sympy, name, None)
    kinds = (sympy.Basic, sympy.MatrixBase)
    if isinstance(found, type) and issubclass(found, kinds) or isinstance(found, kinds):
        return found
    raise ValueNotCarried(f"an expression names {name!r}, which is no class of SymPy")
