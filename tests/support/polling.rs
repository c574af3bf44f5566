//! A client of Socket.IO that polls.

use std::collections::VecDeque;

use reqwest::Method;
use serde_json::{Value, json};

use super::api::Api;

/// A client of Socket.IO that polls.
pub(crate) struct Polling<'a> {
    api: &'a Api,
    pub(crate) path: String,
    headers: &'a [(&'a str, &'a str)],
    packets: VecDeque<String>,
}

impl<'a> Polling<'a> {
    /// Connects with this handshake; the next packet is the server's answer to it.
    pub(crate) async fn connect(
        api: &'a Api,
        auth: &Value,
        headers: &'a [(&'a str, &'a str)],
    ) -> Self {
        let mut polling = Self {
            api,
            path: "/socket.io/?EIO=4&transport=polling".to_owned(),
            headers,
            packets: VecDeque::new(),
        };
        let opened = polling.next().await;
        let opened: Value = serde_json::from_str(opened.trim_start_matches('0')).expect("JSON");
        let sid = opened["sid"].as_str().expect("an id");
        polling.path = format!("{}&sid={sid}", polling.path);
        polling.send(&format!("40{auth}")).await;
        polling
    }

    pub(crate) async fn send(&self, packet: &str) {
        let body = packet.as_bytes().to_vec();
        self.api
            .send(Method::POST, &self.path, self.headers, Some(body))
            .await
            .succeeded();
    }

    pub(crate) async fn next(&mut self) -> String {
        loop {
            if let Some(packet) = self.packets.pop_front() {
                return packet;
            }
            let answer = self
                .api
                .send(Method::GET, &self.path, self.headers, None)
                .await;
            let answer = answer.succeeded();
            // A ping by itself is `2`, which the client has read as a JSON number.
            let packets = answer
                .as_str()
                .map_or_else(|| answer.to_string(), str::to_owned);
            for packet in packets.split('\u{1e}') {
                match packet {
                    "2" => self.send("3").await,
                    packet => self.packets.push_back(packet.to_owned()),
                }
            }
        }
    }

    /// Emits, and gives the acknowledgement; events that come before it are passed over.
    pub(crate) async fn ask(&mut self, event: &str, data: &Value) -> Value {
        self.send(&format!("421{}", json!([event, data]))).await;
        loop {
            if let Some(answer) = self.next().await.strip_prefix("431") {
                let answer: Value = serde_json::from_str(answer).expect("an acknowledgement");
                return answer[0].clone();
            }
        }
    }

    /// The next event, with what it says.
    pub(crate) async fn event(&mut self) -> (String, Value) {
        let packet = self.next().await;
        let event = packet
            .strip_prefix("42")
            .unwrap_or_else(|| panic!("{packet}"));
        let (name, data) = serde_json::from_str(event).expect("a name and what it says");
        (name, data)
    }
}
