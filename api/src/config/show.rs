//! The effective settings as `serve --check` prints them: everything but secrets.

use std::fmt::Write as _;

use domain::shown;

use super::{Blobs, Config, Database};

impl Config {
    /// One setting a line, with the names of the file. For a secret, only whether it is set.
    pub fn shown(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{name} = {value}").expect("a string takes any text");
        };
        line("listen", &self.listen);
        for (name, value) in self.wires.values().flat_map(|wire| &wire.shown) {
            line(name, value);
        }
        for (name, product) in &self.products {
            for (setting, value) in &product.shown {
                line(&format!("products.{name}.{setting}"), value);
            }
        }
        line("database", &self.database.shown());
        line("data", &self.data.display());
        match &self.blobs {
            Blobs::Folder(folder) => line("blobs", &folder.display()),
            Blobs::Url { url, options } => {
                let names: Vec<_> = options.iter().map(|(name, _)| name.as_str()).collect();
                line(
                    "blobs",
                    &format!(
                        "{} (options: {})",
                        shown::address(url),
                        or_none(&names.join(", "))
                    ),
                );
            }
        }
        line(
            "master key",
            &if self.master_key.is_some() {
                "from the environment"
            } else {
                "from the data folder"
            },
        );
        line(
            "state keys",
            &if self.state_keys.is_some() {
                "from the environment"
            } else {
                "from the data folder"
            },
        );
        let models = &self.models;
        line(
            "author",
            &if self.is_offline() {
                "offline"
            } else {
                "model"
            },
        );
        line("model", &models.default.as_deref().unwrap_or("none"));
        for (role, model) in &models.by_role {
            line(&format!("models.{role}"), model);
        }
        line(
            "fallback_model",
            &models.fallback.as_deref().unwrap_or("none"),
        );
        line("provider.base_url", &shown_url(models.base_url.as_deref()));
        line(
            "provider.api_key",
            &if models.api_key.is_empty() {
                "none"
            } else {
                "given"
            },
        );
        for family in &models.families {
            line("family", &family.models.join(", "));
        }
        line("provider.concurrency", &models.limits.concurrency);
        match &self.search {
            None => line("search", &"off"),
            Some(search) => {
                let key = if search.key.is_empty() {
                    "without a key"
                } else {
                    "with a key"
                };
                line(
                    "search",
                    &format!("{} ({:?}, {key})", shown::address(&search.url), search.kind),
                );
            }
        }
        match &self.images {
            None => line("images", &"drawn here"),
            Some(images) => {
                line("images.model", &images.model);
                line("images.base_url", &shown_url(images.base_url.as_deref()));
                let key = if images.api_key.is_empty() {
                    "none"
                } else {
                    "given"
                };
                line("images.api_key", &key);
                line("images.concurrency", &images.limits.concurrency);
            }
        }
        match &self.embeddings {
            None => line("embeddings", &"off"),
            Some(embeddings) => {
                line("embeddings.model", &embeddings.model);
                line(
                    "embeddings.base_url",
                    &shown_url(embeddings.base_url.as_deref()),
                );
                let key = if embeddings.api_key.is_empty() {
                    "none"
                } else {
                    "given"
                };
                line("embeddings.api_key", &key);
                if let Some(dimensions) = &embeddings.dimensions {
                    line("embeddings.dimensions", dimensions);
                }
                line("embeddings.texts", &embeddings.texts);
                line("embeddings.chars", &embeddings.chars);
                line("embeddings.concurrency", &embeddings.limits.concurrency);
            }
        }
        line("fetch_hosts", &or_none(&addresses(&self.fetch_hosts)));
        let owners: std::collections::BTreeSet<_> =
            self.keys.iter().map(|key| key.owner.as_str()).collect();
        line(
            "keys",
            &format!("{} of {} owners", self.keys.len(), owners.len()),
        );
        let operator = match (&self.operator_key, self.keys.is_empty()) {
            (Some(_), _) => "given",
            (None, true) => "not needed without keys",
            (None, false) => "none: nobody reads /metrics",
        };
        line("operator_key", &operator);
        line("origins", &or_none(&addresses(&self.origins)));
        line("hosts", &or_none(&addresses(&self.hosts)));
        line("attempts", &self.attempts);
        line("width", &self.width);
        line("on_busy", &format!("{:?}", self.on_busy).to_lowercase());
        for (name, pipeline) in &self.pipelines {
            line(&format!("pipelines.{name}"), &format!("{pipeline:?}"));
        }
        let budget = &self.budget;
        line("budget.calls", &budget.calls);
        line("budget.tokens", &budget.tokens);
        line("budget.cost_micros", &budget.cost_micros);
        line("budget.working_ms", &budget.working_ms);
        for (model, price) in &self.prices {
            let shown = format!(
                "input {}, output {}, cached {}, image {} micros",
                price.input, price.output, price.cached, price.image
            );
            line(&format!("prices.{model}"), &shown);
        }
        for (name, limit) in self.limits.listed() {
            line(&format!("limits.{name}"), &limit);
        }
        let fonts = self.fonts.as_ref().map(|folder| folder.display());
        match fonts {
            None => line("fonts", &"the system's"),
            Some(folder) => line("fonts", &format!("{folder}, then the system's")),
        }
        line("lease_seconds", &self.lease_seconds);
        line("curate", &self.curate);
        line(
            "retain_days",
            &self
                .retain_days
                .map_or("never".to_owned(), |days| days.to_string()),
        );
        // Settings of pipelines and wires may be addresses, and addresses may hold secrets.
        shown::without_secrets(&text).into_owned()
    }
}

impl Database {
    /// The address without user and password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite { path } => format!("sqlite:{}", path.display()),
            Self::Postgres { url } => {
                let place = url.reveal().rsplit('@').next().unwrap_or_default();
                let place = place
                    .trim_start_matches("postgresql://")
                    .trim_start_matches("postgres://");
                format!("postgres://{}", place.split('?').next().unwrap_or_default())
            }
        }
    }
}

fn shown_url(url: Option<&str>) -> String {
    url.map_or("default of the provider".to_owned(), shown::address)
}

fn addresses(listed: &[String]) -> String {
    let listed: Vec<_> = listed.iter().map(|one| shown::address(one)).collect();
    listed.join(", ")
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}
