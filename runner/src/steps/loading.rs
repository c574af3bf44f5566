//! What a step works from: the bodies of artifacts and the texts of files, loaded from the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use domain::carry::{File, Input, Material, Source, UnreadFile, Work, Written, WrittenBody};
use domain::event::{ArtifactProduced, Body, FilePut};
use domain::hash::Sha256;
use domain::typeset::{RenderJob, SlideSet};
use intake::Unreadable;
use serde_json::Value;
use spec::{GivenPicture, PictureBytes, SlideSpec};
use store::{Log, StreamId};

use super::keep::JSON;
use crate::error::SendError;
use crate::reading::{FileReader, ReadFile};
use crate::sessions::blobs::blob;

/// Fills in what the step may see.
pub(crate) async fn load(
    log: &dyn Log,
    reader: &FileReader,
    stream: &StreamId,
    work: &mut Work,
    wanted: Material,
) -> Result<(), SendError> {
    for artifact in wanted.inputs {
        let input = input(log, stream, artifact).await?;
        let kind = input.artifact.kind.clone();
        work.inputs.entry(kind).or_default().push(input);
    }
    for artifact in wanted.previous {
        let input = input(log, stream, artifact).await?;
        work.previous.insert(input.artifact.kind.clone(), input);
    }
    for artifact in wanted.beside {
        work.beside.push(input(log, stream, artifact).await?);
    }
    for (earlier, left) in work.earlier.iter_mut().zip(wanted.recalled) {
        for artifact in left {
            earlier.made.push(input(log, stream, artifact).await?);
        }
    }
    for file in wanted.files {
        match read(log, reader, stream, &file).await? {
            Ok(read) => work.sources.push(Source {
                path: file.path,
                text: Arc::clone(&read.text),
                document: Arc::clone(&read.document),
                pictures: Arc::clone(&read.pictures),
                sha256: file.blob.sha256,
            }),
            Err(cause) => work.unread.push(UnreadFile {
                path: file.path,
                why: cause.to_string(),
            }),
        }
    }
    Ok(())
}

/// A file of the session, read. The outer error is the log's.
pub(crate) async fn read(
    log: &dyn Log,
    reader: &FileReader,
    stream: &StreamId,
    file: &FilePut,
) -> Result<Result<Arc<ReadFile>, Unreadable>, SendError> {
    if let Some(known) = reader.known(stream, file) {
        return Ok(known);
    }
    let bytes = blob(log, stream, &file.blob.sha256).await?;
    Ok(reader.read(stream, file, bytes).await)
}

/// An artifact with its content, where that is JSON.
pub(crate) async fn input(
    log: &dyn Log,
    stream: &StreamId,
    artifact: Arc<ArtifactProduced>,
) -> Result<Input, SendError> {
    let body = match &artifact.body {
        Body::Event { json } => Arc::clone(json),
        Body::Blob { blob, media_type } if media_type == JSON => {
            Arc::new(json(log, stream, &blob.sha256).await?)
        }
        // The content of a file is not loaded: a step that needs it asks for it by its hash.
        Body::Blob { .. } => Arc::new(Value::Null),
    };
    Ok(Input { artifact, body })
}

/// What a person wrote, and the version that the person changed.
pub(crate) async fn written(
    log: &dyn Log,
    stream: &StreamId,
    wanted: WrittenBody,
) -> Result<Written, SendError> {
    let was = input(log, stream, Arc::clone(&wanted.before)).await?;
    let by_hand = Arc::new(ArtifactProduced {
        body: wanted.body,
        ..wanted.before.as_ref().clone()
    });
    Ok(Written {
        before: wanted.before,
        was: was.body,
        body: input(log, stream, by_hand).await?.body,
        kept: wanted.kept,
    })
}

async fn json(log: &dyn Log, stream: &StreamId, sha256: &Sha256) -> Result<Value, SendError> {
    let bytes = blob(log, stream, sha256).await?;
    serde_json::from_slice(&bytes).map_err(|cause| SendError::Storage {
        cause: format!("blob {sha256} is not JSON: {cause}"),
    })
}

/// Puts the bytes of the pictures that slides show into the job. Pictures that are inside a file of the run and are not yet files
/// themselves are taken out of it: they become files together with the outputs of the step, so that they are there when the page is drawn
/// again.
pub(crate) async fn pictures(
    log: &dyn Log,
    reader: &FileReader,
    stream: &StreamId,
    work: &Work,
    taken: &mut BTreeMap<String, File>,
    job: &mut RenderJob,
) -> Result<(), SendError> {
    let of = SlideSpec::pictures_mut;
    let pictures: Vec<&mut GivenPicture> = match job {
        RenderJob::Slide { slide, .. } => of(slide),
        RenderJob::Canvas { slides, .. } => {
            slides.iter_mut().flat_map(|(slide, _)| of(slide)).collect()
        }
        RenderJob::Slides(set) | RenderJob::Paginated(set) => pictures_of(set),
        RenderJob::InTemplate(job) => pictures_of(&mut job.slides),
        RenderJob::ReadTemplate(_) | RenderJob::Text(_) | RenderJob::Card(_) => vec![],
    };
    for picture in pictures {
        let Ok(sha256) = picture.sha256.parse() else {
            continue;
        };
        let is_file = work.files.iter().any(|file| file.blob.sha256 == sha256);
        let carried = work.sources.iter().find_map(|source| {
            let mut carried = source.pictures.iter();
            let found = carried.find(|picture| picture.sha256 == sha256)?;
            Some((source, found))
        });
        let bytes = match carried.filter(|_| !is_file) {
            Some((source, found)) => {
                let path = found.path(&source.path);
                if !taken.contains_key(&path) {
                    let Some(bytes) = taken_out(log, reader, stream, source, sha256).await? else {
                        // The picture is drawn as a missing one.
                        continue;
                    };
                    let media_type = found.media_type;
                    taken.insert(path.clone(), File { media_type, bytes });
                }
                taken[&path].bytes.clone()
            }
            None => blob(log, stream, &sha256).await?,
        };
        picture.bytes = PictureBytes(bytes.as_ref().into());
    }
    Ok(())
}

/// A picture that is inside a file; `None` where it cannot be taken out, because every further try would fail as well.
async fn taken_out(
    log: &dyn Log,
    reader: &FileReader,
    stream: &StreamId,
    source: &Source,
    sha256: Sha256,
) -> Result<Option<Bytes>, SendError> {
    let file = blob(log, stream, &source.sha256).await?;
    let found = reader.picture(stream, source, file, sha256).await;
    let why = match found {
        Ok(Some(bytes)) => return Ok(Some(bytes.into())),
        Ok(None) => "it is not found any more".to_owned(),
        Err(cause) => cause.to_string(),
    };
    tracing::warn!(session.id = %stream.session, path = source.path, why, "a picture could not be taken out of its document");
    Ok(None)
}

fn pictures_of(set: &mut SlideSet) -> Vec<&mut GivenPicture> {
    let each = set.slides.iter_mut();
    each.flat_map(|said| {
        let logo = said
            .furniture
            .as_mut()
            .and_then(|furniture| furniture.logo.as_mut());
        said.slide.pictures_mut().into_iter().chain(logo)
    })
    .collect()
}

/// Whether a job needs a picture that is kept beside the log.
pub(crate) fn has_ground(job: &RenderJob) -> bool {
    matches!(job, RenderJob::Card(job) if job.ground.is_some())
}

/// Puts the bytes of a card's background picture into the job.
pub(crate) async fn ground(
    log: &dyn Log,
    stream: &StreamId,
    job: &mut RenderJob,
) -> Result<(), SendError> {
    if let RenderJob::Card(job) = job
        && let Some(ground) = &mut job.ground
    {
        ground.bytes = blob(log, stream, &ground.picture.blob.sha256).await?;
    }
    Ok(())
}

/// Puts the bytes of the template that a job names into it.
pub(crate) async fn template(
    log: &dyn Log,
    stream: &StreamId,
    job: &mut RenderJob,
) -> Result<(), SendError> {
    let file = match job {
        RenderJob::ReadTemplate(file) => file,
        RenderJob::InTemplate(job) => &mut job.template,
        RenderJob::Slide { .. }
        | RenderJob::Canvas { .. }
        | RenderJob::Slides(_)
        | RenderJob::Paginated(_)
        | RenderJob::Text(_)
        | RenderJob::Card(_) => return Ok(()),
    };
    file.bytes = blob(log, stream, &file.sha256).await?;
    Ok(())
}
