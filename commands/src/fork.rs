//! A session is forked from another one at any version. Nothing is copied: up to that version its history is the parent's. The first append
//! of the fork closes what was open at that version and asks the flow again.

use domain::Session;
use domain::decision::{Context, Decision};
use domain::event::{Event, GateOpened, SessionForked};
use domain::ids::SessionId;

use crate::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    pub parent: SessionId,
    /// The last version that is taken from the parent.
    pub at: u64,
}

impl Fork {
    /// `d` holds the parent's state at the fork point.
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        if !d.session.exists() {
            return Err(Refusal::NoSession);
        }
        let active = d.session.active_run();
        let gates: Vec<GateOpened> = active
            .into_iter()
            .flat_map(|run| run.open_gates())
            // A question of a step is left out: the step begins anew here and asks it again.
            .filter(|gate| gate.opened.step.is_none())
            .map(|gate| gate.opened.clone())
            .collect();
        // Gates that were open stay with the parent: the fork's state drops them with this event.
        d.record(SessionForked {
            parent: self.parent,
            at: self.at,
        });
        let Some(run) = d.session.active else {
            d.start_next();
            return Ok(());
        };
        d.cancel_steps(run, "forked");
        let at = d.now();
        for gate in gates {
            let fresh = d.fresh_gate();
            let deadline = gate.deadline.map(|deadline| at + (deadline - gate.at));
            d.record(GateOpened {
                gate: fresh,
                deadline,
                at,
                ..gate
            });
        }
        d.advance(run);
        Ok(())
    }
}

/// The child's first events, from the parent's state at the fork point, which becomes the child's state.
pub fn fork_events(
    parent: &mut Session,
    fork: Fork,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    let mut decision = Decision::new(parent, context);
    fork.decide(&mut decision)?;
    Ok(decision.into_events())
}
