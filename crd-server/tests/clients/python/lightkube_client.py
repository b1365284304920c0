"""The client lightkube: typed and custom objects, server-side apply, patches, scales, pages, watches and waits."""

from checks import check, equal
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.autoscaling_v1 import ScaleSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap, Namespace
from lightkube.types import PatchType

Shirt = create_namespaced_resource("stable.example.com", "v1", "Shirt", "shirts")
client = Client(field_manager="lightkube")


def shirt(name: str, color: str = "red"):
    return Shirt(metadata=ObjectMeta(name=name, namespace="default"), spec={"color": color})


@check
def a_namespace_and_a_config_map_are_created():
    client.create(Namespace(metadata=ObjectMeta(name="light")))
    created = client.create(ConfigMap(metadata=ObjectMeta(name="map", namespace="light"), data={"a": "b"}))
    created.data["c"] = "d"
    equal(client.replace(created).data, {"a": "b", "c": "d"})


@check
def objects_are_applied():
    equal(client.apply(shirt("applied")).spec, {"color": "red", "replicas": 1})
    equal(client.apply(ConfigMap(metadata=ObjectMeta(name="applied", namespace="default"), data={"a": "b"})).data, {"a": "b"})
    try:
        client.apply(shirt("applied", "blue"), field_manager="other")
    except ApiError as error:
        equal(error.status.code, 409)
    else:
        raise AssertionError("no conflict")
    equal(client.apply(shirt("applied", "blue"), field_manager="other", force=True).spec["color"], "blue")


@check
def objects_are_patched():
    equal(client.patch(Shirt, "applied", {"spec": {"color": "red"}}, patch_type=PatchType.MERGE).spec["color"], "red")
    equal(client.patch(Shirt.Status, "applied", {"status": {"replicas": 1}}, patch_type=PatchType.MERGE).status, {"replicas": 1})
    equal(client.patch(ConfigMap, "applied", {"data": {"c": "d"}}).data, {"a": "b", "c": "d"})


@check
def a_shirt_is_scaled():
    scale = client.get(Shirt.Scale, "applied")
    scale.spec = ScaleSpec(replicas=4)
    equal(client.replace(scale).spec.replicas, 4)


@check
def a_list_is_read_in_pages():
    for name in ["page-1", "page-2", "page-3"]:
        client.create(shirt(name))
    equal([found.metadata.name for found in client.list(Shirt, chunk_size=1)], ["applied", "page-1", "page-2", "page-3"])


@check
def a_watch_sees_objects():
    equal([next(stream)[0] for stream in [client.watch(Shirt)]], ["ADDED"])


@check
def a_condition_is_awaited():
    labels = {"app": "light"}
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a"}]}}}
    client.create(Deployment.from_dict({"metadata": {"name": "light", "namespace": "default"}, "spec": spec}))
    status = {"status": {"conditions": [{"type": "Available", "status": "True"}]}}
    client.patch(Deployment.Status, "light", status)
    equal(client.wait(Deployment, "light", for_conditions=["Available"]).metadata.name, "light")


@check
def objects_are_deleted():
    client.delete(Shirt, "page-1")
    client.deletecollection(Shirt)
    equal(list(client.list(Shirt)), [])
