#!/usr/bin/env python3
"""Records the answers of a real API server to the sessions of this folder.

    tests/conformance/sessions/record.py KUBECONFIG [THEME...] [--release 1.37]

KUBECONFIG is that of a server without custom resources, such as `tests/crdserver` and, for the themes `built-in` and `built-in-types`, `tests/apiserver` print. Every session gets a group of its
own, so sessions do not meet. With `--release`, only the sessions with answers other than the recorded ones are written.
README.md describes the format of sessions and answers.
"""
import argparse, base64, http.client, json, pathlib, re, ssl, time
from concurrent.futures import ThreadPoolExecutor
import yaml

FOLDER = pathlib.Path(__file__).parent
# The themes of the server of `tests/crdserver`. The others need that of `tests/apiserver`, and are recorded where they are named.
THEMES = {path.stem for path in FOLDER.glob("*.yaml")} - {"definitions", "built-in", "built-in-types"}
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TYPES = {"json": "application/json-patch+json", "merge": "application/merge-patch+json",
         "apply": "application/apply-patch+yaml", "strategic": "application/strategic-merge-patch+json"}


class Server:
    def __init__(self, kubeconfig):
        config = yaml.safe_load(open(kubeconfig))
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=authority)
        # The loopback certificate of the server is for this name, not for its address.
        self.address = cluster["server"].removeprefix("https://")
        self.name = cluster.get("tls-server-name", self.address.split(":")[0])
        self.token = user["token"]

    def send(self, method, path, headers=(), body=None):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.connect()
        connection.sock = self.context.wrap_socket(connection.sock, server_hostname=self.name)
        headers = {"Authorization": f"Bearer {self.token}", "User-Agent": "session/1", **dict(headers)}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read().decode()


def substitute(value, group, answers):
    """`$G` is the group of the session, `$N` its namespace; `${2.metadata.uid}` is a field of the second answer."""
    if isinstance(value, dict):
        return {substitute(key, group, answers): substitute(item, group, answers) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, group, answers) for item in value]
    if not isinstance(value, str):
        return value

    def field(match):
        found = answers[int(match[1]) - 1]
        for name in match[2].split("."):
            found = found[int(name)] if isinstance(found, list) else found[name]
        return str(found)
    value = value.replace("$R", "/apis/$G/v1/namespaces/d/shirts").replace("$G", group).replace("$N", namespace(group))
    return re.sub(r"\$\{(\d+)\.([^}]+)\}", field, value)


def namespace(group):
    return group.split(".")[0]


def crd(definition, group):
    definition = json.loads(json.dumps(definition).replace("$G", group))
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{definition['names']['plural']}.{group}"}, "spec": {"group": group, **definition}}


def expand(step):
    """The request that a step with a manager stands for: `apply`, `create`, `update` (a merge patch) or `json`."""
    verb = next((verb for verb in ("apply", "create", "update", "json") if verb in step), None)
    if verb is None:
        return step
    version, name = step.get("version", "v1"), step.get("name", "a")
    path = f"/apis/$G/{version}/namespaces/d/shirts"
    if verb != "create":
        path += f"/{name}" + (f"/{step['sub']}" if "sub" in step else "")
    method = "POST" if verb == "create" else "PATCH"
    request = {"do": f"{method} {path}?fieldManager={step[verb]}"}
    if verb == "json":
        return {**request, "type": "json", "body": step["patch"]}
    fields = {key: step[key] for key in ("metadata", "spec", "status") if key in step}
    if verb == "update":
        return {**request, "type": "merge", "body": fields}
    if verb == "apply":
        request["type"] = "apply"
    fields["metadata"] = {"name": name, **step.get("metadata", {})}
    head = {"apiVersion": f"$G/{version}", "kind": "Shirt"}
    if step.get("sub") == "scale":
        head = {"apiVersion": "autoscaling/v1", "kind": "Scale"}
    return {**request, "body": {**head, **fields}}


def request(step, group, answers):
    step = expand(step)
    method, path = substitute(step["do"], group, answers).split(" ", 1)
    headers = {}
    if "accept" in step:
        headers["Accept"] = step["accept"]
    body = None
    if "object" in step:
        body = json.dumps({"apiVersion": f"{group}/v1", "kind": "Shirt", **substitute(step["object"], group, answers)})
    elif "body" in step:
        body = json.dumps(substitute(step["body"], group, answers))
    elif "text" in step:
        body = substitute(step["text"], group, answers)
    if body is not None:
        headers["Content-Type"] = TYPES.get(step.get("type"), step.get("type", "application/json"))
    if step.get("watch"):
        path += ("&" if "?" in path else "?") + "watch=1&timeoutSeconds=1"
    return method, path, headers, body


def decoded(text, media_type):
    """JSON or YAML as a value, and other answers as text."""
    if (media_type or "").startswith("application/yaml"):
        return yaml.safe_load(text)
    try:
        return json.loads(text)
    except ValueError:
        return text


def of_session(body, group):
    """A list of all groups with that of the session alone: sessions run at the same time."""
    if isinstance(body, dict) and body.get("kind") == "APIGroupDiscoveryList":
        body["items"] = [item for item in body["items"] if item["metadata"]["name"] == group]
    return body


def run(server, group, session, definitions):
    for name in session.get("definitions", ["shirts"]):
        definition = json.dumps(crd(definitions[name], group))
        response, text = server.send("POST", CRDS, {"Content-Type": "application/json"}, definition)
        assert response.status == 201, text
    bodies, answers = [], []
    for name in session.get("definitions", ["shirts"]):
        established(server, f"{definitions[name]['names']['plural']}.{group}")
        if any("watch" in step for step in session["steps"]):
            start_caches(server, definitions[name], group)
    time.sleep(session.get("settle", 0))
    for step in session["steps"]:
        if "established" in step:
            established(server, substitute(step["established"], group, bodies))
            time.sleep(1)
            continue
        if "sleep" in step:
            time.sleep(step["sleep"])
            continue
        if "gone" in step:
            for _ in range(600):
                if server.send("GET", substitute(step["gone"], group, bodies))[0].status == 404:
                    break
                time.sleep(0.1)
            continue
        while True:
            response, text = server.send(*request(step, group, bodies))
            if response.status != 429:
                break
            time.sleep(0.5)
        warnings = [warning for key, warning in response.getheaders() if key.lower() == "warning"]
        if step.get("watch") and response.status == 200:
            body = [json.loads(line) for line in text.splitlines()]
        else:
            body = decoded(text, response.getheader("Content-Type"))
        body = of_session(body, group)
        bodies.append(body)
        answer = {"code": response.status, "body": body}
        if encoding := "yaml" if response.getheader("Content-Type", "").startswith("application/yaml") else "pretty" if text.startswith("{\n") else None:
            answer["encoding"] = encoding
        if warnings:
            answer["warnings"] = warnings
        answers.append(answer)
    return answers


def established(server, name):
    for _ in range(100):
        body = json.loads(server.send("GET", f"{CRDS}/{name}")[1])
        conditions = {c["type"]: c["status"] for c in (body.get("status") or {}).get("conditions") or []}
        if conditions.get("Established") == "True":
            return
        time.sleep(0.1)
    raise SystemExit(f"{name} is not established")


def start_caches(server, definition, group):
    """Lists the objects of each version: the first request starts the cache for its watches, which refuses revisions from before."""
    for version in definition["versions"]:
        path = f"/apis/{group}/{version['name']}/{definition['names']['plural']}"
        while version["served"] and server.send("GET", path)[0].status != 200:
            time.sleep(0.1)


TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def normalise(answers):
    """The same replacements as in `crd-server/tests/sessions.rs`."""
    names, revisions = {}, {}

    def collect(value):
        if isinstance(value, list):
            for item in value:
                collect(item)
        if isinstance(value, dict):
            uid = value.get("uid")
            if isinstance(uid, str) and re.fullmatch(r"[0-9a-f-]{36}", uid) and uid not in names:
                names[uid] = f"<uid {sum(name.startswith('<uid') for name in names.values()) + 1}>"
            # The server shortens a long prefix.
            prefix = (value.get("generateName") or "")[:58]
            if prefix and value.get("name", "").startswith(prefix):
                names.setdefault(value["name"], prefix + "<suffix>")
            if "resourceVersion" in value and "uid" in value:
                revisions.setdefault(value["resourceVersion"], f"<revision {len(revisions) + 1}>")
            for item in value.values():
                collect(item)
    collect(answers)

    def replace(value):
        if isinstance(value, list):
            return [replace(item) for item in value]
        if isinstance(value, dict):
            result = {}
            for key, item in value.items():
                if key == "resourceVersion" and "uid" in value:
                    item = revisions[item]
                elif key == "resourceVersion":
                    item = "<list>" if item else item
                elif key == "continue":
                    item = "<continue>" if item else item
                elif key == "cells":
                    item = [replace(re.sub(r"^\d+s$", "<age>", cell)) if isinstance(cell, str) else cell for cell in item]
                else:
                    item = replace(item)
                result[key] = item
            return result
        if isinstance(value, str):
            for found, name in names.items():
                value = value.replace(found, name)
            value = value.replace("crdserver", "kube-apiserver")
            value = re.sub(r"Key: /[0-9a-f-]{36}/", "Key: /registry/", value)
            value = re.sub(r'(resourceVersion\\*":\\*")\d+', r"\1<revision>", value)
            value = re.sub(r"in the precondition \(\d+\)", "in the precondition (<revision>)", value)
            value = re.sub(r"(ResourceVersion in object meta: )\d+", r"\1<revision>", value)
            value = re.sub(r"in record \(\d+\)", "in record (<revision>)", value)
            value = re.sub(r"too old resource version: \d+ \(\d+\)", "too old resource version: <revision> (<oldest>)", value)
            value = re.sub(r"current: \d+", "current: <revision>", value)
            return TIME.sub("<time>", value)
        return value
    return replace(answers)


def remove(server, groups):
    """Removes the definitions of sessions, which the server would keep compiled. This takes it seconds for each."""
    for definition in json.loads(server.send("GET", CRDS)[1])["items"]:
        if definition["spec"]["group"].startswith(groups):
            server.send("DELETE", f"{CRDS}/{definition['metadata']['name']}")


def write(path, recorded):
    lines = []
    for name, answers in recorded.items():
        rows = ",\n".join("  " + json.dumps(answer, ensure_ascii=False) for answer in answers)
        lines.append(f"{json.dumps(name)}: [\n{rows}\n]")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kubeconfig")
    parser.add_argument("themes", nargs="*")
    parser.add_argument("--release")
    arguments = parser.parse_intermixed_args()
    server = Server(arguments.kubeconfig)
    definitions = yaml.safe_load((FOLDER / "definitions.yaml").read_text())
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.stem not in (arguments.themes or THEMES):
            continue
        sessions = yaml.safe_load(path.read_text())
        run_id = int(time.time()) % 1_000_000

        def one(item):
            index, (name, session) = item
            group = f"r{run_id}x{index}.example.com"
            try:
                text = json.dumps(normalise(run(server, group, session, definitions)))
            except Exception as error:
                raise RuntimeError(f"`{path.stem}: {name}` cannot be recorded") from error
            return name, json.loads(text.replace(group, "$G").replace(namespace(group), "$N"))
        # A new definition delays the first create by two seconds; sessions wait for that together.
        with ThreadPoolExecutor(16) as pool:
            recorded = dict(pool.map(one, enumerate(sessions.items())))
        remove(server, f"r{run_id}x")
        answers = path.with_suffix(".answers.json")
        if arguments.release:
            known = json.loads(answers.read_text())
            recorded = {name: found for name, found in recorded.items() if comparable(found) != comparable(known[name])}
            answers = path.with_suffix(f".{arguments.release}.answers.json")
            answers.unlink(missing_ok=True)
        if recorded:
            write(answers, recorded)
        print(path.stem, len(recorded))


def comparable(value):
    """Answers without hashes of discovery, and with entries of `managedFields` and causes in an order that does not depend on time."""
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: comparable(item) for key, item in value.items() if key != "storageVersionHash"}
    if isinstance(value.get("managedFields"), list):
        value["managedFields"].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
    if isinstance(value.get("causes"), list):
        value["causes"].sort(key=lambda cause: json.dumps(cause, sort_keys=True))
    if isinstance(value.get("message"), str) and " is invalid: [" in value["message"]:
        head, parts = value["message"].split(" is invalid: [", 1)
        value["message"] = head + " is invalid: [" + ", ".join(sorted(parts.rstrip("]").split(", "))) + "]"
    return value


main()
