#!/usr/bin/env python3
"""Writes `apply-kinds.yaml` and `write-kinds.yaml`: every kind of field of the definition `fields` in every course of server-side
apply, and of other writes.

    tests/conformance/sessions/generate.py

Each session shows one course with one kind of field, with values that have a part in common.
"""
import json, pathlib

# For each kind of field, by the name of the field: a value, another one that shares a part of it, and a part of the first.
KINDS = {
    "text": ("a", "b", "a"),
    "count": (1, 2, 1),
    "number": (1.5, 2, 1.5),
    "flag": (True, False, True),
    "time": ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-02T03:04:05Z"),
    "port": (80, "http", 80),
    "struct": ({"a": "x", "b": 1}, {"b": 2, "deep": {"x": "y"}}, {"a": "x"}),
    "map": ({"x": "1", "y": "2"}, {"y": "3", "z": "4"}, {"x": "1"}),
    "maps": ({"p": {"x": "1"}, "q": {"y": "2"}}, {"q": {"y": "3", "z": "4"}}, {"p": {"x": "1"}}),
    "structs": ({"p": {"a": "1", "b": "2"}}, {"p": {"b": "3"}, "q": {}}, {"p": {"a": "1"}}),
    "sets": ({"p": ["x", "y"]}, {"p": ["y", "z"], "q": []}, {"p": ["x"]}),
    "atomicMap": ({"x": "1"}, {"x": "1", "y": "2"}, {"x": "1"}),
    "atomicStruct": ({"a": "1"}, {"a": "1", "b": "2"}, {"a": "1"}),
    "list": (["x", "y"], ["y"], ["x", "y"]),
    "set": (["x", "y"], ["y", "z"], ["x"]),
    "numbers": ([3, 1], [2, 1], [3]),
    "items": (
        [{"name": "a", "value": 1}, {"name": "b", "labels": {"x": "1"}}],
        [{"name": "b", "labels": {"x": "2"}}, {"name": "c"}],
        [{"name": "a", "value": 1}],
    ),
    "atomicItems": (
        [{"name": "a", "value": 1}, {"name": "b"}], [{"name": "b", "value": 2}], [{"name": "a", "value": 1}],
    ),
    "defaulted": (
        [{"port": 1, "value": "x"}, {"port": 1, "protocol": "UDP"}], [{"port": 1, "value": "y"}, {"port": 2}],
        [{"port": 1, "protocol": "TCP", "value": "x"}],
    ),
    "any": ({"x": {"y": 1}, "list": [1]}, {"x": {"y": 2}, "z": "s"}, {"x": {"y": 1}}),
    "anyObject": ({"x": {"y": 1}, "list": [1]}, {"x": {"z": 2}, "list": [2]}, {"x": {"y": 1}}),
    "known": ({"a": "x", "other": {"y": 1}}, {"a": "y", "set": ["p"], "other": {"z": 1}}, {"other": {"y": 1}}),
    "object": (
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": "1"}}, "spec": {"y": 1}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"y": "1"}}, "spec": {"y": 2}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": "1"}}},
    ),
}

FORGET = {"do": "PATCH $R/a", "type": "merge", "body": {"metadata": {"managedFields": [{}]}}}

# The steps of each course, made of a value, another one, and a part of the first.
COURSES = {
    "changed and given up": lambda a, b, part: [apply("m1", a), apply("m1", b), apply("m1", part), apply("m1", None)],
    "shared by two appliers": lambda a, b, part: [apply("m1", a), apply("m2", part), apply("m1", None), apply("m2", None)],
    "two appliers in conflict": lambda a, b, part: [
        apply("m1", a), apply("m2", b), apply("m2&force=true", b), apply("m1", a), apply("m1", part)],
    "an updater and an applier": lambda a, b, part: [update("u", a, True), apply("m1", part), apply("m1", b), apply("m1", None)],
    "an applier and an updater": lambda a, b, part: [apply("m1", a), update("u", b), apply("m1", a), apply("m1", None)],
    "removed by an updater": lambda a, b, part: [apply("m1", a), update("u", None), apply("m1", part), update("u", None)],
    "owned by nobody": lambda a, b, part: [update("u", a, True), FORGET, apply("m1", b), apply("m1", None)],
}


def step(verb, manager, field, value):
    return {verb: manager, "spec": {} if value is None and verb != "update" else {field: value}}


def apply(manager, value):
    return lambda field: step("apply", manager, field, value)


def update(manager, value, is_new=False):
    return lambda field: step("create" if is_new else "update", manager, field, value)


def put(value, after):
    """Replaces the object that the answer of an earlier step contains."""
    metadata = {"name": "a", "resourceVersion": f"${{{after}.metadata.resourceVersion}}"}

    def one(field):
        spec = {} if value is None else {field: value}
        body = {"apiVersion": "$G/v1", "kind": "Shirt", "metadata": metadata, "spec": spec}
        return {"do": "PUT $R/a?fieldManager=p", "body": body}
    return one


def operations(*steps):
    """A JSON patch of operations on the field."""
    def one(field):
        path = {"path": f"/spec/{field}"}
        return {"json": "j", "patch": [{"op": op, **path, **({"value": value[0]} if value else {})} for op, *value in steps]}
    return one


WATCH = {"do": "GET $R?resourceVersion=${1.metadata.resourceVersion}", "watch": True}

# The steps of each course of writes that are no applies.
WRITES = {
    "merge patches": lambda a, b, part: [
        update("u", a, True), update("v", b), update("v", b), update("u", part), update("v", None), update("u", a), WATCH],
    "json patches": lambda a, b, part: [
        update("u", a, True), operations(("test", a), ("replace", b)), operations(("test", a), ("replace", a)),
        operations(("remove",)), operations(("remove",)), operations(("add", a), ("add", part)), operations(("replace", a))],
    "replacements": lambda a, b, part: [
        update("u", a, True), put(b, 1), put(b, 2), put(part, 3), put(None, 4), put(a, 5), put(b, 1), WATCH],
}


def sessions(heading, courses):
    lines = [f"# Made by generate.py: {heading}"]
    for field, values in KINDS.items():
        for course, steps in courses.items():
            lines += [f"{field}, {course}:", "  definitions: [fields]", "  steps:"]
            steps = [one if isinstance(one, dict) else one(field) for one in steps(*values)]
            lines += [f"  - {json.dumps(one)}" for one in steps]
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(__file__).parent
    applies = sessions("every kind of field in every course of server-side apply.", COURSES)
    (folder / "apply-kinds.yaml").write_text(applies)
    (folder / "write-kinds.yaml").write_text(sessions("every kind of field in every course of other writes.", WRITES))


main()
