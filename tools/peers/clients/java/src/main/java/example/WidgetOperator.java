package example;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** An operator on JOSDK, and its test. */
@ControllerConfiguration
public final class WidgetOperator implements Reconciler<WidgetOperator.Widget>, Cleaner<WidgetOperator.Widget> {
  @Group("example.dev")
  @Version("v1")
  public static class Widget extends CustomResource<Spec, Status> implements Namespaced {}

  public static class Spec {
    public int size;
  }

  public static class Status {
    public boolean ready;
  }

  private static final Map<String, String> LABELS = Map.of("example.dev/part-of", "widget");

  @Override
  public List<EventSource<?, Widget>> prepareEventSources(EventSourceContext<Widget> context) {
    var maps = InformerEventSourceConfiguration.from(ConfigMap.class, Widget.class)
        .withLabelSelector("example.dev/part-of=widget")
        .withSecondaryToPrimaryMapper(map -> Set.of(ResourceID.fromResource(map)))
        .build();
    return List.of(new InformerEventSource<>(maps, context));
  }

  @Override
  public UpdateControl<Widget> reconcile(Widget widget, Context<Widget> context) {
    context.getClient().resource(configMapOf(widget)).fieldManager("widgets").forceConflicts().serverSideApply();
    widget.setStatus(new Status());
    widget.getStatus().ready = true;
    return UpdateControl.patchStatus(widget);
  }

  @Override
  public DeleteControl cleanup(Widget widget, Context<Widget> context) {
    context.getClient().resource(configMapOf(widget)).delete();
    return DeleteControl.defaultDelete();
  }

  private static ConfigMap configMapOf(Widget widget) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(widget.getMetadata().getName())
        .withNamespace(widget.getMetadata().getNamespace())
        .withLabels(LABELS)
        .endMetadata()
        .addToData("size", String.valueOf(widget.getSpec().size))
        .build();
  }

  /** The test. */
  public static void main(String[] args) {
    Operator operator = new Operator();
    operator.register(new WidgetOperator());
    operator.start();
    KubernetesClient client = operator.getKubernetesClient();
    client.resource(new NamespaceBuilder().withNewMetadata().withName("josdk").endMetadata().build()).create();

    Widget widget = new Widget();
    widget.getMetadata().setName("one");
    widget.getMetadata().setNamespace("josdk");
    widget.setSpec(new Spec());
    widget.getSpec().size = 3;
    client.resource(widget).create();
    awaitSize(client, "3");
    var widgets = client.resources(Widget.class).inNamespace("josdk").withName("one");
    widgets.waitUntilCondition(each -> each.getStatus() != null && each.getStatus().ready, 20, TimeUnit.SECONDS);

    widgets.edit(each -> {
      each.getSpec().size = 4;
      return each;
    });
    awaitSize(client, "4");

    client.configMaps().inNamespace("josdk").withName("one").delete(); // the event source reports it
    awaitSize(client, "4");

    widgets.delete();
    widgets.waitUntilCondition(each -> each == null, 20, TimeUnit.SECONDS);
    if (client.configMaps().inNamespace("josdk").withName("one").get() != null)
      throw new AssertionError("the ConfigMap of a deleted Widget exists");
    operator.stop();
    System.exit(0);
  }

  private static void awaitSize(KubernetesClient client, String size) {
    client.configMaps().inNamespace("josdk").withName("one")
        .waitUntilCondition(map -> map != null && size.equals(map.getData().get("size")), 20, TimeUnit.SECONDS);
  }
}
