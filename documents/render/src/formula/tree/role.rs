//! The roles that neighbours give a sign.

use super::{Part, Role};

/// Takes the space from a binary sign that has nothing on one of its sides, as TeX does.
pub(super) fn settle(parts: &mut [Part]) {
    let mut before: Option<Role> = None;
    let mut open = true;
    let mut last: Option<usize> = None;
    for at in 0..parts.len() {
        let Some(part) = parts.get(at) else { break };
        if matches!(part, Part::Space(_)) {
            continue;
        }
        let role = part.role();
        let is_first_of_its_kind = open
            || matches!(
                before,
                Some(Role::Binary | Role::Relation | Role::Open | Role::Punctuation)
            );
        if matches!(role, Some(Role::Relation | Role::Close | Role::Punctuation)) {
            last.and_then(|last| parts.get_mut(last)).map(tighten);
        }
        if role == Some(Role::Binary) && is_first_of_its_kind {
            parts.get_mut(at).map(tighten);
        }
        let Some(part) = parts.get(at) else { break };
        before = part.role();
        open = part.large().is_some() || part.is_function();
        last = Some(at);
    }
    last.and_then(|last| parts.get_mut(last)).map(tighten);
}

/// Takes the space from around a binary sign.
fn tighten(part: &mut Part) {
    if let Part::Operator {
        role: role @ Role::Binary,
        ..
    } = part
    {
        *role = Role::Tight;
    } else if let Part::Scripts { base, .. } = part {
        tighten(base);
    }
}
