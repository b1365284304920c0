"""The place of a run: the target directory, the server, and the programs that are installed for it."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterator

SHIRTS = "tests/tests/e2e_kubectl/files/shirts.yaml"


@dataclasses.dataclass
class Suite:
    """A group of tests, with the version of the project that they come from or use."""

    name: str
    version: str
    # Runs the tests, and returns the message of each test that failed and `None` for each that passed.
    run: Callable[["Place"], dict[str, str | None]]


class Place:
    def __init__(self, here: pathlib.Path, program: pathlib.Path) -> None:
        self.here = here
        self.root = here.parents[2]
        self.program = program
        self.target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", self.root / "target")).resolve() / "clients"
        self.target.mkdir(parents=True, exist_ok=True)

    def directory(self, name: str) -> pathlib.Path:
        """Returns a directory of the target directory, which exists."""
        directory = self.target / name
        directory.mkdir(parents=True, exist_ok=True)
        return directory

    @contextlib.contextmanager
    def served(self, *arguments: str) -> Iterator[dict[str, str]]:
        """Starts a server, and yields the environment for its clients."""
        command = [str(self.program), "serve", "--quiet", *arguments]
        log = (self.target / "server.log").open("a")
        server = subprocess.Popen(command, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            kubeconfig = server.stdout.readline().strip()
            if not kubeconfig:
                raise SystemExit(f"error: {' '.join(command)} did not start; see {log.name}")
            yield {**os.environ, "KUBECONFIG": kubeconfig}
        finally:
            server.terminate()
            server.wait()
            log.close()

    def kubectl(self) -> pathlib.Path:
        """Builds kubectl of the module `tests/kubectl`, and returns its path."""
        binary = self.directory("bin") / "kubectl"
        subprocess.run(["go", "build", "-o", binary, "."], cwd=self.root / "tests/kubectl", check=True)
        return binary

    def python(self, name: str, packages: list[str]) -> pathlib.Path:
        """Installs Python packages, and returns the interpreter."""
        directory = self.target / name
        if not (directory / "bin/python").exists():
            subprocess.run(["python3", "-m", "venv", directory], check=True)
        subprocess.run([directory / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
        return directory / "bin/python"

    def copy(self, source: pathlib.Path, name: str) -> pathlib.Path:
        """Copies a directory into the target directory, without write protection."""
        copy = self.target / name
        if copy.exists():
            shutil.rmtree(copy)
        shutil.copytree(source, copy, copy_function=shutil.copyfile)
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        return copy


def lines(command: list, environment: dict[str, str], seconds: int = 300, **options) -> dict[str, str | None]:
    """Runs a program that prints `ok NAME` or `failed NAME: MESSAGE` for each of its tests, and returns them.

    The program itself is a test, too, which fails with the rest of its output if its exit status is not 0.
    """
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds, **options)
        status, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, output, errors = "timeout", (late.stdout or b"").decode(), (late.stderr or b"").decode()
    results: dict[str, str | None] = {}
    for line in output.splitlines():
        if line.startswith("ok "):
            results[line.removeprefix("ok ")] = None
        elif line.startswith("failed "):
            name, _, message = line.removeprefix("failed ").partition(": ")
            results[name] = message or "no message"
    if status != 0 and not any(results.values()):
        results["the program ends"] = f"exit status {status}: {(output + errors)[-800:]}"
    return results
