"""The client `kubernetes_asyncio`: custom objects, watches, patches and objects without a kind."""

import asyncio

from checks import equal, report, shirt
from kubernetes_asyncio import client, config, watch

SHIRTS = ("stable.example.com", "v1", "default", "shirts")


async def a_shirt_is_created_and_watched(api):
    custom = client.CustomObjectsApi(api)
    await custom.create_namespaced_custom_object(*SHIRTS, shirt("async"))
    found = []
    async with watch.Watch().stream(custom.list_namespaced_custom_object, *SHIRTS, timeout_seconds=1) as stream:
        async for event in stream:
            found.append((event["type"], event["object"]["metadata"]["name"]))
    equal(found, [("ADDED", "async")])


async def a_shirt_is_patched(api):
    custom = client.CustomObjectsApi(api)
    kind = "application/merge-patch+json"
    patched = await custom.patch_namespaced_custom_object(*SHIRTS, "async", {"spec": {"color": "blue"}}, _content_type=kind)
    equal(patched["spec"]["color"], "blue")


async def a_config_map_without_kind_is_created(api):
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="async"), data={"a": "b"})
    core = client.CoreV1Api(api)
    equal((await core.create_namespaced_config_map("default", body)).data, {"a": "b"})
    listed = await core.list_namespaced_config_map("default", label_selector="", field_selector="metadata.name=async")
    equal(len(listed.items), 1)


async def many_objects_are_created_at_a_time(api):
    core = client.CoreV1Api(api)
    bodies = [client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"many-{i}", labels={"many": "yes"})) for i in range(100)]
    await asyncio.gather(*(core.create_namespaced_config_map("default", body) for body in bodies))
    equal(len((await core.list_namespaced_config_map("default", label_selector="many=yes")).items), 100)


async def main():
    await config.load_kube_config()
    async with client.ApiClient() as api:
        for function in [
            a_shirt_is_created_and_watched,
            a_shirt_is_patched,
            a_config_map_without_kind_is_created,
            many_objects_are_created_at_a_time,
        ]:
            try:
                await function(api)
            except Exception as error:
                report(function.__name__.replace("_", " "), error)
            else:
                report(function.__name__.replace("_", " "), None)


asyncio.run(main())
