"""The programs of this directory, each with the client that it uses, and a project of kubebuilder."""

import functools
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
        check("apply -k config/default again", [kubectl, "apply", "-k", "config/default"], unchanged)
        applied = [line.replace(" created", " serverside-applied") for line in created]
        forced = [kubectl, "apply", "-k", "config/default", "--server-side", "--force-conflicts"]
        check("apply -k config/default --server-side", forced, applied)
        check("diff -k config/default", [kubectl, "diff", "-k", "config/default"], [])
        check("apply -k config/samples", [kubectl, "apply", "-k", "config/samples"], ["painter.clothes.example.com/painter-sample created"])
        check("get the sample", [kubectl, "get", "painters"], ["painter-sample"])
        check("delete -k config/samples", [kubectl, "delete", "-k", "config/samples"], ['"painter-sample" deleted'])
        check("delete -k config/default", [kubectl, "delete", "-k", "config/default"], ['"painters.clothes.example.com" deleted'])
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


SUITES = [
    Suite("kopf", KOPF, kopf),
    Suite("client-node", CLIENT_NODE, client_node),
    *(Suite(f"python/{packages[0].partition('==')[0]}", packages[0], functools.partial(python, program)) for program, packages in PYTHON.items()),
    Suite("fabric8", FABRIC8, fabric8),
    Suite("kubebuilder", KUBEBUILDER, kubebuilder),
]
