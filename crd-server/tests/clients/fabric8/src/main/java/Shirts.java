import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Uses the client of fabric8: typed and custom objects, edits, patches, apply, scales, watches, informers, leader election. */
public final class Shirts {
    public static final class Spec {
        public String color;
        public Integer replicas;
    }

    public static final class Status {
        public Integer replicas;
    }

    @Group("stable.example.com")
    @Version("v1")
    public static final class Shirt extends CustomResource<Spec, Status> implements Namespaced {}

    interface Check {
        void run() throws Exception;
    }

    static final String NAMESPACE = "default";

    static void check(String name, Check check) {
        try {
            check.run();
            System.out.println("ok " + name);
        } catch (Exception | AssertionError error) {
            System.out.println("failed " + name + ": " + String.valueOf(error).replaceAll("\\s+", " "));
        }
    }

    static void equal(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    static Shirt shirt(String name, String color) {
        Shirt shirt = new Shirt();
        shirt.getMetadata().setName(name);
        shirt.getMetadata().setNamespace(NAMESPACE);
        shirt.setSpec(new Spec());
        shirt.getSpec().color = color;
        return shirt;
    }

    public static void main(String[] arguments) {
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            builtInKinds(client);
            customResources(client);
            watches(client);
            check("a leader is elected and gives up", () -> elect(client));
        }
    }

    static void builtInKinds(KubernetesClient client) {
        check("the version is read", () -> equal(client.getKubernetesVersion().getMajor(), "1"));
        check("a config map is created, edited and replaced", () -> {
            ConfigMap map = new ConfigMapBuilder().withNewMetadata().withName("map").endMetadata().addToData("a", "b").build();
            client.configMaps().inNamespace(NAMESPACE).resource(map).create();
            ConfigMap edited = client.configMaps().inNamespace(NAMESPACE).withName("map")
                .edit(found -> new ConfigMapBuilder(found).addToData("c", "d").build());
            equal(edited.getData(), Map.of("a", "b", "c", "d"));
            edited.getData().remove("a");
            equal(client.resource(edited).update().getData(), Map.of("c", "d"));
        });
        check("a secret is created from strings", () -> {
            var secret = new SecretBuilder().withNewMetadata().withName("key").withNamespace(NAMESPACE).endMetadata()
                .addToStringData("a", "b").build();
            equal(client.resource(secret).create().getData(), Map.of("a", "Yg=="));
        });
        check("a deployment is applied, scaled, restarted, and its status written", () -> {
            Map<String, String> labels = Map.of("app", "web");
            Deployment web = new DeploymentBuilder().withNewMetadata().withName("web").withNamespace(NAMESPACE).endMetadata()
                .withNewSpec().withReplicas(1).withNewSelector().withMatchLabels(labels).endSelector()
                .withNewTemplate().withNewMetadata().withLabels(labels).endMetadata()
                .withNewSpec().addNewContainer().withName("web").withImage("web:1").endContainer().endSpec().endTemplate().endSpec().build();
            client.resource(web).serverSideApply();
            var handle = client.apps().deployments().inNamespace(NAMESPACE).withName("web");
            equal(handle.scale(3).getSpec().getReplicas(), 3);
            handle.rolling().restart();
            equal(handle.get().getSpec().getTemplate().getMetadata().getAnnotations().size(), 1);
            Deployment changed = handle.editStatus(found -> new DeploymentBuilder(found).withNewStatus().withReplicas(3).endStatus().build());
            equal(changed.getStatus().getReplicas(), 3);
        });
        check("a manifest with two objects is created or changed", () -> {
            String text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\n"
                + "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot, namespace: team}\n";
            var loaded = client.load(new java.io.ByteArrayInputStream(text.getBytes()));
            equal(loaded.serverSideApply().size(), 2);
            equal(loaded.serverSideApply().size(), 2);
            equal(client.serviceAccounts().inNamespace("team").withName("robot").get().getMetadata().getName(), "robot");
        });
        check("a config map is deleted, and its deletion is awaited", () -> {
            client.configMaps().inNamespace(NAMESPACE).withName("map").withTimeout(5, TimeUnit.SECONDS).delete();
            equal(client.configMaps().inNamespace(NAMESPACE).withName("map").get(), null);
        });
    }

    static void customResources(KubernetesClient client) {
        var shirts = client.resources(Shirt.class).inNamespace(NAMESPACE);
        check("a shirt is created, and a wrong one is rejected", () -> {
            equal(client.resource(shirt("java", "red")).create().getSpec().replicas, 1);
            try {
                client.resource(shirt("wrong", "pink")).create();
                throw new AssertionError("it was created");
            } catch (KubernetesClientException error) {
                equal(error.getCode(), 422);
            }
        });
        check("a shirt is edited, patched and applied", () -> {
            equal(shirts.withName("java").edit(found -> { found.getSpec().color = "blue"; return found; }).getSpec().color, "blue");
            String patch = "{\"spec\": {\"color\": \"red\"}}";
            equal(shirts.withName("java").patch(PatchContext.of(PatchType.JSON_MERGE), patch).getSpec().color, "red");
            equal(client.resource(shirt("java", "blue")).forceConflicts().serverSideApply().getSpec().color, "blue");
        });
        check("a status and a scale are written", () -> {
            Shirt changed = shirts.withName("java").editStatus(found -> {
                found.setStatus(new Status());
                found.getStatus().replicas = 1;
                return found;
            });
            equal(changed.getStatus().replicas, 1);
            equal(shirts.withName("java").scale(4).getSpec().replicas, 4);
        });
        check("shirts are selected by field and read in pages", () -> {
            for (String name : List.of("page-1", "page-2")) {
                client.resource(shirt(name, "red")).create();
            }
            equal(shirts.withField("spec.color", "red").list().getItems().size(), 2);
            var page = shirts.list(new io.fabric8.kubernetes.api.model.ListOptionsBuilder().withLimit(2L).build());
            equal(page.getItems().size() + " " + page.getMetadata().getRemainingItemCount(), "2 1");
        });
        check("a shirt is read without its type, and awaited", () -> {
            GenericKubernetesResource found = client.genericKubernetesResources("stable.example.com/v1", "Shirt")
                .inNamespace(NAMESPACE).withName("java").get();
            equal(((Map<?, ?>) found.getAdditionalProperties().get("spec")).get("color"), "blue");
            shirts.withName("java").waitUntilCondition(seen -> seen.getStatus() != null, 5, TimeUnit.SECONDS);
        });
    }

    static void watches(KubernetesClient client) {
        var shirts = client.resources(Shirt.class).inNamespace(NAMESPACE);
        check("a watch and an informer see each change", () -> {
            var watched = new ConcurrentLinkedQueue<String>();
            var informed = new ConcurrentLinkedQueue<String>();
            try (var watch = shirts.withName("seen").watch(new Watcher<Shirt>() {
                @Override
                public void eventReceived(Action action, Shirt shirt) {
                    watched.add(action.name());
                }

                @Override
                public void onClose(WatcherException error) {
                    watched.add("closed " + error);
                }
            }); SharedIndexInformer<Shirt> informer = shirts.inform(handler(informed))) {
                client.resource(shirt("seen", "red")).create();
                shirts.withName("seen").edit(found -> { found.getSpec().color = "blue"; return found; });
                shirts.withName("seen").delete();
                for (int i = 0; i < 50 && (watched.size() < 3 || informed.size() < 3); i++) {
                    Thread.sleep(100);
                }
                equal(List.copyOf(watched), List.of("ADDED", "MODIFIED", "DELETED"));
                equal(List.copyOf(informed), List.of("added", "updated", "deleted"));
                var names = informer.getStore().list().stream().map(found -> found.getMetadata().getName()).sorted();
                equal(names.collect(Collectors.toList()), List.of("java", "page-1", "page-2"));
            }
        });
    }

    static ResourceEventHandler<Shirt> handler(ConcurrentLinkedQueue<String> informed) {
        return new ResourceEventHandler<>() {
            private void add(Shirt shirt, String event) {
                if (shirt.getMetadata().getName().equals("seen")) {
                    informed.add(event);
                }
            }

            @Override
            public void onAdd(Shirt shirt) {
                add(shirt, "added");
            }

            @Override
            public void onUpdate(Shirt old, Shirt shirt) {
                add(shirt, "updated");
            }

            @Override
            public void onDelete(Shirt shirt, boolean unknown) {
                add(shirt, "deleted");
            }
        };
    }

    static void elect(KubernetesClient client) throws Exception {
        CountDownLatch leads = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        var config = new LeaderElectionConfigBuilder().withName("shirts").withLock(new LeaseLock(NAMESPACE, "shirts", "me"))
            .withLeaseDuration(Duration.ofSeconds(3)).withRenewDeadline(Duration.ofSeconds(2)).withRetryPeriod(Duration.ofMillis(300))
            .withReleaseOnCancel(true)
            .withLeaderCallbacks(new LeaderCallbacks(leads::countDown, ended::countDown, leader -> {})).build();
        var election = client.leaderElector().withConfig(config).build().start();
        equal(leads.await(10, TimeUnit.SECONDS), true);
        equal(client.leases().inNamespace(NAMESPACE).withName("shirts").get().getSpec().getHolderIdentity(), "me");
        election.cancel(true);
        equal(ended.await(10, TimeUnit.SECONDS), true);
    }
}
