"""Get one answer after the other judged by the checks, in forked processes, whatever the answers do."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from grade_submissions import Assignment, Submission, Task
from grade_values import ValueNotCarried, receive, send

BOOT = """import json, sys
sys.path[:] = json.loads(sys.argv[2])
from grade_processes import serve
serve(int(sys.argv[1]))"""


class Nursery:
    """A process that has run an assignment's first cell; from it the processes of an answer are forked."""

    def __init__(self, assignment: Assignment, folder: Path):
        self.control, other = socket.socketpair()
        path = [str(Path(__file__).resolve().parent), *[entry for entry in sys.path if entry]]
        kept = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": str(folder), "MPLCONFIGDIR": str(folder), "MPLBACKEND": "agg"}
        kept |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONDONTWRITEBYTECODE"), "1")
        command = [sys.executable, "-I", "-B", "-c", BOOT, str(other.fileno()), json.dumps(path)]
        null = subprocess.DEVNULL
        self.process = subprocess.Popen(command, env=kept, cwd=folder, pass_fds=[other.fileno()], stdin=null, stdout=null, stderr=null)
        other.close()
        send(self.control, assignment.first_cell)
        answer = receive(self.control)
        if "error" in answer:
            raise ValueError(f"the first cell of {assignment.name} fails: {answer['error']}; is the library installed?")

    def fork(self, request: dict, *channels: socket.socket) -> int:
        """Fork a process that takes the channels, and return its number."""
        socket.send_fds(self.control, [json.dumps(request).encode()], [channel.fileno() for channel in channels])
        for channel in channels:
            channel.close()
        return receive(self.control)["process"]

    def close(self) -> None:
        self.control.close()
        self.process.kill()
        self.process.wait()


class Grader:
    """Grades answers, several at a time if several threads call it."""

    def __init__(self, seconds: float, memory: int):
        self.seconds, self.memory = seconds, memory
        self.folder = Path(tempfile.mkdtemp(prefix="grading-"))
        self.folder.chmod(0o711)  # an answer that runs as nobody must reach its own folder
        self.nurseries: dict[str, Nursery] = {}
        self.lock = threading.Lock()

    def __enter__(self) -> "Grader":
        return self

    def __exit__(self, *_) -> None:
        for nursery in self.nurseries.values():
            nursery.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def fork(self, assignment: Assignment, request: dict, *channels: socket.socket) -> int:
        """Fork a process from the assignment's nursery, which is started if it is not there or was killed."""
        with self.lock:
            found = self.nurseries.get(assignment.name)
            if found is None or found.process.poll() is not None:
                found = self.nurseries[assignment.name] = Nursery(assignment, self.folder)
            return found.fork(request, *channels)

    def verdict(self, submission: Submission, task: Task) -> dict:
        """What became of one answer: the last message of its checks."""
        cells = submission.answers.get(task.label)
        if not cells:
            return {"failed": "answer", "kind": "missing", "text": ""}
        place = Path(tempfile.mkdtemp(dir=self.folder))
        place.chmod(0o777)
        processes: list[int] = []
        try:
            return self._run(submission.assignment, task, cells, place, processes)
        except (OSError, EOFError, ValueNotCarried) as error:
            return {"failed": "answer", "kind": "ended", "text": f"the processes of the answer ended ({error})"}
        finally:
            for process in processes:
                _end(process)
            shutil.rmtree(place, ignore_errors=True)

    def _run(self, assignment: Assignment, task: Task, cells: list[str], place: Path, processes: list[int]) -> dict:
        request = {"folder": str(place), "memory": self.memory, "seconds": int(self.seconds)}
        answer, checks = socket.socketpair()
        job, theirs = socket.socketpair()
        processes.append(self.fork(assignment, {"role": "answer", **request}, answer))
        processes.append(self.fork(assignment, {"role": "checks", **request}, theirs, checks))
        deadline, stage = time.monotonic() + self.seconds, "answer"
        with job:
            send(job, {"cells": cells, "names": task.names, "visible": task.visible, "hidden": task.hidden})
            while True:
                job.settimeout(max(deadline - time.monotonic(), 0.001))
                try:
                    message = receive(job)
                except TimeoutError:
                    return {"failed": stage, "kind": "timeout", "text": f"took longer than {self.seconds:g} s"}
                except EOFError:
                    return {"failed": stage, "kind": "ended", "text": "the process of the checks ended: out of memory or time"}
                if "stage" not in message:
                    return message
                stage = message["stage"]


def _end(process: int) -> None:
    """End a process and the group that it leads."""
    for kill in (os.killpg, os.kill):
        try:
            kill(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
