//! A server on loopback and a request, for the tests of the ports.

use axum::Router;
use tokio::task::JoinHandle;

use super::habits::THINKING_TOKENS;
use super::model::{Message, ModelRequest, Role};

/// A server that is gone when the value is dropped.
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

/// A plain question.
pub(crate) fn request(question: &str) -> ModelRequest {
    ModelRequest {
        role: "writer".to_owned(),
        model: "m-1".to_owned(),
        messages: vec![Message::new(Role::User, question)],
        schema: None,
        tools: vec![],
        temperature: None,
        frequency_penalty: None,
        max_output_tokens: 100,
        spare_tokens: THINKING_TOKENS,
        idempotency_key: "00ff".to_owned(),
    }
}

/// A PNG of this size in one colour.
pub(crate) fn picture_of(width: u32, height: u32) -> Vec<u8> {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#3366aa\"/></svg>"
    );
    render::png(&svg, width, &render::Fonts::embedded()).expect("a picture")
}
