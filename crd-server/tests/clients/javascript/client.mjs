// The client of Kubernetes for JavaScript, with the kubeconfig of the server: informer, watch, patches of all kinds, apply, typed objects.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
config.loadFromDefault();
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const shirts = { group: 'stable.example.com', version: 'v1', namespace: 'default', plural: 'shirts' };
const path = '/apis/stable.example.com/v1/namespaces/default/shirts';
const shirt = (name, spec) => ({
  apiVersion: 'stable.example.com/v1', kind: 'Shirt', metadata: { name, namespace: 'default' }, spec: { color: 'red', replicas: 2, ...spec },
});
const as = (type) => k8s.setHeaderOptions('Content-Type', type);

async function check(name, run) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`failed ${name}: ${String(error.message ?? error).replaceAll(/\s+/g, ' ').slice(0, 600)}`);
  }
}

const seen = [];
const informer = k8s.makeInformer(config, path, () => custom.listNamespacedCustomObject(shirts));
for (const event of ['add', 'update', 'delete']) informer.on(event, (object) => seen.push(`${event} ${object.metadata.name}`));
informer.on('error', (error) => seen.push(`error ${error.message}`));

await check('an informer starts', async () => {
  await custom.createNamespacedCustomObject({ ...shirts, body: shirt('before') });
  await informer.start();
  await sleep(300);
  assert.deepEqual(seen, ['add before']);
});
await check('a shirt is created, and a wrong one is rejected', async () => {
  const created = await custom.createNamespacedCustomObject({ ...shirts, body: shirt('js') });
  assert.deepEqual(created.spec, { color: 'red', replicas: 2 });
  await assert.rejects(custom.createNamespacedCustomObject({ ...shirts, body: shirt('wrong', { color: 'pink' }) }), { code: 422 });
});
await check('a shirt is patched in three ways', async () => {
  const name = 'js';
  const patch = async (body, type, more) => (await custom.patchNamespacedCustomObject({ ...shirts, name, body, ...more }, as(type))).spec.color;
  assert.equal(await patch({ spec: { color: 'blue' } }, k8s.PatchStrategy.MergePatch), 'blue');
  assert.equal(await patch([{ op: 'replace', path: '/spec/color', value: 'red' }], k8s.PatchStrategy.JsonPatch), 'red');
  assert.equal(await patch(shirt('js', { color: 'blue' }), k8s.PatchStrategy.ServerSideApply, { fieldManager: 'js', force: true }), 'blue');
});
await check('a status is patched', async () => {
  const body = [{ op: 'add', path: '/status', value: { replicas: 1 } }];
  assert.deepEqual((await custom.patchNamespacedCustomObjectStatus({ ...shirts, name: 'js', body })).status, { replicas: 1 });
});
await check('a config map without kind is created, replaced and listed', async () => {
  const created = await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'js' }, data: { a: 'b' } } });
  created.data.c = 'd';
  const replaced = await core.replaceNamespacedConfigMap({ namespace: 'default', name: 'js', body: created });
  assert.deepEqual(replaced.data, { a: 'b', c: 'd' });
  const list = await core.listNamespacedConfigMap({ namespace: 'default', fieldSelector: 'metadata.name=js' });
  assert.equal(list.items.length, 1);
});
await check('containers of a deployment are merged by name', async () => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const body = { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } };
  await apps.createNamespacedDeployment({ namespace: 'default', body });
  const change = { spec: { template: { spec: { containers: [{ name: 'log', image: 'log:1' }] } } } };
  const patched = await apps.patchNamespacedDeployment({ namespace: 'default', name: 'web', body: change }, as(k8s.PatchStrategy.StrategicMergePatch));
  assert.deepEqual(patched.spec.template.spec.containers.map(({ name }) => name).sort(), ['log', 'web']);
  const scale = await apps.readNamespacedDeploymentScale({ namespace: 'default', name: 'web' });
  scale.spec.replicas = 3;
  assert.equal((await apps.replaceNamespacedDeploymentScale({ namespace: 'default', name: 'web', body: scale })).spec.replicas, 3);
});
await check('any object is created, read, replaced, applied, listed and deleted', async () => {
  const objects = k8s.KubernetesObjectApi.makeApiClient(config);
  const object = shirt('any');
  await objects.create(object);
  const read = await objects.read(object);
  read.spec.color = 'blue';
  assert.equal((await objects.replace(read)).spec.color, 'blue');
  const applied = await objects.patch(object, undefined, undefined, 'js', true, k8s.PatchStrategy.ServerSideApply);
  assert.equal(applied.spec.color, 'red');
  assert.equal((await objects.list('stable.example.com/v1', 'Shirt', 'default')).items.length, 3);
  assert.equal((await objects.delete(object)).status, 'Success');
});
await check('a watch begins with the objects and ends', async () => {
  const events = [];
  const ended = new Promise((resolve) => {
    const watch = new k8s.Watch(config);
    watch.watch(path, { timeoutSeconds: 1 }, (type, { metadata }) => events.push(`${type} ${metadata.name}`), resolve);
  });
  await ended;
  assert.deepEqual(events.sort(), ['ADDED before', 'ADDED js']);
});
await check('the informer has seen each change', async () => {
  await custom.deleteNamespacedCustomObject({ ...shirts, name: 'js' });
  await sleep(500);
  assert.deepEqual(informer.list().map(({ metadata }) => metadata.name), ['before']);
  const updates = seen.filter((event) => event === 'update js').length;
  assert.deepEqual([seen.filter((event) => event.endsWith(' js')).at(0), updates, seen.at(-1)], ['add js', 4, 'delete js']);
  assert.equal(seen.filter((event) => event.startsWith('error')).length, 0);
});
await informer.stop();
process.exit(0);
