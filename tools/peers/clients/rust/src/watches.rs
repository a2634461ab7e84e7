//! Watches: the calls, the watcher of kube-runtime with both ways to list, and a reflector.
use crate::steps::{Outcome, same, step, until};
use crate::{create, value_of};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, ResourceExt};
use serde_json::json;

/// Creates, changes and deletes an object.
async fn change(maps: &Api<ConfigMap>, name: &str) -> Outcome {
    create(maps, name).await?;
    maps.patch(name, &PatchParams::default(), &Patch::Merge(json!({ "data": { "b": "1" } })))
        .await?;
    maps.delete(name, &DeleteParams::default()).await?;
    Ok(())
}

pub async fn run(maps: &Api<ConfigMap>) {
    step("watch", async {
        let version = maps
            .list(&ListParams::default())
            .await?
            .metadata
            .resource_version
            .unwrap_or_default();
        change(maps, "watched").await?;
        let mut events = Box::pin(maps.watch(&WatchParams::default().timeout(10), &version).await?);
        let mut seen = Vec::new();
        while let Some(event) = events.try_next().await? {
            let (what, map) = match event {
                WatchEvent::Added(map) => ("added", map),
                WatchEvent::Modified(map) => ("modified", map),
                WatchEvent::Deleted(map) => ("deleted", map),
                _ => continue,
            };
            seen.push(format!("{what} {}", map.name_any()));
            if what == "deleted" {
                break;
            }
        }
        same(
            seen,
            ["added watched", "modified watched", "deleted watched"].map(String::from).to_vec(),
        )
    })
    .await;
    step("a watch ends at its timeout", async {
        let version = maps
            .list(&ListParams::default())
            .await?
            .metadata
            .resource_version
            .unwrap_or_default();
        let events: Vec<_> = maps
            .watch(&WatchParams::default().timeout(1), &version)
            .await?
            .try_collect()
            .await?;
        same(events.iter().filter(|event| !matches!(event, WatchEvent::Bookmark(_))).count(), 0)
    })
    .await;
    for (name, config) in [
        ("a list and a watch", watcher::Config::default()),
        ("a streaming list", watcher::Config::default().streaming_lists()),
    ] {
        step(&format!("watcher with {name}"), follows(maps, config)).await;
    }
    step("reflector", reflects(maps)).await;
}

async fn follows(maps: &Api<ConfigMap>, config: watcher::Config) -> Outcome {
    let mut events = Box::pin(watcher(maps.clone(), config.labels("page!=9").page_size(2)));
    let mut initial = Vec::new();
    loop {
        match events.try_next().await? {
            Some(watcher::Event::InitApply(map)) => initial.push(map.name_any()),
            Some(watcher::Event::InitDone) => break,
            Some(watcher::Event::Init) => {}
            other => return Err(format!("{other:?} in the list").into()),
        }
    }
    same(initial.iter().filter(|name| name.starts_with("page-")).count(), 5)?;
    change(maps, "followed").await?;
    let mut seen = Vec::new();
    while seen.len() < 3 {
        match events.try_next().await? {
            Some(watcher::Event::Apply(map)) => seen.push(format!("apply {:?}", value_of(&map, "b"))),
            Some(watcher::Event::Delete(map)) => seen.push(format!("delete {}", map.name_any())),
            other => return Err(format!("{other:?} after the list").into()),
        }
    }
    same(
        seen,
        ["apply None", "apply Some(\"1\")", "delete followed"].map(String::from).to_vec(),
    )
}

async fn reflects(maps: &Api<ConfigMap>) -> Outcome {
    let (store, writer) = reflector::store();
    let stream = watcher(maps.clone(), watcher::Config::default())
        .reflect(writer)
        .default_backoff()
        .touched_objects();
    let reading = tokio::spawn(stream.for_each(|_| futures::future::ready(())));
    store.wait_until_ready().await?;
    let find = || store.find(|map| map.name_any() == "reflected");
    create(maps, "reflected").await?;
    until("the store has the object", async || Ok(find().is_some())).await?;
    maps.delete("reflected", &DeleteParams::default()).await?;
    until("the store has no such object", async || Ok(find().is_none())).await?;
    reading.abort();
    Ok(())
}
