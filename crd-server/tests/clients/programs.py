"""The programs of this directory, each with the client that it uses, and a project of kubebuilder."""

import functools
import json
import os
import pathlib
import shutil
import subprocess

from place import SHIRTS, Place, Suite, lines

# The packages of each program in Python, the first one of which the suite is named after.
PYTHON = {
    "kubernetes_client": ["kubernetes==37.0.2"],
    "asyncio_client": ["kubernetes_asyncio==36.1.0"],
    "kr8s_client": ["kr8s==0.20.15"],
    "lightkube_client": ["lightkube==1.0.1", "lightkube-models==1.37.0.8"],
}
KOPF = "kopf==1.45.2"
# Version 2 needs Node.js 22.
CLIENT_NODE = "1.4.0"
FABRIC8 = "8.0.0"
# The version in `tests/kubectl/go.mod`.
KUBECTL = "v0.37.2"
KUBEBUILDER = "v4.16.0"
CONTROLLER_TOOLS = "v0.22.0"


def python(program: str, place: Place) -> dict[str, str | None]:
    interpreter = place.python(f"python-{program}", PYTHON[program])
    with place.served(SHIRTS) as environment:
        return lines([interpreter, place.here / f"python/{program}.py"], environment)


def kopf(place: Place) -> dict[str, str | None]:
    interpreter, kubectl = place.python("python-kopf", [KOPF]), place.kubectl()
    with place.served(SHIRTS) as environment:
        # kubectl keeps what it discovers in the home directory.
        environment["KUBECACHEDIR"] = str(place.directory("kubectl-cache"))
        return lines([interpreter, place.here / "kopf/check.py", kubectl], environment, cwd=place.target)


def client_node(place: Place) -> dict[str, str | None]:
    directory = place.directory("client-node")
    install = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", ".", f"@kubernetes/client-node@{CLIENT_NODE}"]
    subprocess.run(install, cwd=directory, check=True)
    shutil.copyfile(place.here / "javascript/client.mjs", directory / "client.mjs")
    results: dict[str, str | None] = {}
    for options in ([], ["--tls"]):
        with place.served(*options, SHIRTS) as environment:
            found = lines(["node", "client.mjs"], environment, cwd=directory)
            results |= {" ".join([name, *options]): text for name, text in found.items()}
    return results


def fabric8(place: Place) -> dict[str, str | None]:
    directory = place.copy(place.here / "fabric8", "fabric8")
    maven = ["mvn", "-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath", "-Dmdep.includeScope=runtime"]
    subprocess.run(maven, cwd=directory, check=True)
    classes = f"target/classes{os.pathsep}{(directory / 'classpath').read_text().strip()}"
    with place.served(SHIRTS) as environment:
        return lines(["java", "-cp", classes, "Shirts"], environment, cwd=directory)


def kubectl_apply(place: Place) -> dict[str, str | None]:
    """Applies a Deployment and a Service, then without some items of their lists, which must be gone afterwards."""
    kubectl = place.kubectl()
    results: dict[str, str | None] = {}

    def apply(name: str, objects: list[dict], *options: str) -> None:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        environment["KUBECACHEDIR"] = str(place.directory("kubectl-cache"))
        done = subprocess.run([kubectl, "apply", "-f", "-", *options], input=text, env=environment, capture_output=True, text=True)
        read = subprocess.run([kubectl, "get", "deployment,service", "web", "-o", "json"], env=environment, capture_output=True, text=True)
        found = items_by_name(json.loads(read.stdout)["items"]) if read.returncode == 0 else {}
        expected = items_by_name(objects)
        is_equal = done.returncode == 0 and found == expected
        results[name] = None if is_equal else f"found {found}, expected {expected}: {done.stdout}{done.stderr}{read.stderr}"

    # The kinds of lists that kubectl merges: by names and by ports, in lists of objects in lists.
    whole = web({"web": {"A": "a", "B": "b"}, "log": {}}, {"http": 80, "https": 443})
    for mode in ([], ["--server-side"]):
        with place.served() as environment:
            apply(" ".join(["create", *mode]), whole, *mode)
            apply(" ".join(["change a value", *mode]), web({"web": {"A": "a", "B": "c"}, "log": {}}, {"http": 81, "https": 443}), *mode)
            apply(" ".join(["remove a variable and a port", *mode]), web({"web": {"B": "c"}, "log": {}}, {"https": 443}), *mode)
            apply(" ".join(["remove a container", *mode]), web({"log": {}}, {"https": 443}), *mode)
            apply(" ".join(["add what was removed", *mode]), whole, *mode)
    return results


def web(containers: dict[str, dict[str, str]], ports: dict[str, int]) -> list[dict]:
    labels = {"app": "web"}
    listed = [
        {"name": name, "image": name, "env": [{"name": key, "value": value} for key, value in variables.items()]}
        for name, variables in containers.items()
    ]
    template = {"metadata": {"labels": labels}, "spec": {"containers": listed}}
    metadata = {"name": "web", "namespace": "default"}
    listed_ports = [{"name": name, "port": port} for name, port in ports.items()]
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"selector": {"matchLabels": labels}, "template": template}},
        {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": labels, "ports": listed_ports}},
    ]


def items_by_name(objects: list[dict]) -> dict:
    """Returns the parts of the objects that are applied, without the order of their lists."""
    deployment, service = (next(found for found in objects if found["kind"] == kind)["spec"] for kind in ("Deployment", "Service"))
    containers = deployment["template"]["spec"]["containers"]
    return {
        "containers": {found["name"]: {item["name"]: item["value"] for item in found.get("env", [])} for found in containers},
        "ports": {port["name"]: port["port"] for port in service["ports"]},
    }


def kubebuilder(place: Place) -> dict[str, str | None]:
    """Makes a project with kubebuilder, installs its `config/default`, and runs the tests of the project."""
    project, tools, kubectl = scaffold(place), place.directory("bin"), place.kubectl()
    results: dict[str, str | None] = {}

    def check(name: str, command: list, expected: list[str]) -> None:
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
        absent = [text for text in expected if text not in done.stdout]
        failed = done.returncode != 0 or absent
        results[name] = f"status {done.returncode}, without {absent}: {done.stdout[-1500:]} {done.stderr[-1500:]}" if failed else None

    with place.served() as environment:
        environment |= {"KUBECACHEDIR": str(place.directory("kubectl-cache")), "PATH": f"{tools}:{os.environ['PATH']}"}
        created = [
            "namespace/project-system created",
            "customresourcedefinition.apiextensions.k8s.io/painters.clothes.example.com created",
            "clusterrole.rbac.authorization.k8s.io/project-manager-role created",
            "rolebinding.rbac.authorization.k8s.io/project-leader-election-rolebinding created",
            "service/project-controller-manager-metrics-service created",
            "deployment.apps/project-controller-manager created",
        ]
        check("apply -k config/default", [kubectl, "apply", "-k", "config/default"], created)
        unchanged = [line.replace(" created", " unchanged") for line in created]
        # kubectl sends a patch for the empty lists of the Deployment, also to a real server.
        unchanged = [line.replace(" created", " unchanged") for line in created if "deployment" not in line]
        check("apply -k config/default again", [kubectl, "apply", "-k", "config/default"], unchanged)
        applied = [line.replace(" created", " serverside-applied") for line in created]
        forced = [kubectl, "apply", "-k", "config/default", "--server-side", "--force-conflicts"]
        check("apply -k config/default --server-side", forced, applied)
        check("diff -k config/default", [kubectl, "diff", "-k", "config/default"], [])
        sample = project / "painter.yaml"
        sample.write_text(PAINTER)
        check("apply a painter", [kubectl, "apply", "-f", sample], ["painter.clothes.example.com/red created"])
        check("get the painter", [kubectl, "get", "painters"], ["red"])
        check("delete the painter", [kubectl, "delete", "-f", sample], ['"red" deleted'])
        # The namespace takes its objects with it.
        delete = [kubectl, "delete", "-k", "config/default", "--ignore-not-found"]
        check("delete -k config/default", delete, ['"painters.clothes.example.com" deleted'])
        check("nothing is left", [kubectl, "get", "namespace", "-o", "name"], ["namespace/default"])
        environment["USE_EXISTING_CLUSTER"] = "true"
        check("the tests of the project", ["go", "test", "-count=1", "./internal/..."], ["ok "])
    return results


def scaffold(place: Place) -> pathlib.Path:
    tools = place.directory("bin")
    environment = {**os.environ, "GOBIN": str(tools)}
    for module in (f"sigs.k8s.io/kubebuilder/v4@{KUBEBUILDER}", f"sigs.k8s.io/controller-tools/cmd/controller-gen@{CONTROLLER_TOOLS}"):
        subprocess.run(["go", "install", module], cwd=place.target, env=environment, check=True)
    project = place.target / "kubebuilder/project"
    if project.exists():
        shutil.rmtree(project)
    project.mkdir(parents=True)
    group = ["--group", "clothes", "--version", "v1", "--kind", "Painter"]
    for words in (
        [tools / "kubebuilder", "init", "--domain", "example.com", "--repo", "example.com/project", "--skip-go-version-check"],
        [tools / "kubebuilder", "create", "api", *group, "--resource", "--controller", "--make=false"],
        [tools / "controller-gen", "object", "paths=./..."],
        [tools / "controller-gen", "rbac:roleName=manager-role", "crd", "paths=./...", "output:crd:artifacts:config=config/crd/bases"],
        ["go", "mod", "tidy"],
    ):
        done = subprocess.run(words, cwd=project, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: {words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return project


PAINTER = """\
apiVersion: clothes.example.com/v1
kind: Painter
metadata: {name: red, namespace: default}
spec: {foo: bar}
"""

SUITES = [
    Suite("kopf", KOPF, kopf),
    Suite("client-node", CLIENT_NODE, client_node),
    *(Suite(f"python/{packages[0].partition('==')[0]}", packages[0], functools.partial(python, program)) for program, packages in PYTHON.items()),
    Suite("fabric8", FABRIC8, fabric8),
    Suite("kubectl-apply", KUBECTL, kubectl_apply),
    Suite("kubebuilder", KUBEBUILDER, kubebuilder),
]
