"""The client `kubernetes`: typed, custom and dynamic objects, watches, events and leases, as its documentation writes them."""

import datetime

from checks import check, equal, shirt
from kubernetes import client, config, dynamic, utils, watch

config.load_kube_config()
core, apps, custom = client.CoreV1Api(), client.AppsV1Api(), client.CustomObjectsApi()
SHIRTS = ("stable.example.com", "v1", "default", "shirts")


def meta(name: str) -> client.V1ObjectMeta:
    return client.V1ObjectMeta(name=name)


def fails(status: int, function) -> None:
    try:
        function()
    except client.ApiException as error:
        equal(error.status, status)
    else:
        raise AssertionError(f"no error {status}")


@check
def the_version_is_read():
    equal(client.VersionApi().get_code().major, "1")


@check
def a_namespace_without_kind_is_created():
    equal(core.create_namespace(client.V1Namespace(metadata=meta("team"))).status.phase, "Active")


@check
def a_config_map_without_kind_is_created():
    created = core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=meta("map"), data={"a": "b"}))
    equal(created.data, {"a": "b"})
    fails(409, lambda: core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=meta("map"))))


@check
def an_item_of_a_list_is_replaced():
    item = next(item for item in core.list_namespaced_config_map("default").items if item.metadata.name == "map")
    item.data["c"] = "d"
    replaced = core.replace_namespaced_config_map("map", "default", item)
    equal(replaced.data, {"a": "b", "c": "d"})
    fails(409, lambda: core.replace_namespaced_config_map("map", "default", item))


@check
def a_config_map_is_patched():
    equal(core.patch_namespaced_config_map("map", "default", {"data": {"a": None}}).data, {"c": "d"})
    equal(core.patch_namespaced_config_map("map", "default", [{"op": "add", "path": "/data/e", "value": "f"}]).data, {"c": "d", "e": "f"})


@check
def a_secret_is_created_from_strings():
    secret = core.create_namespaced_secret("default", client.V1Secret(metadata=meta("key"), string_data={"a": "b"}))
    equal((secret.type, secret.data), ("Opaque", {"a": "Yg=="}))


@check
def a_config_map_is_deleted_with_options():
    options = client.V1DeleteOptions(propagation_policy="Background", grace_period_seconds=0)
    equal(core.delete_namespaced_config_map("map", "default", body=options)["status"], "Success")
    fails(404, lambda: core.read_namespaced_config_map("map", "default"))


@check
def a_deployment_is_scaled_and_its_status_written():
    labels = {"app": "web"}
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[client.V1Container(name="web", image="web:1")])
    )
    spec = client.V1DeploymentSpec(replicas=1, selector=client.V1LabelSelector(match_labels=labels), template=template)
    created = apps.create_namespaced_deployment("default", client.V1Deployment(metadata=meta("web"), spec=spec))
    equal(created.spec.strategy.type, "RollingUpdate")
    equal(apps.patch_namespaced_deployment_scale("web", "default", {"spec": {"replicas": 3}}).spec.replicas, 3)
    created = apps.read_namespaced_deployment("web", "default")
    created.status.replicas = 3
    equal(apps.replace_namespaced_deployment_status("web", "default", created).status.replicas, 3)


@check
def containers_are_merged_by_name():
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "log", "image": "log:1"}]}}}}
    patched = apps.patch_namespaced_deployment("web", "default", patch)
    equal(sorted(container.name for container in patched.spec.template.spec.containers), ["log", "web"])


@check
def a_shirt_is_created_patched_and_scaled():
    equal(custom.create_namespaced_custom_object(*SHIRTS, shirt("py"))["spec"], {"color": "red", "replicas": 2})
    equal(custom.patch_namespaced_custom_object(*SHIRTS, "py", {"spec": {"color": "blue"}})["spec"]["color"], "blue")
    equal(custom.get_namespaced_custom_object_scale(*SHIRTS, "py")["spec"]["replicas"], 2)
    status = {"status": {"replicas": 2}}
    equal(custom.patch_namespaced_custom_object_status(*SHIRTS, "py", status)["status"], {"replicas": 2})


@check
def a_wrong_shirt_is_rejected():
    fails(422, lambda: custom.create_namespaced_custom_object(*SHIRTS, shirt("wrong", color="pink")))


@check
def a_watch_sees_each_change():
    custom.create_namespaced_custom_object(*SHIRTS, shirt("seen"))
    custom.patch_namespaced_custom_object(*SHIRTS, "seen", {"spec": {"color": "blue"}})
    custom.delete_namespaced_custom_object(*SHIRTS, "seen")
    version = custom.list_namespaced_custom_object(*SHIRTS)["metadata"]["resourceVersion"]
    custom.create_namespaced_custom_object(*SHIRTS, shirt("later"))
    custom.patch_namespaced_custom_object(*SHIRTS, "later", {"spec": {"color": "blue"}})
    custom.delete_namespaced_custom_object(*SHIRTS, "later")
    stream = watch.Watch().stream(custom.list_namespaced_custom_object, *SHIRTS, resource_version=version, timeout_seconds=2)
    equal([(event["type"], event["object"]["metadata"]["name"]) for event in stream], [(kind, "later") for kind in ("ADDED", "MODIFIED", "DELETED")])


@check
def typed_objects_are_watched():
    core.create_namespaced_config_map("team", client.V1ConfigMap(metadata=meta("watched")))
    stream = watch.Watch().stream(core.list_namespaced_config_map, "team", timeout_seconds=1)
    equal([(event["type"], event["object"].metadata.name) for event in stream if event["object"].metadata.name == "watched"], [("ADDED", "watched")])


@check
def the_dynamic_client_applies_and_patches():
    shirts = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="stable.example.com/v1", kind="Shirt")
    equal(shirts.server_side_apply(body=shirt("dynamic"), namespace="default", field_manager="py").spec.color, "red")
    kind = "application/merge-patch+json"
    patched = shirts.status.patch(body={"status": {"replicas": 1}}, name="dynamic", namespace="default", content_type=kind)
    equal(patched.status.replicas, 1)
    equal([found.metadata.name for found in shirts.get(namespace="default", field_selector="spec.color=red").items], ["dynamic"])
    equal(shirts.delete(name="dynamic", namespace="default").status, "Success")


@check
def objects_are_created_from_a_dictionary():
    equal(utils.create_from_dict(client.ApiClient(), {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})[0].metadata.name, "robot")


@check
def an_event_is_posted():
    about = client.V1ObjectReference(api_version="stable.example.com/v1", kind="Shirt", name="py", namespace="default")
    event = client.CoreV1Event(metadata=client.V1ObjectMeta(generate_name="py-"), involved_object=about, reason="Tried", message="on", type="Normal")
    # Events of `events.k8s.io` must have a time.
    event.event_time = datetime.datetime.now(datetime.timezone.utc)
    name = core.create_namespaced_event("default", event).metadata.name
    equal([found.metadata.name for found in core.list_namespaced_event("default", field_selector="involvedObject.name=py").items], [name])
    equal(client.EventsV1Api().read_namespaced_event(name, "default").note, "on")


@check
def a_lease_is_created_and_renewed():
    leases = client.CoordinationV1Api()
    lease = leases.create_namespaced_lease("default", client.V1Lease(metadata=meta("lease"), spec=client.V1LeaseSpec(holder_identity="me")))
    lease.spec.holder_identity = "you"
    equal(leases.replace_namespaced_lease("lease", "default", lease).spec.holder_identity, "you")


@check
def a_crd_is_created_and_removed():
    crds = client.ApiextensionsV1Api()
    names = client.V1CustomResourceDefinitionNames(plural="hats", kind="Hat")
    schema = client.V1CustomResourceValidation(open_apiv3_schema=client.V1JSONSchemaProps(type="object"))
    version = client.V1CustomResourceDefinitionVersion(name="v1", served=True, storage=True, schema=schema)
    spec = client.V1CustomResourceDefinitionSpec(group="stable.example.com", scope="Namespaced", names=names, versions=[version])
    crds.create_custom_resource_definition(client.V1CustomResourceDefinition(metadata=meta("hats.stable.example.com"), spec=spec))
    conditions = crds.read_custom_resource_definition("hats.stable.example.com").status.conditions
    equal({condition.type: condition.status for condition in conditions}["Established"], "True")
    crds.delete_custom_resource_definition("hats.stable.example.com")
    fails(404, lambda: crds.read_custom_resource_definition("hats.stable.example.com"))
