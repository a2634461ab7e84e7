"""Runs the steps of a script, and prints one line for each."""
import time
from contextlib import contextmanager

from kubernetes.client.exceptions import ApiException


@contextmanager
def step(name):
    try:
        yield
        print(f"ok {name}", flush=True)
    except Exception as problem:
        print(f"not ok {name}: {problem!r}".replace("\n", " "), flush=True)


def same(found, wanted):
    assert found == wanted, f"found {found!r}, wanted {wanted!r}"


def refused(code, call):
    """Expects a refusal of the official client with this code."""
    try:
        call()
    except ApiException as problem:
        same(problem.status, code)
        return
    raise AssertionError(f"accepted, wanted {code}")


def until(what, is_true, seconds=30):
    """Waits, at most 30 s."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f"not in {seconds} s: {what}"
        time.sleep(0.05)
