"""Works with shirts through models that datamodel-code-generator has generated. They reject a wrong color."""
import sys
import urllib.error
import urllib.request

from pydantic import ValidationError

from models.com.example.stable.v1 import Shirt, ShirtList

SHIRTS = f"{sys.argv[1]}/apis/stable.example.com/v1/namespaces/default/shirts"


def send(method, url, body=None):
    data = body.model_dump_json(exclude_none=True, by_alias=True).encode() if body else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        return urllib.request.urlopen(request).read()
    except urllib.error.HTTPError as error:
        return error.code


def shirt(**spec):
    return Shirt.model_validate(
        {"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "modelled"}, "spec": spec})


try:
    shirt(color="purple")
    sys.exit("the model accepts a color that the enumeration does not have")
except ValidationError:
    pass
created = Shirt.model_validate_json(send("POST", SHIRTS, shirt(color="red", sizes=[{"name": "small", "width": 40}])))
assert created.spec.replicas == 1, created
created.spec.replicas = 3
changed = Shirt.model_validate_json(send("PUT", f"{SHIRTS}/modelled", created))
assert changed.metadata.generation == 2, changed
listed = ShirtList.model_validate_json(send("GET", SHIRTS))
assert [(item.metadata.name, item.spec.replicas) for item in listed.items] == [("modelled", 3)], listed
assert send("POST", SHIRTS, shirt(color="green", replicas=9)) == 422
assert b'"Success"' in send("DELETE", f"{SHIRTS}/modelled")
print("Python: created, changed, listed, rejected and deleted a shirt")
