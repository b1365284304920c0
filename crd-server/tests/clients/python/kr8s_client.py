"""The client kr8s: objects of a new class, patches, scales, waits, owners and watches."""

import kr8s
from checks import check, equal, shirt
from kr8s.objects import ConfigMap, Deployment, new_class

Shirt = new_class(kind="Shirt", version="stable.example.com/v1", namespaced=True, scalable=True)
made = Shirt(shirt("kr"))


@check
def the_version_and_the_resources_are_read():
    api = kr8s.api()
    assert api.version()["gitVersion"].startswith("v1."), api.version()
    assert any(resource["kind"] == "Shirt" for resource in api.api_resources())


@check
def a_shirt_is_created_and_patched():
    made.create()
    assert made.exists()
    made.patch({"spec": {"color": "blue"}})
    equal(made.spec.color, "blue")
    made.patch([{"op": "replace", "path": "/spec/color", "value": "red"}], type="json")
    equal(made.spec.color, "red")
    made.patch({"status": {"replicas": 1}}, subresource="status")
    equal(made.status.replicas, 1)


@check
def a_shirt_is_labelled_and_scaled():
    made.label(size="m")
    made.annotate({"note": "n"})
    equal((made.labels["size"], made.annotations["note"]), ("m", "n"))
    made.scale(3)
    equal(made.replicas, 3)


@check
def a_shirt_is_found_by_selectors():
    equal([found.name for found in kr8s.get("shirts", label_selector={"size": "m"}, field_selector="spec.color=red")], ["kr"])
    equal([found.name for found in kr8s.get("shirts.stable.example.com", "kr")], ["kr"])


@check
def a_condition_is_awaited():
    made.wait("jsonpath='{.status.replicas}'=1", timeout=5)


@check
def a_watch_begins_with_the_objects():
    Shirt(shirt("kr-2")).create()
    names = set()
    for kind, found in kr8s.watch("shirts"):
        equal(kind, "ADDED")
        names.add(found.name)
        if len(names) == 2:
            break
    equal(names, {"kr", "kr-2"})


@check
def a_config_map_is_adopted():
    owned = ConfigMap({"metadata": {"name": "kr", "namespace": "default"}, "data": {"a": "b"}})
    owned.create()
    made.adopt(owned)
    equal(owned.metadata.ownerReferences[0].name, "kr")


@check
def a_deployment_is_scaled():
    labels = {"app": "kr"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "kr", "image": "kr:1"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    deployment = Deployment({"metadata": {"name": "kr", "namespace": "default"}, "spec": spec})
    deployment.create()
    assert not deployment.ready()
    deployment.patch({"status": {"replicas": 4, "readyReplicas": 4}}, subresource="status")
    deployment.scale(4)
    equal(deployment.replicas, 4)


@check
def a_shirt_is_deleted():
    made.delete(propagation_policy="Background")
    made.wait("delete", timeout=5)
    assert not made.exists()
