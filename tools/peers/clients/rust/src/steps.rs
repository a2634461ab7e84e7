//! Runs the steps of the program, and prints one line for each.
use std::{error::Error, fmt::Debug, future::Future, time::Duration};
use tokio::time::{Instant, sleep};

pub type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Runs a step, for at most 30 s.
pub async fn step(name: &str, body: impl Future<Output = Outcome>) {
    let outcome = match tokio::time::timeout(Duration::from_secs(30), body).await {
        Ok(outcome) => outcome,
        Err(_) => Err("not in 30 s".into()),
    };
    match outcome {
        Ok(()) => println!("ok {name}"),
        Err(problem) => println!("not ok {name}: {}", problem.to_string().replace('\n', " ")),
    }
}

pub fn same<T: PartialEq + Debug>(found: T, wanted: T) -> Outcome {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("found {found:?}, wanted {wanted:?}").into())
    }
}

/// Expects a refusal with this code.
pub fn refused<T: Debug>(code: u16, answer: Result<T, kube::Error>) -> Outcome {
    match answer {
        Err(kube::Error::Api(status)) => same(status.code, code),
        other => Err(format!("wanted {code}, found {other:?}").into()),
    }
}

/// Waits at most 20 s.
pub async fn until(what: &str, mut is_true: impl AsyncFnMut() -> Outcome<bool>) -> Outcome {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_true().await? {
        if Instant::now() > end {
            return Err(format!("not in 20 s: {what}").into());
        }
        sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
