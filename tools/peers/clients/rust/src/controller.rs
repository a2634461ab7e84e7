//! A controller that keeps a ConfigMap for each Widget: a finalizer, server-side apply, a status, and a watch of what it owns.
use crate::NS;
use crate::steps::{Outcome, same, step, until};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::watcher;
use kube::{Api, Client, CustomResource, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{sync::Arc, time::Duration};

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
pub struct WidgetSpec {
    pub size: i64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WidgetStatus {
    pub ready: Option<bool>,
}

const FINALIZER: &str = "example.dev/kube-rs";

async fn reconcile(widget: Arc<Widget>, client: Arc<Client>) -> Result<Action, Box<finalizer_error::Error>> {
    let widgets: Api<Widget> = Api::namespaced((*client).clone(), NS);
    finalizer(&widgets, FINALIZER, widget, async |event| match event {
        Event::Apply(widget) => keep(&widget, &client).await,
        Event::Cleanup(widget) => {
            let maps: Api<ConfigMap> = Api::namespaced((*client).clone(), NS);
            maps.delete(&widget.name_any(), &DeleteParams::default())
                .await
                .map(|_| Action::await_change())
        }
    })
    .await
    .map_err(Box::new)
}

/// The name of a long type.
mod finalizer_error {
    pub type Error = kube::runtime::finalizer::Error<kube::Error>;
}

async fn keep(widget: &Widget, client: &Client) -> Result<Action, kube::Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NS);
    let widgets: Api<Widget> = Api::namespaced(client.clone(), NS);
    let name = widget.name_any();
    let owner = widget.controller_owner_ref(&());
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [owner] },
        "data": { "size": widget.spec.size.to_string() },
    });
    let params = PatchParams::apply("kube-rs").force();
    maps.patch(&name, &params, &Patch::Apply(map)).await?;
    let status = json!({ "apiVersion": "example.dev/v1", "kind": "Widget", "status": { "ready": true } });
    widgets.patch_status(&name, &params, &Patch::Apply(status)).await?;
    Ok(Action::requeue(Duration::from_secs(60)))
}

pub async fn run(client: &Client) {
    step("a controller with a finalizer", lives(client)).await;
}

async fn lives(client: &Client) -> Outcome {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NS);
    let widgets: Api<Widget> = Api::namespaced(client.clone(), NS);
    let controller = Controller::new(widgets.clone(), watcher::Config::default())
        .owns(maps.clone(), watcher::Config::default())
        .run(
            reconcile,
            |_, _, _| Action::requeue(Duration::from_millis(200)),
            Arc::new(client.clone()),
        );
    let running = tokio::spawn(controller.for_each(|_| futures::future::ready(())));
    let size = async || {
        Ok::<_, kube::Error>(
            maps.get_opt("one-widget")
                .await?
                .and_then(|map| map.data)
                .and_then(|data| data.get("size").cloned()),
        )
    };
    let has = async |wanted: &str| {
        until(&format!("a ConfigMap of size {wanted}"), async || {
            Ok(size().await?.as_deref() == Some(wanted))
        })
        .await
    };

    widgets
        .create(&PostParams::default(), &Widget::new("one-widget", WidgetSpec { size: 3 }))
        .await?;
    has("3").await?;
    until("a status", async || {
        Ok(widgets.get("one-widget").await?.status.and_then(|status| status.ready) == Some(true))
    })
    .await?;
    same(widgets.get("one-widget").await?.finalizers().to_vec(), vec![FINALIZER.to_string()])?;
    widgets
        .patch(
            "one-widget",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "size": 4 } })),
        )
        .await?;
    has("4").await?;
    maps.patch(
        "one-widget",
        &PatchParams::default(),
        &Patch::Merge(json!({ "data": { "size": "x" } })),
    )
    .await?;
    has("4").await?;
    widgets.delete("one-widget", &DeleteParams::default()).await?;
    until("no Widget", async || Ok(widgets.get_opt("one-widget").await?.is_none())).await?;
    same(maps.get_opt("one-widget").await?.is_none(), true)?;
    running.abort();
    Ok(())
}
