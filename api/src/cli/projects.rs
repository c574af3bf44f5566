//! Projects from folders of this machine, which are sent to the server before a run works on them.

use std::path::Path;

use domain::hash::Sha256;
use serde_json::{Value, json};

use crate::request::in_address;
use crate::verb::{Client, Failure, list_remarks, name_folder, out, read_text_files, unreadable};

/// Hexadecimal digits of the hash in the id of a folder's project.
const ID_DIGITS: usize = 12;

/// The id of a project that is given by its id, or by a folder, which is sent first.
pub(super) async fn given(client: &Client, given: &str) -> Result<String, Failure> {
    let path = Path::new(given);
    if !path.is_dir() {
        if path.components().count() > 1 || path.exists() {
            return Err(Failure::usage(format!("{given} is not a folder")));
        }
        return Ok(given.to_owned());
    }
    let files = read_text_files(path)?;
    let project = id_of(path)?;
    let files: Vec<Value> = files
        .into_iter()
        .map(|(path, text)| json!({ "path": path, "text": text }))
        .collect();
    let address = format!("/v1/projects/{}/folder", in_address(&project));
    let folder = json!({ "name": name_folder(path)?, "files": files });
    let answer = client.put(&address, &folder).await?;
    let remarks = answer["remarks"].as_array().cloned().unwrap_or_default();
    for line in list_remarks(&remarks) {
        out::note(&line);
    }
    Ok(project)
}

/// The id of a folder's project. It is the same each time for the same folder of this machine.
fn id_of(path: &Path) -> Result<String, Failure> {
    let whole = path
        .canonicalize()
        .map_err(|error| unreadable(path, &error))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name: String = name.chars().filter(|c| fits(*c)).take(32).collect();
    let hash = Sha256::of(whole.to_string_lossy().as_bytes());
    Ok(format!("{name}-{}", &hash.hex()[..ID_DIGITS]))
}
