"""An operator that dyes shirts. It uses handlers of each kind that kopf has, and posts events."""

import asyncio
import logging

import kopf

SHIRTS = ("stable.example.com", "v1", "shirts")


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.posting.level = logging.INFO
    settings.posting.loggers = True
    settings.persistence.finalizer = "stable.example.com/dyer"


@kopf.on.create(*SHIRTS)
def dye(body, spec, patch, logger, **_):
    logger.info("dyed %s", spec["color"])
    kopf.event(body, type="Normal", reason="Dyed", message=f"The shirt is {spec['color']}.")
    patch.status["replicas"] = spec["replicas"]


@kopf.on.field(*SHIRTS, field="spec.color")
def dye_again(old, new, patch, **_):
    if old is not None:
        patch.metadata.annotations["dyed"] = f"{old}-{new}"


@kopf.on.update(*SHIRTS)
def count(spec, patch, **_):
    patch.status["replicas"] = spec["replicas"]


@kopf.timer(*SHIRTS, interval=1, initial_delay=0.5)
def wash(patch, **_):
    patch.metadata.annotations["washed"] = "yes"


@kopf.daemon(*SHIRTS)
async def dry(body, stopped, **_):
    kopf.info(body, reason="Drying", message="The shirt dries.")
    while not stopped:
        await asyncio.sleep(0.2)


@kopf.index(*SHIRTS)
def by_color(name, spec, **_):
    return {spec["color"]: name}


@kopf.on.event("v1", "configmaps", labels={"basket": "yes"})
async def collect(body, name, namespace, by_color: kopf.Index, event, **_):
    if event["type"] != "DELETED":
        red = sorted(by_color.get("red", []))
        kopf.info(body, reason="Collected", message=f"{len(red)} red: {', '.join(red)}")


@kopf.on.delete(*SHIRTS)
def throw_away(retry, **_):
    if retry == 0:
        raise kopf.TemporaryError("it is still wet", delay=0.5)
