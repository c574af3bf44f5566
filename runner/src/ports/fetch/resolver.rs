//! Names to addresses. What is handed to the connection is what was checked; nothing is looked up a second time.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::FetchError;
use super::policy::Policy;

/// How names become addresses.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of a name; none where it has none.
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// As this machine does it.
#[derive(Clone, Copy, Debug)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Gives the connection addresses that the policy allows, or none where it forbids any of them: the owner of a name could put its addresses
/// in any order.
pub(super) struct Guarded {
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) policy: Arc<Policy>,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, policy) = (Arc::clone(&self.lookup), Arc::clone(&self.policy));
        Box::pin(async move {
            let host = name.as_str().to_owned();
            // Systems give the same error for a name that does not exist and for a name server that cannot be reached.
            let found = lookup
                .lookup(&host)
                .await
                .map_err(|error| FetchError::Unreachable {
                    host: host.clone(),
                    cause: error.to_string(),
                })?;
            if found.is_empty() {
                return Err(FetchError::UnknownHost { host }.into());
            }
            if let Some(why) = found.iter().find_map(|ip| policy.forbids(*ip)) {
                return Err(FetchError::Forbidden { host, why }.into());
            }
            // The port is the one of the address that is fetched.
            let addresses = found.into_iter().map(|ip| SocketAddr::new(ip, 0));
            let addresses: Addrs = Box::new(addresses);
            Ok(addresses)
        })
    }
}
