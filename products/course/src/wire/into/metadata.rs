//! The metadata of a message. Nothing is fetched from elsewhere: a file is an upload or an artifact of this server.

use axum::http::header::HOST;
use palimpsest::prelude::wire::{ApiError, ArtifactId};
use palimpsest::read;
use palimpsest::uploads::Attachment;
use serde::Deserialize;

use super::actor::Actor;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    file: Option<File>,
    /// This address is added to the message and not read: nothing is fetched from elsewhere. The run says so.
    url: Option<String>,
    /// Added to the message.
    description: Option<String>,
}

/// A file. Its type follows from its content, so that `mimeType` is not needed.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    read_url: String,
}

/// What a `readUrl` means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ReadUrl {
    /// The name of an upload.
    Upload(String),
    /// An artifact at a signed address.
    Artifact {
        artifact: ArtifactId,
        expires: i64,
        signature: String,
    },
}

/// The whole text of a message, and its files.
pub(super) async fn take_up(
    actor: &Actor,
    message: String,
    metadata: Option<Metadata>,
) -> Result<(String, Vec<Attachment>), ApiError> {
    let Metadata {
        file,
        url,
        description,
    } = metadata.unwrap_or_default();
    // An empty message is refused, whatever comes with it; so nothing is added to it.
    let mut text = message;
    if !text.trim().is_empty() {
        for more in [description, url].into_iter().flatten() {
            if !more.trim().is_empty() {
                text.push_str("\n\n");
                text.push_str(more.trim());
            }
        }
    }
    let Some(file) = file else {
        return Ok((text, vec![]));
    };
    Ok((text, vec![attach(actor, file).await?]))
}

async fn attach(actor: &Actor, File { name, read_url }: File) -> Result<Attachment, ApiError> {
    let host = actor
        .socket
        .req_parts()
        .headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let place = place(&read_url, host).ok_or_else(|| not_ours(&read_url))?;
    let (app, owner) = (&actor.peer.app, &actor.peer.owner);
    let file = match place {
        ReadUrl::Upload(file) => file,
        ReadUrl::Artifact {
            artifact,
            expires,
            signature,
        } => {
            let signed_for =
                app.signer
                    .address_owner(&artifact, expires, &signature, app.engine.clock().now());
            if signed_for.as_ref() != Some(&owner.0) {
                return Err(not_ours(&read_url));
            }
            let log = app.engine.log().as_ref();
            let found = read::artifact(log, &owner.0, &artifact).await?;
            let content = read::content(log, &found.stream, &found.artifact).await?;
            let kept = app.uploads.put_whole(owner, &name, content.bytes);
            kept.await?.file
        }
    };
    Ok(Attachment {
        path: name,
        file: Some(file),
        sha256: None,
    })
}

fn not_ours(url: &str) -> ApiError {
    let shown: String = url.chars().take(120).collect();
    let message = format!(
        "`{shown}` is not a file of this server, or its address has expired; nothing is fetched from elsewhere"
    );
    ApiError::unprocessable("file_not_taken", message)
        .hint("upload it with POST /v1/files and send the `file` of the answer as `metadata.file.readUrl`")
}

/// Reads a `readUrl`: the name of an upload, or an address on this host.
fn place(url: &str, host: &str) -> Option<ReadUrl> {
    let absolute = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    let path = match absolute {
        Some(rest) => rest
            .strip_prefix(host)
            .filter(|path| !host.is_empty() && path.starts_with('/'))?,
        None => url,
    };
    if !path.contains(['/', '?']) && path.starts_with("file_") {
        return Some(ReadUrl::Upload(path.to_owned()));
    }
    if let Some(file) = path.strip_prefix("/v1/files/") {
        return Some(ReadUrl::Upload(file.to_owned()));
    }
    let (artifact, query) = path
        .strip_prefix("/v1/artifacts/")?
        .split_once("/content?")?;
    let field = |name: &str| {
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };
    Some(ReadUrl::Artifact {
        artifact: ArtifactId::new(artifact),
        expires: field("exp")?.parse().ok()?,
        signature: field("sig")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_an_upload_or_an_artifact_of_this_server_and_nothing_else() {
        let host = "localhost:8080";
        let upload = Some(ReadUrl::Upload("file_1".to_owned()));
        for url in [
            "file_1",
            "/v1/files/file_1",
            "http://localhost:8080/v1/files/file_1",
        ] {
            assert_eq!(place(url, host), upload, "{url}");
        }
        let artifact = ReadUrl::Artifact {
            artifact: ArtifactId::new("art_1"),
            expires: 12,
            signature: "a.b".to_owned(),
        };
        assert_eq!(
            place("/v1/artifacts/art_1/content?exp=12&sig=a.b", host),
            Some(artifact)
        );
        for url in [
            "http://evil.example/v1/files/file_1",
            "http://localhost:8080.evil.example/v1/files/file_1",
            "https://localhost:80801/v1/files/file_1",
            "//evil.example/file_1",
            "file:///etc/passwd",
            "/etc/passwd",
            "",
            "/v1/artifacts/art_1/content",
            "/v1/artifacts/art_1/content?exp=x&sig=a.b",
        ] {
            assert_eq!(place(url, host), None, "{url}");
        }
        assert_eq!(place("http:///v1/files/file_1", ""), None);
    }
}
