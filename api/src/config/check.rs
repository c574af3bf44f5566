//! What is checked before anything starts.

use std::collections::BTreeMap;

use domain::hash::Sha256;
use domain::pipeline::{Pipeline, Pipelines};
use domain::settings::ATTEMPTS_MAX;
use domain::shown;

use super::strength::check_strength;
use super::{Config, ConfigError, OFFLINE};

/// The most steps of one stage at the same time. No provider account is known to take more.
const WIDTH_MAX: u32 = 32;

/// The longest lease, so that nobody waits longer than this for a step whose process is gone.
const LEASE_SECONDS_MAX: u32 = 3_600;

/// The longest time for calls to end in. No call is known to take longer.
const DRAIN_SECONDS_MAX: u32 = 3_600;

/// The longest name of an owner, in bytes: it is part of every row's key.
const OWNER_BYTES_MAX: usize = 64;

/// The most that a price or a budget may be, in units of the currency. A larger amount is taken for a misplaced decimal point.
const MONEY_MAX: f64 = 1_000_000.0;

/// The limits that somebody may set to 0, for none at all.
const MAY_BE_ZERO: [&str; 4] = [
    "uploads_bytes",
    "connections_per_owner",
    "subscriptions_per_connection",
    "bytes_per_second",
];

pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    within("attempts", config.attempts, ATTEMPTS_MAX)?;
    within("width", config.width, WIDTH_MAX)?;
    for (name, pipeline) in &config.pipelines {
        within(
            &format!("pipelines.{name}.width"),
            pipeline.width.unwrap_or(1),
            WIDTH_MAX,
        )?;
    }
    within("lease-seconds", config.lease_seconds, LEASE_SECONDS_MAX)?;
    if config.drain_seconds > DRAIN_SECONDS_MAX {
        let cause = format!(
            "{} is not between 0 and {DRAIN_SECONDS_MAX}",
            config.drain_seconds
        );
        return Err(ConfigError::bad("drain-seconds", cause));
    }
    if config.retain_days == Some(0) {
        return Err(ConfigError::bad(
            "retain-days",
            "0 would erase everything at once; leave it out to keep sessions",
        ));
    }
    for (at, key) in config.keys.iter().enumerate() {
        check_owner(&key.owner)?;
        let name = format!("keys.{}", key.owner);
        match (&key.secret, &key.sha256) {
            (Some(secret), None) => check_strength(secret).map_err(|error| {
                // An owner may have several keys.
                ConfigError::bad(name, format!("in key {} of the list, {error}", at + 1))
            })?,
            (None, Some(sha256)) if sha256.to_lowercase().parse::<Sha256>().is_ok() => {}
            (None, Some(_)) => {
                return Err(ConfigError::bad(name, "`sha256` has 64 hexadecimal digits"));
            }
            (Some(_), _) | (None, None) => {
                return Err(ConfigError::bad(
                    name,
                    "a key has either a `secret` or its `sha256`",
                ));
            }
        }
    }
    check_secrets(config)?;
    for origin in &config.origins {
        if !is_origin(origin) {
            let cause = format!(
                "`{}` is not an origin such as https://app.example.com, without a path",
                shown::address(origin)
            );
            return Err(ConfigError::bad("origins", cause));
        }
    }
    for host in &config.hosts {
        if host.is_empty() || host.contains(['/', ' ', '@']) {
            return Err(ConfigError::bad(
                "hosts",
                format!("`{}` is not a host name", shown::address(host)),
            ));
        }
    }
    let barred =
        |(name, limit): &(String, u64)| *limit == 0 && !MAY_BE_ZERO.contains(&name.as_str());
    if let Some((name, _)) = config.limits.listed().into_iter().find(barred) {
        let cause = "a limit of 0 would let nothing through";
        return Err(ConfigError::bad(format!("limits.{name}"), cause));
    }
    Ok(())
}

/// Refuses a secret that two owners share: whoever shows it would be taken for the owner that is found first. Also refuses an operator's
/// secret that is an owner's as well: it would make that owner the operator.
fn check_secrets(config: &Config) -> Result<(), ConfigError> {
    let mut known: BTreeMap<Sha256, &str> = BTreeMap::new();
    for key in &config.keys {
        let hashed = match (&key.secret, &key.sha256) {
            (Some(secret), _) => Some(Sha256::of(secret.as_bytes())),
            (None, Some(sha256)) => sha256.to_lowercase().parse().ok(),
            (None, None) => None,
        };
        let Some(hashed) = hashed else { continue };
        match known.insert(hashed, &key.owner) {
            Some(other) if other != key.owner => {
                let cause = format!(
                    "`{other}` and `{}` have the same secret; give each owner one of its own",
                    key.owner
                );
                return Err(ConfigError::bad("keys", cause));
            }
            Some(_) | None => {}
        }
    }
    let Some(operator) = &config.operator_key else {
        return Ok(());
    };
    let strength = check_strength(operator.reveal());
    strength.map_err(|error| ConfigError::bad("operator_key", error))?;
    match known.get(&Sha256::of(operator.reveal().as_bytes())) {
        Some(owner) => {
            let cause = format!("it is the secret of `{owner}` as well; take another one");
            Err(ConfigError::bad("operator_key", cause))
        }
        None => Ok(()),
    }
}

/// Checks that settings for single pipelines name pipelines of this program and stay within the limits of each.
pub fn check_pipelines(config: &Config, pipelines: &Pipelines) -> Result<(), ConfigError> {
    for (name, own) in &config.pipelines {
        let Some(pipeline) = pipelines.find(name) else {
            let known: Vec<_> = pipelines.iter().map(Pipeline::name).collect();
            let cause = format!("there is no such pipeline; there are {}", known.join(", "));
            return Err(ConfigError::bad(format!("pipelines.{name}"), cause));
        };
        within(
            &format!("pipelines.{name}.attempts"),
            own.attempts.unwrap_or(1),
            pipeline.attempts_max(),
        )?;
    }
    Ok(())
}

/// Checks that this server may listen on its addresses: without keys, only on loopback.
pub fn check_listen(config: &Config) -> Result<(), ConfigError> {
    let further = config.further_listens().map(|(_, address)| address);
    let mut addresses = std::iter::once(config.listen).chain(further);
    match addresses.find(|address| !address.ip().is_loopback()) {
        Some(listen) if config.keys.is_empty() => Err(ConfigError::OpenToAll { listen }),
        Some(_) | None => Ok(()),
    }
}

/// Checks that a model that is named can be asked somewhere. Without a provider the offline author would write in its place, and nobody
/// would be told.
pub fn check_provider(config: &Config) -> Result<(), ConfigError> {
    let models = &config.models;
    let is_forced = models.default.as_deref() == Some(OFFLINE);
    if is_forced || models.own.is_some() || models.has_provider() {
        return Ok(());
    }
    let mut named = models.default.iter().chain(models.by_role.values());
    match named.next() {
        Some(model) => Err(ConfigError::NoProvider {
            model: model.clone(),
        }),
        None => Ok(()),
    }
}

fn within(name: &str, value: u32, most: u32) -> Result<(), ConfigError> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::bad(
        name,
        format!("{value} is not between 1 and {most}"),
    ))
}

fn check_owner(owner: &str) -> Result<(), ConfigError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    if owner.is_empty() || owner.len() > OWNER_BYTES_MAX || !owner.chars().all(plain) {
        let cause = format!(
            "the owner `{owner}` is not 1 to {OWNER_BYTES_MAX} letters, digits or one of - _ . @"
        );
        return Err(ConfigError::bad("keys", cause));
    }
    Ok(())
}

fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return false;
    };
    matches!(scheme, "http" | "https")
        && !authority.is_empty()
        && !authority.contains(['/', '?', '#', ' ', '*', '@'])
}

/// Millionths of an amount of money.
pub(super) fn micros(name: &str, amount: f64) -> Result<u64, ConfigError> {
    if !(0.0..=MONEY_MAX).contains(&amount) {
        return Err(ConfigError::bad(
            name,
            format!("{amount} is not between 0 and {MONEY_MAX}"),
        ));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    Ok((amount * 1_000_000.0).round() as u64)
}

/// Whether a host, without its port, can only be this machine.
pub fn is_loopback_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}
