//! What the tests of several tools need.

use axum::Router;
use tokio::task::JoinHandle;

/// A server on loopback that is gone when the value is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(routes: Router) -> Server {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Server { url, task }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
