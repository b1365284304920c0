"""Runs the operator, and looks at what it does with kubectl: `check.py KUBECTL`."""

import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from checks import check, equal, shirt  # noqa: E402

KUBECTL = sys.argv[1]
OPERATOR = pathlib.Path(__file__).with_name("dyer.py")


def kubectl(*words: str, text: str | None = None) -> str:
    done = subprocess.run([KUBECTL, *words], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def found(name: str) -> dict:
    return json.loads(kubectl("get", "shirt", name, "-o", "json"))


def eventually(function) -> None:
    """Calls a function until it returns `True`, for half a minute."""
    for _ in range(150):
        value = function()
        if value is True:
            return
        time.sleep(0.2)
    raise AssertionError(f"still {value!r} after 30 s")


def annotation(name: str, key: str) -> str | None:
    return found(name)["metadata"].get("annotations", {}).get(key)


def run_checks() -> None:
    @check
    def a_new_shirt_gets_a_status_and_a_finalizer():
        kubectl("create", "-f", "-", text=json.dumps(shirt("dyed")))
        eventually(lambda: found("dyed").get("status", {}).get("replicas") == 2)
        equal(found("dyed")["metadata"]["finalizers"], ["stable.example.com/dyer"])

    @check
    def the_timer_and_the_daemon_run():
        eventually(lambda: annotation("dyed", "washed") == "yes")
        eventually(lambda: "The shirt dries." in kubectl("events"))

    @check
    def changes_of_a_field_are_handled():
        kubectl("patch", "shirt", "dyed", "--type=merge", "-p", '{"spec": {"color": "blue", "replicas": 3}}')
        eventually(lambda: annotation("dyed", "dyed") == "red-blue")
        eventually(lambda: found("dyed")["status"]["replicas"] == 3)

    @check
    def kubectl_events_shows_the_events_of_the_operator():
        eventually(lambda: "The shirt is red." in kubectl("events", "--for", "shirt/dyed"))
        eventually(lambda: "Handler 'dye' succeeded." in kubectl("events", "--for", "shirt/dyed"))

    @check
    def kubectl_get_and_describe_show_them():
        listed = json.loads(kubectl("get", "events", "-o", "json"))["items"]
        assert any(event["message"] == "The shirt is red." for event in listed), listed
        assert "The shirt is red." in kubectl("describe", "shirt", "dyed"), kubectl("describe", "shirt", "dyed")
        listed = json.loads(kubectl("get", "events.v1.events.k8s.io", "-o", "json"))["items"]
        assert any(event["reason"] == "Dyed" for event in listed), listed

    @check
    def an_index_and_labelled_config_maps_are_handled():
        kubectl("create", "-f", "-", text=json.dumps(shirt("red-1")))
        eventually(lambda: found("red-1").get("status", {}).get("replicas") == 2)
        basket = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "basket", "labels": {"basket": "yes"}}}
        kubectl("create", "-f", "-", text=json.dumps({**basket, "metadata": {**basket["metadata"], "namespace": "default"}}))
        eventually(lambda: "1 red: red-1" in kubectl("events", "--for", "configmap/basket"))

    @check
    def a_deletion_is_tried_again():
        kubectl("delete", "shirt", "dyed", "--timeout=30s")
        eventually(lambda: "it is still wet" in kubectl("events"))


def main() -> None:
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "--namespace=default", OPERATOR]
    with open("operator.log", "w") as log:
        operator = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            run_checks()

            @check
            def the_operator_still_runs_and_logs_no_error():
                equal(operator.poll(), None)
                errors = [line for line in pathlib.Path("operator.log").read_text().splitlines() if "[ERROR" in line]
                equal([line for line in errors if "it is still wet" not in line], [])
        finally:
            operator.terminate()
            operator.wait(20)


main()
