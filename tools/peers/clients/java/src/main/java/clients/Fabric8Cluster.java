package clients;

import static clients.Steps.same;
import static clients.Steps.step;
import static clients.Steps.until;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** fabric8's client beyond objects of one kind: versions that expire, leaders, rights, generic kinds, owners. */
public final class Fabric8Cluster {
  private static final String NS = "fabric8-cluster";

  public static void main(String[] args) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NS).endMetadata().build()).create();
      reads(client);
      expired(client);
      leaders(client);
      rights(client);
      kinds(client);
      owners(client);
    }
    System.exit(0);
  }

  private static ConfigMapBuilder map(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(NS).endMetadata().addToData("a", "1");
  }

  private static boolean isAbsent(KubernetesClient client, String name) {
    return client.configMaps().inNamespace(NS).withName(name).get() == null;
  }

  private static void reads(KubernetesClient client) {
    step("selectors", () -> {
      for (int i = 0; i < 3; i++)
        client.resource(map("page-" + i).editMetadata().addToLabels("page", "" + i).endMetadata().build()).create();
      same(client.configMaps().inNamespace(NS).withLabelIn("page", "1", "2").list().getItems().size(), 2);
      same(client.configMaps().inNamespace(NS).withLabel("page").withField("metadata.name", "page-0").list().getItems().size(), 1);
    });
    step("dry run", () -> {
      client.resource(map("dry").build()).dryRun(true).create();
      same(isAbsent(client, "dry"), true);
    });
    step("an update of an old version is retried by edit", () -> {
      client.resource(map("edited").build()).create();
      client.configMaps().inNamespace(NS).withName("edited").edit(each -> new ConfigMapBuilder(each).addToData("b", "1").build());
      same(client.configMaps().inNamespace(NS).withName("edited").get().getData(), Map.of("a", "1", "b", "1"));
    });
    step("delete by label", () -> {
      client.configMaps().inNamespace(NS).withLabelIn("page", "0", "1").delete();
      until("one is left", () -> client.configMaps().inNamespace(NS).withLabel("page").list().getItems().size() == 1);
    });
  }

  private static Event event(String name) {
    return new EventBuilder().withNewMetadata().withName(name).withNamespace(NS).endMetadata()
        .withNewInvolvedObject().withNamespace(NS).endInvolvedObject().build();
  }

  /** Events have no watch cache, so their watches expire with their lists. */
  private static void expired(KubernetesClient client) {
    step("a list and a watch of an expired version get 410", () -> {
      String version = client.resource(event("old")).create().getMetadata().getResourceVersion();
      var exactly = new ListOptionsBuilder().withResourceVersion(version).withResourceVersionMatch("Exact").build();
      int[] count = {0, 0};
      until("the version expires", () -> {
        client.resource(event("newer-" + count[0]++)).create();
        try {
          client.v1().events().inNamespace(NS).list(exactly);
        } catch (KubernetesClientException problem) {
          count[1] = problem.getCode();
        }
        return count[1] != 0;
      });
      same(count[1], 410);
      List<Boolean> gone = new CopyOnWriteArrayList<>();
      Watcher<Event> watcher = new Watcher<>() {
        @Override
        public void eventReceived(Action action, Event event) {}

        @Override
        public void onClose(WatcherException cause) {
          gone.add(cause.isHttpGone());
        }
      };
      var options = new ListOptionsBuilder().withResourceVersion(version).build();
      try (var watch = client.v1().events().inNamespace(NS).watch(options, watcher)) {
        until("the end of the watch", () -> !gone.isEmpty());
      }
      same(gone, List.of(true));
    });
  }

  private static void leaders(KubernetesClient client) {
    step("a second candidate leads when the first one stops", () -> {
      List<String> led = new CopyOnWriteArrayList<>();
      var first = candidate(client, "first", led);
      until("the first one leads", () -> led.contains("first"));
      var second = candidate(client, "second", led);
      first.cancel(true);
      until("the second one leads", () -> led.contains("second"));
      same(client.leases().inNamespace(NS).withName("leader").get().getSpec().getHolderIdentity(), "second");
      second.cancel(true);
    });
  }

  private static CompletableFuture<?> candidate(KubernetesClient client, String name, List<String> led) {
    var config = new LeaderElectionConfigBuilder()
        .withName(name)
        .withLock(new LeaseLock(NS, "leader", name))
        .withLeaseDuration(Duration.ofSeconds(3))
        .withRenewDeadline(Duration.ofSeconds(2))
        .withRetryPeriod(Duration.ofMillis(300))
        .withReleaseOnCancel(true)
        .withLeaderCallbacks(new LeaderCallbacks(() -> led.add(name), () -> {}, leader -> {}))
        .build();
    return client.leaderElector().withConfig(config).build().start();
  }

  private static void rights(KubernetesClient client) {
    step("an impersonated user has no rights", () -> {
      var config = new ConfigBuilder(client.getConfiguration()).withImpersonateUsername("alice").build();
      try (KubernetesClient alice = new KubernetesClientBuilder().withConfig(config).build()) {
        refused(403, () -> alice.configMaps().inNamespace(NS).list());
      }
    });
  }

  private static void refused(int code, Steps.Body body) throws Exception {
    try {
      body.run();
    } catch (KubernetesClientException problem) {
      same(problem.getCode(), code);
      return;
    }
    throw new AssertionError("accepted, wanted " + code);
  }

  private static void kinds(KubernetesClient client) {
    step("a generic object of a custom kind, and its status", () -> {
      var context = new ResourceDefinitionContext.Builder().withGroup("example.dev").withVersion("v1").withKind("Widget").withPlural("widgets")
          .withNamespaced(true).build();
      var widget = new GenericKubernetesResource();
      widget.setApiVersion("example.dev/v1");
      widget.setKind("Widget");
      widget.setMetadata(map("one").build().getMetadata());
      widget.setAdditionalProperty("spec", Map.of("size", 3));
      var widgets = client.genericKubernetesResources(context).inNamespace(NS);
      widgets.resource(widget).create();
      var made = widgets.withName("one").get();
      made.setAdditionalProperty("status", Map.of("ready", true));
      same(widgets.resource(made).updateStatus().get("status", "ready"), true);
    });
    step("scale of a Deployment", () -> {
      var labels = Map.of("app", "web");
      var web = new DeploymentBuilder().withNewMetadata().withName("web").withNamespace(NS).endMetadata().withNewSpec().withReplicas(1)
          .withNewSelector().withMatchLabels(labels).endSelector().withNewTemplate().withNewMetadata().withLabels(labels).endMetadata()
          .withNewSpec().addNewContainer().withName("web").withImage("web").endContainer().endSpec().endTemplate().endSpec().build();
      client.resource(web).create();
      client.apps().deployments().inNamespace(NS).withName("web").scale(3);
      same(client.apps().deployments().inNamespace(NS).withName("web").get().getSpec().getReplicas(), 3);
    });
    step("versions", () -> same(client.getKubernetesVersion().getMajor(), "1"));
  }

  private static void owners(KubernetesClient client) {
    for (DeletionPropagation policy : DeletionPropagation.values())
      step("an owned object after a deletion with the policy " + policy, () -> {
        String name = policy.name().toLowerCase();
        ConfigMap owner = client.resource(map(name).build()).create();
        client.resource(map(name + "-owned").editMetadata().addNewOwnerReference().withApiVersion("v1").withKind("ConfigMap").withName(name)
            .withUid(owner.getMetadata().getUid()).endOwnerReference().endMetadata().build()).create();
        client.configMaps().inNamespace(NS).withName(name).withPropagationPolicy(policy).delete();
        until("no owner", () -> isAbsent(client, name));
        if (policy == DeletionPropagation.ORPHAN)
          same(client.configMaps().inNamespace(NS).withName(name + "-owned").get().getMetadata().getOwnerReferences(), List.of());
        else until("no owned object", () -> isAbsent(client, name + "-owned"));
      });
    step("a namespace is deleted with its content", () -> {
      client.namespaces().withName(NS).delete();
      until("no namespace", () -> client.namespaces().withName(NS).get() == null);
    });
  }
}
