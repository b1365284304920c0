// Works with shirts through types that openapi-typescript has generated. A wrong color is an error of the compiler.
import createClient from "openapi-fetch";
import type { components, paths } from "./v3.js";

type Shirt = components["schemas"]["com.example.stable.v1.Shirt"];

const client = createClient<paths>({ baseUrl: process.argv[2] });
const shirts = "/apis/stable.example.com/v1/namespaces/{namespace}/shirts";
const namespace = "default";

function expect(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`expected ${expected}, found ${found}`);
}

// @ts-expect-error: the type has the values of the enumeration
const wrong: Shirt = { spec: { color: "purple" } };
expect(wrong.kind, undefined);

const shirt: Shirt = {
  apiVersion: "stable.example.com/v1",
  kind: "Shirt",
  metadata: { name: "typed" },
  spec: { color: "red", sizes: [{ name: "small", width: 40 }] },
};
const created = await client.POST(shirts, { params: { path: { namespace } }, body: shirt });
expect(created.response.status, 201);
expect(created.data?.spec.replicas, 1);

const path = { namespace, name: "typed" };
const changed = await client.PUT(`${shirts}/{name}`, {
  params: { path },
  body: { ...created.data!, spec: { ...created.data!.spec, color: "blue" } },
});
expect(changed.data?.metadata?.generation, 2);

const listed = await client.GET(shirts, { params: { path: { namespace }, query: { fieldSelector: "spec.color=blue" } } });
expect(listed.data?.items.map((item) => item.metadata?.name).join(), "typed");

const rejected = await client.POST(shirts, { params: { path: { namespace } }, body: { ...shirt, spec: { color: "green", replicas: 9 } } });
expect(rejected.response.status, 422);

const deleted = await client.DELETE(`${shirts}/{name}`, { params: { path } });
expect(deleted.data?.status, "Success");
console.log("TypeScript: created, changed, listed, rejected and deleted a shirt");
