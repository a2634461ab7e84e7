package clients;

import static clients.Steps.same;
import static clients.Steps.step;
import static clients.Steps.until;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** fabric8's client. Its watches and informers use WebSocket. */
public final class Fabric8 {
  private static final String NS = "fabric8";

  public static void main(String[] args) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NS).endMetadata().build()).create();
      objects(client);
      patches(client);
      answers(client);
      watches(client);
      deletion(client);
    }
    System.exit(0);
  }

  private static ConfigMap map(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(NS).endMetadata().addToData("a", "1").build();
  }

  private static Resource<ConfigMap> at(KubernetesClient client, String name) {
    return client.configMaps().inNamespace(NS).withName(name);
  }

  private static void objects(KubernetesClient client) {
    step("create", () -> same(client.resource(map("one")).create().getData(), Map.of("a", "1")));
    step("read", () -> same(at(client, "one").get().getMetadata().getName(), "one"));
    step("update", () -> {
      ConfigMap one = at(client, "one").get();
      one.setData(Map.of("a", "2"));
      same(client.resource(one).update().getData(), Map.of("a", "2"));
    });
    step("list in pages", () -> {
      for (int i = 0; i < 5; i++) client.resource(map("page-" + i)).create();
      var first = client.configMaps().inNamespace(NS).list(new ListOptionsBuilder().withLimit(2L).build());
      same(first.getItems().size(), 2);
      var next = new ListOptionsBuilder().withLimit(2L).withContinue(first.getMetadata().getContinue()).build();
      same(client.configMaps().inNamespace(NS).list(next).getItems().size(), 2);
    });
    step("status of a namespace", () -> {
      var changed = client.namespaces().withName(NS).editStatus(ns -> {
        ns.getStatus().setPhase("Active");
        return ns;
      });
      same(changed.getStatus().getPhase(), "Active");
    });
  }

  private static void patches(KubernetesClient client) {
    for (PatchType type : List.of(PatchType.JSON_MERGE, PatchType.STRATEGIC_MERGE))
      step("patch " + type, () -> {
        String patch = "{\"data\":{\"" + type.name().toLowerCase() + "\":\"x\"}}";
        same(at(client, "one").patch(PatchContext.of(type), patch).getData().get(type.name().toLowerCase()), "x");
      });
    step("patch JSON", () -> {
      String patch = "[{\"op\":\"add\",\"path\":\"/data/json\",\"value\":\"x\"}]";
      same(at(client, "one").patch(PatchContext.of(PatchType.JSON), patch).getData().get("json"), "x");
    });
    step("apply", () -> {
      same(client.resource(map("applied")).fieldManager("clients").serverSideApply().getData(), Map.of("a", "1"));
      same(at(client, "applied").get().getMetadata().getManagedFields().get(0).getOperation(), "Apply");
    });
    step("apply of another manager conflicts", () -> {
      ConfigMap other = map("applied");
      other.setData(Map.of("a", "2"));
      refused(409, () -> client.resource(other).fieldManager("other").serverSideApply());
      same(client.resource(other).fieldManager("other").forceConflicts().serverSideApply().getData(), Map.of("a", "2"));
    });
  }

  private static void answers(KubernetesClient client) {
    step("404 is null", () -> same(at(client, "absent").get() == null, true));
    step("409 for an existing object", () -> refused(409, () -> client.resource(map("one")).create()));
    step("409 for an old version", () -> {
      ConfigMap one = at(client, "one").get();
      one.getMetadata().setResourceVersion("1");
      refused(409, () -> client.resource(one).update());
    });
    step("422 for a bad name", () -> refused(422, () -> client.resource(map("Bad_Name")).create()));
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

  private static void watches(KubernetesClient client) {
    step("watch", () -> {
      List<String> seen = new CopyOnWriteArrayList<>();
      Watcher<ConfigMap> watcher = new Watcher<>() {
        @Override
        public void eventReceived(Action action, ConfigMap map) {
          seen.add(action + " " + map.getMetadata().getName());
        }

        @Override
        public void onClose(WatcherException cause) {}
      };
      try (var watch = client.configMaps().inNamespace(NS).withName("watched").watch(watcher)) {
        change(client, "watched");
        List<String> wanted = List.of("ADDED watched", "MODIFIED watched", "DELETED watched");
        until("the events of a watch, not " + seen, () -> seen.equals(wanted));
      }
    });
    step("informer", () -> {
      List<String> seen = new CopyOnWriteArrayList<>();
      ResourceEventHandler<ConfigMap> handler = new ResourceEventHandler<>() {
        @Override
        public void onAdd(ConfigMap map) {
          seen.add("add " + map.getMetadata().getName());
        }

        @Override
        public void onUpdate(ConfigMap before, ConfigMap after) {
          seen.add("update " + after.getMetadata().getName());
        }

        @Override
        public void onDelete(ConfigMap map, boolean isUnknown) {
          seen.add("delete " + map.getMetadata().getName());
        }
      };
      try (var informer = client.configMaps().inNamespace(NS).inform(handler)) {
        until("the list of the informer, not " + seen, () -> seen.contains("add one"));
        change(client, "informed");
        List<String> wanted = List.of("add informed", "update informed", "delete informed");
        until("the events of the informer", () -> seen.stream().filter(line -> line.endsWith(" informed")).toList().equals(wanted));
      }
    });
  }

  private static void change(KubernetesClient client, String name) {
    client.resource(map(name)).create();
    at(client, name).patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"b\":\"1\"}}");
    at(client, name).delete();
  }

  private static void deletion(KubernetesClient client) {
    step("a finalizer delays a deletion", () -> {
      ConfigMap held = map("held");
      held.getMetadata().setFinalizers(List.of("treadle.dev/held"));
      client.resource(held).create();
      at(client, "held").delete();
      same(at(client, "held").get().getMetadata().getDeletionTimestamp() != null, true);
      at(client, "held").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
      until("the object is deleted", () -> at(client, "held").get() == null);
    });
    step("delete a collection", () -> {
      client.configMaps().inNamespace(NS).delete();
      until("the object is deleted", () -> at(client, "one").get() == null);
    });
  }
}
