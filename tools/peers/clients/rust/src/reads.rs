//! Lists in pages, selectors, discovery, and what the servers refuse.
use crate::steps::{Outcome, refused, same, step, until};
use crate::{NS, config_map};
use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Event};
use kube::api::{DeleteParams, ListParams, PostParams, Preconditions, VersionMatch, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use std::collections::BTreeMap;

pub async fn run(client: &Client, maps: &Api<ConfigMap>) {
    step("pages with a continue token", async {
        for number in 0..5 {
            let mut map = config_map(&format!("page-{number}"), "1");
            map.metadata.labels = Some(BTreeMap::from([("page".into(), number.to_string())]));
            maps.create(&PostParams::default(), &map).await?;
        }
        let params = ListParams::default().labels("page").limit(2);
        let first = maps.list(&params).await?;
        same(first.metadata.remaining_item_count, None)?;
        let token = first.metadata.continue_.unwrap_or_default();
        let second = maps.list(&params.clone().continue_token(&token)).await?;
        let names: Vec<String> = first.items.iter().chain(&second.items).map(ResourceExt::name_any).collect();
        same(names, ["page-0", "page-1", "page-2", "page-3"].map(String::from).to_vec())
    })
    .await;
    step("label selectors", async {
        let count = async |selector: &str| Ok::<_, kube::Error>(maps.list(&ListParams::default().labels(selector)).await?.items.len());
        same(
            [
                count("page in (1,2)").await?,
                count("page,page notin (0)").await?,
                count("page=9").await?,
            ],
            [2, 4, 0],
        )
    })
    .await;
    step("a field selector", async {
        same(
            maps.list(&ListParams::default().fields("metadata.name=page-1")).await?.items.len(),
            1,
        )
    })
    .await;
    step("metadata only", async {
        let found = maps.get_metadata("one").await?;
        same(found.types.map(|types| types.kind), Some("PartialObjectMetadata".into()))?;
        same(maps.list_metadata(&ListParams::default().labels("page")).await?.items.len(), 5)
    })
    .await;
    step("versions and discovery", async {
        same(client.apiserver_version().await?.major, "1".into())?;
        let groups = kube::Discovery::new(client.clone()).run_aggregated().await?;
        let kinds: Vec<String> = groups
            .get("example.dev")
            .map(|group| group.recommended_resources().into_iter().map(|(each, _)| each.kind).collect())
            .unwrap_or_default();
        same(kinds, vec!["Widget".into()])
    })
    .await;
}

pub async fn refusals(client: &Client, maps: &Api<ConfigMap>) {
    step("404", async { refused(404, maps.get("absent").await) }).await;
    step("409 for an existing object", async {
        refused(409, maps.create(&PostParams::default(), &config_map("one", "1")).await)
    })
    .await;
    step("409 for an old version", async {
        let mut old = maps.get("one").await?;
        old.metadata.resource_version = Some("1".into());
        refused(409, maps.replace("one", &PostParams::default(), &old).await)
    })
    .await;
    step("409 for a deletion with another uid", async {
        let preconditions = Some(Preconditions {
            uid: Some("other".into()),
            ..Default::default()
        });
        refused(
            409,
            maps.delete(
                "one",
                &DeleteParams {
                    preconditions,
                    ..Default::default()
                },
            )
            .await,
        )
    })
    .await;
    step("422 for a bad name", async {
        refused(422, maps.create(&PostParams::default(), &config_map("Bad_Name", "1")).await)
    })
    .await;
    step("410 for a list and a watch of versions that are too old", expired(client)).await;
}

/// Events have no watch cache, so their watches expire with their lists.
async fn expired(client: &Client) -> Outcome {
    let events: Api<Event> = Api::namespaced(client.clone(), NS);
    let event = |name: &str| json!({ "metadata": { "name": name }, "involvedObject": { "namespace": NS } });
    let old = events
        .create(&PostParams::default(), &serde_json::from_value(event("old"))?)
        .await?;
    let version = old.resource_version().unwrap_or_default();
    let exactly = ListParams {
        resource_version: Some(version.clone()),
        version_match: Some(VersionMatch::Exact),
        ..Default::default()
    };
    let mut count = 0;
    until("the version expires", async || {
        count += 1;
        events
            .create(&PostParams::default(), &serde_json::from_value(event(&format!("newer-{count}")))?)
            .await?;
        Ok(events.list(&exactly).await.is_err())
    })
    .await?;
    refused(410, events.list(&exactly).await.map(|list| list.items.len()))?;
    match Box::pin(events.watch(&WatchParams::default().timeout(5), &version).await?)
        .try_next()
        .await?
    {
        Some(WatchEvent::Error(status)) => same(status.code, 410),
        other => Err(format!("{other:?} in a watch from version {version}").into()),
    }
}
