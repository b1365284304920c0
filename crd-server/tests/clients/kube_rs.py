"""The tests of kube that need a cluster, from its published crates."""

import functools
import json
import pathlib
import re
import subprocess
import tomllib

from place import Place, Suite

VERSION = "5.0.0"
# The crates, with the features of their tests.
CRATES = {
    "kube-client": "client,config,rustls-tls,ring,ws,jsonpatch,unstable-client",
    "kube-runtime": "",
    "kube": "client,config,rustls-tls,ring,derive,runtime",
}


def run(crate: str, place: Place) -> dict[str, str | None]:
    sources = copied(place)
    absent = tomllib.loads((place.here / "expected.toml").read_text()).get(f"kube-rs/{crate}", {}).get("absent", {})
    cargo = ["cargo", "test", "--quiet", "-p", crate, "--lib", "--features", CRATES[crate], "--target-dir", str(sources / "target")]
    subprocess.run([*cargo, "--no-run"], cwd=sources, check=True)
    # The tests share nodes, pods and a client, so they run one after the other.
    skipped = [word for name in absent for word in ("--skip", name)]
    with place.served() as environment:
        words = [*cargo, "--", "--ignored", "--test-threads=1", "--format=pretty", *skipped]
        done = subprocess.run(words, cwd=sources, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (place.directory("reports") / f"{crate}.log").write_text(done.stdout)
    return results(done.stdout)


def results(output: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in re.findall(r"^test (\S+)(?: - should panic)? \.\.\. ", output, re.MULTILINE):
        found[name] = None
    for name in re.findall(r"^    (\S+)$", output.rpartition("\nfailures:\n")[2], re.MULTILINE):
        text = re.search(rf"^---- {re.escape(name)} stdout ----\n(.*?)(?=^---- |^failures:$)", output, re.MULTILINE | re.DOTALL)
        found[name] = text.group(1) if text else "no output"
    return found


def copied(place: Place) -> pathlib.Path:
    """Returns a workspace with copies of the published crates, which cargo downloads for a package that depends on them."""
    package = place.directory("kube-rs/package")
    dependency = f'kube = {{ version = "={VERSION}", features = ["client", "runtime", "derive"] }}'
    (package / "Cargo.toml").write_text(f'[workspace]\n[package]\nname = "package"\nedition = "2024"\n[dependencies]\n{dependency}\n')
    package.joinpath("src").mkdir(exist_ok=True)
    (package / "src/lib.rs").touch()
    words = ["cargo", "metadata", "--format-version=1"]
    packages = json.loads(subprocess.run(words, cwd=package, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    manifests = {found["name"]: pathlib.Path(found["manifest_path"]) for found in packages if found["version"] == VERSION}
    for crate in CRATES:
        copy = place.copy(manifests[crate].parent, f"kube-rs/{crate}")
        # It may name releases that were withdrawn.
        copy.joinpath("Cargo.lock").unlink(missing_ok=True)
    # The published crates lack this dependency of their tests, which is a cycle.
    for crate, feature in {"kube-client": "ws", "kube-runtime": "runtime"}.items():
        with (place.target / "kube-rs" / crate / "Cargo.toml").open("a") as file:
            file.write(f'\n[dev-dependencies.kube]\npath = "../kube"\nfeatures = ["derive", "client", "{feature}"]\n')
    patches = "".join(f'{crate} = {{ path = "{crate}" }}\n' for crate in CRATES)
    workspace = place.target / "kube-rs"
    members = ", ".join(f'"{crate}"' for crate in CRATES)
    (workspace / "Cargo.toml").write_text(f'[workspace]\nresolver = "2"\nmembers = [{members}]\nexclude = ["package"]\n\n[patch.crates-io]\n{patches}')
    return workspace


SUITES = [Suite(f"kube-rs/{crate}", VERSION, functools.partial(run, crate)) for crate in CRATES]
