"""The processes in which answers and checks run, apart from each other and from the grader.

A *nursery* has run a chapter's first cell and knows nothing else. From it the grader forks two
processes for each answer: one runs the answer, under limits and without rights that it does not
need; the other runs the checks, in which the answer's functions are stand-ins that send the
arguments over and take back values. So whatever an answer does to NumPy, to `assert` or to its own
process, the checks do not feel it, and it never sees their text. This keeps accidents and
ordinary mischief in; it is no sandbox against an attacker.
"""

import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grade_values import ValueNotCarried, decode, encode, receive, send

#: Rights that an answer loses, by the beginnings of Python's audit events.
FORBIDDEN = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.kill", "os.putenv")
FORBIDDEN += ("pty.", "socket.", "ctypes.", "signal.pthread_kill", "resource.setrlimit", "resource.prlimit", "sys.addaudithook")

#: Events about a file by its name: what they name must lie in the answer's own folder.
OF_FILES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.chown", "os.utime")

NOBODY = 65534


class AnswerError(Exception):
    """An answer raised an exception, or its value cannot be used; `kind` names the exception."""

    def __init__(self, kind: str, text: str):
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind = kind


def serve(descriptor: int) -> None:
    """The nursery: run the first cell, then fork a process for each request."""
    control = socket.socket(fileno=descriptor)
    first_cell = receive(control)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(first_cell, "first cell", "exec"), namespace)
        import sympy  # noqa: F401  here, so that no process has to load it again
    except BaseException as error:
        send(control, {"error": f"{type(error).__name__}: {error}"})
        return
    send(control, {"ready": True})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    while True:
        text, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
        if not text:
            return
        request = json.loads(text)
        process = os.fork()
        if not process:
            control.close()
            _child(request, [socket.socket(fileno=number) for number in descriptors], namespace)
        for number in descriptors:
            os.close(number)
        send(control, {"process": process})


def _child(request: dict, channels: list[socket.socket], namespace: dict) -> None:
    """Run one role to its end and never return into the nursery."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    try:
        _limit(request)
        if request["role"] == "answer":
            run_answer(channels[0], request, namespace)
        else:
            run_checks(channels[0], channels[1], namespace)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _limit(request: dict) -> None:
    """Limits of time, memory and files; the memory is counted from what the nursery already has."""
    statm = Path("/proc/self/statm")
    present = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 2**31
    memory = present + request["memory"]
    limits = [(resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, request["seconds"] + 1), (resource.RLIMIT_CORE, 0)]
    limits += [(resource.RLIMIT_FSIZE, 2**24), (resource.RLIMIT_NOFILE, 256)]
    for kind, value in limits:
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):  # a system without this limit, such as macOS for memory
            continue


def give_up_rights(folder: Path) -> None:
    """Leave root, if the grader runs as root and others may read the packages, and refuse what answers do not need."""
    needed = [Path(sys.modules[name].__file__).resolve() for name in ("numpy", "os")]
    if os.geteuid() == 0 and all(place.stat().st_mode & 0o001 for path in needed for place in path.parents):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    readable = [Path(place).resolve() for place in {sys.prefix, sys.base_prefix, *sys.path} if place]
    readable += [folder, Path("/usr"), Path("/lib"), Path("/dev"), Path("/proc/self")]
    sys.addaudithook(_refusal(folder, readable))


def _refusal(folder: Path, readable: list[Path]) -> Callable[[str, tuple], None]:
    def inside(name: Any, places: list[Path]) -> bool:
        if isinstance(name, int):
            return True
        path = os.path.realpath(os.fsdecode(name or "."))
        return any(path == str(place) or path.startswith(f"{place}{os.sep}") for place in places)

    def refuse(event: str, arguments: tuple) -> None:
        if event == "open":
            name, _, flags = arguments
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
            allowed = inside(name, [folder, Path(os.devnull)] if writes else readable)
        elif event in ("os.listdir", "os.scandir"):
            allowed = inside(arguments[0], readable)
        elif event in OF_FILES:
            allowed = all(inside(name, [folder]) for name in arguments if isinstance(name, (str, bytes, os.PathLike)))
        else:
            allowed = not event.startswith(FORBIDDEN)
        if not allowed:
            raise PermissionError(f"an answer may not use {event}")

    return refuse


def run_answer(channel: socket.socket, request: dict, namespace: dict) -> None:
    """Run the cells of an answer, then call its functions as the checks ask."""
    folder = Path(request["folder"])
    os.chdir(folder)
    give_up_rights(folder)
    for number, cell in enumerate(receive(channel), start=1):
        try:
            exec(compile(cell, f"cell {number}", "exec"), namespace)
        except BaseException as error:
            send(channel, _raised(error))
            return
    send(channel, {"defined": True})
    while True:
        name, arguments, options = receive(channel)
        try:
            result = namespace[name](*decode(arguments), **decode(options))
            reply = {"value": encode(result)}
        except BaseException as error:
            reply = _raised(error)
        try:
            send(channel, reply)
        except ValueNotCarried as error:
            send(channel, _raised(error))


def _raised(error: BaseException) -> dict:
    kind = next(base for base in type(error).__mro__ if base.__module__ == "builtins" or base is ValueNotCarried)
    try:
        text = " ".join(str(error).split())[:300]
    except BaseException:
        text = ""
    return {"raised": kind.__name__, "text": text}


def run_checks(job: socket.socket, channel: socket.socket, namespace: dict) -> None:
    """Send the answer over, run the checks against it, and report how far they came."""
    work = receive(job)
    stage = "answer"
    try:
        send(channel, work["cells"])
        _value(channel)
        namespace |= {name: _stand_in(channel, name) for name in work["names"]}
        for stage in ("visible", "hidden"):
            send(job, {"stage": stage})
            exec(compile(work[stage], f"{stage} checks", "exec"), namespace)
    except AnswerError as error:
        send(job, {"failed": stage, "kind": error.kind, "text": str(error)})
    except EOFError:
        send(job, {"failed": stage, "kind": "ended", "text": "the answer ended its own process"})
    except BaseException as error:
        send(job, {"failed": stage, "kind": "check", "text": f"{type(error).__name__}: {error}"[:500]})
    else:
        send(job, {"passed": True})


def _stand_in(channel: socket.socket, name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        send(channel, [name, encode(arguments), encode(options)])
        return _value(channel)

    call.__name__ = name
    return call


def _value(channel: socket.socket) -> Any:
    """The value in the answer's next reply, which it may have forged: anything strange is its error."""
    try:
        reply = receive(channel)
        if "raised" in reply:
            raise AnswerError(str(reply["raised"]), str(reply.get("text", ""))[:300])
        return decode(reply.get("value"))
    except (ValueNotCarried, TypeError, ValueError, AttributeError, KeyError) as error:
        raise AnswerError("ValueNotCarried", str(error)[:300]) from None
