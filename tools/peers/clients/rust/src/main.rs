//! kube-rs: its client, its watcher and reflector, and a controller with a finalizer.
mod controller;
mod reads;
mod steps;
mod watches;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use steps::{Outcome, refused, same, step, until};

const NS: &str = "kube-rs";

#[tokio::main]
async fn main() -> Outcome {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces
        .create(
            &PostParams::default(),
            &serde_json::from_value(json!({ "metadata": { "name": NS } }))?,
        )
        .await?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NS);
    objects(&maps).await;
    reads::run(&client, &maps).await;
    patches(&client, &maps).await;
    reads::refusals(&client, &maps).await;
    watches::run(&maps).await;
    controller::run(&client).await;
    deletion(&maps).await;
    Ok(())
}

/// A ConfigMap with one key.
pub fn config_map(name: &str, value: &str) -> ConfigMap {
    let mut map = ConfigMap {
        data: Some(BTreeMap::from([("a".into(), value.into())])),
        ..Default::default()
    };
    map.metadata.name = Some(name.into());
    map
}

pub async fn create(maps: &Api<ConfigMap>, name: &str) -> Outcome<ConfigMap> {
    Ok(maps.create(&PostParams::default(), &config_map(name, "1")).await?)
}

pub fn value_of(map: &ConfigMap, key: &str) -> Option<String> {
    map.data.as_ref().and_then(|data| data.get(key).cloned())
}

async fn objects(maps: &Api<ConfigMap>) {
    step("create", async {
        same(value_of(&create(maps, "one").await?, "a"), Some("1".into()))
    })
    .await;
    step("read", async { same(maps.get("one").await?.name_any(), "one".into()) }).await;
    step("read of an absent object", async {
        same(maps.get_opt("absent").await?.is_none(), true)
    })
    .await;
    step("update", async {
        let mut one = maps.get("one").await?;
        one.data = config_map("one", "2").data;
        same(
            value_of(&maps.replace("one", &PostParams::default(), &one).await?, "a"),
            Some("2".into()),
        )
    })
    .await;
    step("dry run of a create stores nothing", async {
        let params = PostParams {
            dry_run: true,
            ..Default::default()
        };
        same(maps.create(&params, &config_map("dry", "1")).await?.uid().is_some(), true)?;
        same(maps.get_opt("dry").await?.is_none(), true)
    })
    .await;
    step("generateName", async {
        let mut map = config_map("", "1");
        map.metadata.name = None;
        map.metadata.generate_name = Some("made-".into());
        let made = maps.create(&PostParams::default(), &map).await?;
        same((made.name_any().starts_with("made-"), made.name_any().len()), (true, 10))
    })
    .await;
}

async fn patched(maps: &Api<ConfigMap>, patch: &Patch<Value>) -> Outcome<ConfigMap> {
    Ok(maps.patch("one", &PatchParams::default(), patch).await?)
}

async fn patches(client: &Client, maps: &Api<ConfigMap>) {
    step("merge patch", async {
        let one = patched(maps, &Patch::Merge(json!({ "data": { "merge": "x" } }))).await?;
        same(value_of(&one, "merge"), Some("x".into()))
    })
    .await;
    step("strategic merge patch", async {
        let one = patched(maps, &Patch::Strategic(json!({ "data": { "strategic": "x" } }))).await?;
        same(value_of(&one, "strategic"), Some("x".into()))
    })
    .await;
    step("JSON patch", async {
        let operations = serde_json::from_value(
            json!([{ "op": "test", "path": "/data/a", "value": "2" }, { "op": "add", "path": "/data/json", "value": "x" }]),
        )?;
        let one = maps.patch("one", &PatchParams::default(), &Patch::Json::<()>(operations)).await?;
        same(value_of(&one, "json"), Some("x".into()))
    })
    .await;
    let body = |value: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": { "a": value } });
    step("server-side apply", async {
        let applied = maps
            .patch("applied", &PatchParams::apply("clients"), &Patch::Apply(body("1")))
            .await?;
        same(
            applied.managed_fields().first().and_then(|entry| entry.operation.clone()),
            Some("Apply".into()),
        )
    })
    .await;
    step("server-side apply of another manager conflicts", async {
        refused(
            409,
            maps.patch("applied", &PatchParams::apply("other"), &Patch::Apply(body("2"))).await,
        )?;
        let forced = maps
            .patch("applied", &PatchParams::apply("other").force(), &Patch::Apply(body("2")))
            .await?;
        same(value_of(&forced, "a"), Some("2".into()))
    })
    .await;
    step("an apply with an unknown field is refused", async {
        let widgets: Api<controller::Widget> = Api::namespaced(client.clone(), NS);
        let strict = PatchParams {
            field_validation: Some(kube::core::params::ValidationDirective::Strict),
            ..PatchParams::apply("clients")
        };
        let widget = json!({ "apiVersion": "example.dev/v1", "kind": "Widget", "spec": { "size": 1, "sise": 2 } });
        refused(500, widgets.patch("strict", &strict, &Patch::Apply(widget)).await)
    })
    .await;
    step("a typo of a CRD's field is pruned", async {
        let widgets: Api<kube::core::DynamicObject> =
            Api::namespaced_with(client.clone(), NS, &kube::core::ApiResource::erase::<controller::Widget>(&()));
        let widget =
            json!({ "apiVersion": "example.dev/v1", "kind": "Widget", "metadata": { "name": "pruned" }, "spec": { "size": 1, "sise": 2 } });
        let made = widgets.create(&PostParams::default(), &serde_json::from_value(widget)?).await?;
        same(made.data["spec"].clone(), json!({ "size": 1 }))?;
        widgets.delete("pruned", &DeleteParams::default()).await?;
        Ok(())
    })
    .await;
    step("scale of a Deployment", async {
        let deployments: Api<Deployment> = Api::namespaced(client.clone(), NS);
        let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "web", "image": "web" }] } });
        let spec = json!({ "replicas": 1, "selector": { "matchLabels": { "app": "web" } }, "template": template });
        let web = json!({ "metadata": { "name": "web" }, "spec": spec });
        deployments.create(&PostParams::default(), &serde_json::from_value(web)?).await?;
        let scale = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
        deployments.patch_scale("web", &PatchParams::default(), &scale).await?;
        same(deployments.get_scale("web").await?.spec.and_then(|spec| spec.replicas), Some(3))?;
        same(deployments.get("web").await?.metadata.generation, Some(2))
    })
    .await;
    step("a Lease with microseconds", async {
        let leases: Api<Lease> = Api::namespaced(client.clone(), NS);
        let spec = json!({ "holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.123456Z" });
        let lease = leases
            .create(
                &PostParams::default(),
                &serde_json::from_value(json!({ "metadata": { "name": "leader" }, "spec": spec }))?,
            )
            .await?;
        same(serde_json::to_value(&lease)?["spec"].clone(), spec)
    })
    .await;
    step("stringData of a Secret", async {
        let secrets: Api<Secret> = Api::namespaced(client.clone(), NS);
        let secret = json!({ "metadata": { "name": "password" }, "stringData": { "key": "value" } });
        let made = secrets.create(&PostParams::default(), &serde_json::from_value(secret)?).await?;
        same(serde_json::to_value(&made)?["data"].clone(), json!({ "key": "dmFsdWU=" }))
    })
    .await;
}

async fn deletion(maps: &Api<ConfigMap>) {
    step("a finalizer delays a deletion", async {
        let mut held = config_map("held", "1");
        held.metadata.finalizers = Some(vec!["treadle.dev/held".into()]);
        maps.create(&PostParams::default(), &held).await?;
        let answer = maps.delete("held", &DeleteParams::default()).await?;
        same(answer.left().is_some_and(|map| map.metadata.deletion_timestamp.is_some()), true)?;
        maps.patch(
            "held",
            &PatchParams::default(),
            &Patch::Merge(json!({ "metadata": { "finalizers": null } })),
        )
        .await?;
        until("the object is deleted", async || Ok(maps.get_opt("held").await?.is_none())).await
    })
    .await;
    step("a deletion in the foreground waits for a dependent", async {
        let owner = create(maps, "owner").await?;
        let mut owned = config_map("owned", "1");
        let reference = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid(), "blockOwnerDeletion": true });
        owned.metadata.owner_references = Some(vec![serde_json::from_value(reference)?]);
        owned.metadata.finalizers = Some(vec!["treadle.dev/held".into()]);
        maps.create(&PostParams::default(), &owned).await?;
        maps.delete("owner", &DeleteParams::foreground()).await?;
        until("the dependent is being deleted", async || {
            Ok(maps.get("owned").await?.metadata.deletion_timestamp.is_some())
        })
        .await?;
        same(
            maps.get("owner").await?.finalizers().to_vec(),
            vec!["foregroundDeletion".to_string()],
        )?;
        maps.patch(
            "owned",
            &PatchParams::default(),
            &Patch::Merge(json!({ "metadata": { "finalizers": null } })),
        )
        .await?;
        until("the owner is deleted", async || Ok(maps.get_opt("owner").await?.is_none())).await
    })
    .await;
    step("delete a collection by label", async {
        maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("page in (0,1)"))
            .await?;
        same(maps.list(&ListParams::default().labels("page")).await?.items.len(), 3)
    })
    .await;
}
