//! The table of checks.

use super::Diagnosis;
use super::agent_checks::{agents, hooks, last_hook, program};
use super::facts::{AgentSetUp, DoctorFacts};
use super::judged::Judged;
use super::place_checks::{local, runs_dir, sessions, settings, writable};

/// A check.
#[derive(Debug)]
pub(crate) struct DoctorCheck {
    /// Its name.
    pub(crate) name: &'static str,
    /// The question that it answers.
    pub(crate) question: &'static str,
    judge: HowToJudge,
}

/// How a check judges.
#[derive(Debug)]
enum HowToJudge {
    /// Once.
    Once(fn(&DoctorFacts) -> Judged),
    /// Each agent that is set up. `None` if there is nothing to say about it.
    EachAgent(fn(&DoctorFacts, &AgentSetUp) -> Option<Judged>),
}

/// The checks, in the order in which they are printed.
pub(crate) static CHECKS: &[DoctorCheck] = &[
    once("settings", "Do the settings of runlog have a mistake?", settings),
    once("runs-dir", "Where do `hook` and `import` record, and why there?", runs_dir),
    once("writable", "Can that directory be written?", writable),
    once("local", "Is it on a local file system?", local),
    once("agents", "Which agents are set up?", agents),
    each_agent("hooks", "Are all hooks of the agent set up, each once?", hooks),
    each_agent("program", "Does the program of the hooks exist, in this version?", program),
    each_agent("last-hook", "When did the last hook of the agent arrive?", last_hook),
    once("sessions", "Are there recent sessions that are not imported?", sessions),
];

const fn once(
    name: &'static str,
    question: &'static str,
    judge: fn(&DoctorFacts) -> Judged,
) -> DoctorCheck {
    DoctorCheck { name, question, judge: HowToJudge::Once(judge) }
}

const fn each_agent(
    name: &'static str,
    question: &'static str,
    judge: fn(&DoctorFacts, &AgentSetUp) -> Option<Judged>,
) -> DoctorCheck {
    DoctorCheck { name, question, judge: HowToJudge::EachAgent(judge) }
}

/// The results of all checks.
#[must_use]
pub(crate) fn diagnose(facts: &DoctorFacts) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for check in CHECKS {
        match check.judge {
            HowToJudge::Once(judge) => all.push(judge(facts).named(check.name.to_owned())),
            HowToJudge::EachAgent(judge) => all.extend(facts.agents.iter().filter_map(|agent| {
                let name = format!("{}.{}", check.name, agent.wiring.agent);
                Some(judge(facts, agent)?.named(name))
            })),
        }
    }
    all
}
