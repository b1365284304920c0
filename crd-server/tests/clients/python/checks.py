"""Prints the result of each check of a program, for `run`."""

import inspect

RED = {"color": "red", "replicas": 2}


def shirt(name: str, **spec) -> dict:
    return {
        "apiVersion": "stable.example.com/v1",
        "kind": "Shirt",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**RED, **spec},
    }


def report(name: str, error: BaseException | None) -> None:
    message = " ".join(f"{type(error).__name__}: {error}".split())[:600]
    print(f"ok {name}" if error is None else f"failed {name}: {message}", flush=True)


def check(function):
    """Runs a function when it is defined. Its name is that of the check."""
    name = function.__name__.replace("_", " ")
    try:
        assert not inspect.iscoroutinefunction(function), "a coroutine is never awaited here"
        function()
    except Exception as error:
        report(name, error)
    else:
        report(name, None)
    return function


def equal(found, expected) -> None:
    assert found == expected, f"found {found!r}, expected {expected!r}"
