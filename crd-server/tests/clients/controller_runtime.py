"""The test suites of controller-runtime that need an API server."""

import functools
import json
import pathlib
import subprocess

import old_discovery
from place import Place, Suite

VERSION = "v0.25.2"
PARTS = [
    "cache",
    "controller",
    "controller/controllerutil",
    "builder",
    "handler",
    "source",
    "cluster",
    "internal/controller",
    "reconcile",
    "manager",
    "internal/recorder",
    "client",
]
# The package with the REST mapper: half of its tests start a kube-apiserver without aggregated discovery.
MAPPER = "client/apiutil"
WITHOUT_AGGREGATION = "TestLazyRestMapperProvider/aggregatedDiscovery=false"


def run(part: str, place: Place) -> dict[str, str | None]:
    with place.served() as environment:
        return tested(place, part, environment, [])


def mapper(place: Place) -> dict[str, str | None]:
    # The tests wrap the transport of the client, which the client only has for TLS or a proxy.
    with place.served("--tls") as environment:
        return tested(place, MAPPER, environment, ["-skip", WITHOUT_AGGREGATION])


def mapper_without_aggregation(place: Place) -> dict[str, str | None]:
    with place.served() as environment, old_discovery.hidden(environment) as hidden:
        return tested(place, MAPPER, hidden, ["-run", WITHOUT_AGGREGATION])


def tested(place: Place, part: str, environment: dict[str, str], options: list[str]) -> dict[str, str | None]:
    module = sources(place)
    report = place.directory("reports") / f"{part.replace('/', '-')}.json"
    report.unlink(missing_ok=True)
    report_option = f"--ginkgo.json-report={report}"
    command = ["go", "test", "-json", "-count=1", "-timeout=20m", *options, f"./pkg/{part}", "-args", report_option]
    environment["USE_EXISTING_CLUSTER"] = "true"
    output = subprocess.run(command, cwd=module, env=environment, stdout=subprocess.PIPE, text=True).stdout
    (report.with_suffix(".log")).write_text("".join(text for text in events(output, "Output")))
    if "-run" in options:
        return plain(output)
    found = specs(report)
    passed = sum(text is None for text in found.values())
    print(f"{passed} of {len(found)} specs of {part} passed", flush=True)
    return {**plain(output), **found}


def sources(place: Place) -> pathlib.Path:
    """Returns a copy of the module, as tests write next to their sources."""
    words = ["go", "mod", "download", "-json", f"sigs.k8s.io/controller-runtime@{VERSION}"]
    found = json.loads(subprocess.run(words, cwd=place.target, check=True, stdout=subprocess.PIPE).stdout)
    copy = place.target / f"controller-runtime-{VERSION}"
    return copy if copy.exists() else place.copy(pathlib.Path(found["Dir"]), copy.name)


def events(output: str, key: str) -> list[str]:
    found = []
    for line in output.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if key in event:
            found.append(event[key])
    return found


def plain(output: str) -> dict[str, str | None]:
    """Returns the results of tests without Ginkgo: those that are no function that runs a suite."""
    results: dict[str, str | None] = {}
    texts: dict[str, list[str]] = {}
    for line in output.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        name = event.get("Test")
        if not name:
            continue
        texts.setdefault(name, []).append(event.get("Output", ""))
        if event["Action"] == "pass":
            results[name] = None
        elif event["Action"] == "fail":
            results[name] = "".join(texts[name])[-800:]
    runs_a_suite = {name for name in results if "Running Suite: " in "".join(texts[name])}
    parents = {name.rpartition("/")[0] for name in results}
    return {name: text for name, text in results.items() if name not in runs_a_suite | parents}


def specs(report: pathlib.Path) -> dict[str, str | None]:
    """Returns the results of the specs of Ginkgo. A spec that is skipped by its own code is no result."""
    results: dict[str, str | None] = {}
    if not report.exists():
        return {"the suite ends": "no report was written"}
    for suite in json.loads(report.read_text()):
        for spec in suite["SpecReports"] or []:
            if spec["State"] in ("skipped", "pending"):
                continue
            name = " ".join([*(spec["ContainerHierarchyTexts"] or []), spec["LeafNodeText"]]).strip()
            failure = None if spec["State"] == "passed" else spec.get("Failure", {}).get("Message") or spec["State"]
            if spec["LeafNodeType"] == "It":
                # Two specs of a table may have one name.
                while name in results:
                    name += " (again)"
                results[name] = failure
            elif failure:
                results[f"{spec['LeafNodeType']} {name}".strip()] = failure
    return results


SUITES = [
    *(Suite(f"controller-runtime/{part}", VERSION, functools.partial(run, part)) for part in PARTS),
    Suite(f"controller-runtime/{MAPPER}", VERSION, mapper),
    Suite(f"controller-runtime/{MAPPER}-without-aggregation", VERSION, mapper_without_aggregation),
]
