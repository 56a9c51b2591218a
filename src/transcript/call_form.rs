//! Calls whose arguments people read as a form: to-do lists, plans, questions.

use std::borrow::Cow;

use super::todo::{self, TodoItem};
use crate::event::fields::as_text;
use crate::json::{Json, Kind, Members};

/// What a call puts before a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// A list of things to do.
    Todo(Vec<TodoItem>),
    /// A plan, in Markdown.
    Plan(String),
    /// Questions to the user.
    Questions(Vec<AskedQuestion>),
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AskedQuestion {
    /// The question.
    pub text: String,
    /// The options: what can be chosen, and what it means.
    pub options: Vec<(String, String)>,
    /// The answer, if the source has it.
    pub answer: Option<String>,
}

/// Maximum numbers of questions, and of options of one question.
const MOST_QUESTIONS: usize = 20;
const MOST_OPTIONS: usize = 50;

/// The members of an option that a form shows. An option with another member is shown as it is.
const OF_OPTION: &[&str] = &["label", "description"];

impl CallForm {
    /// The form of a call's arguments, and the member that holds it. `shown` makes a text safe to
    /// show.
    #[must_use]
    pub(crate) fn of(
        tool: &str,
        arguments: &Members<'_>,
        shown: impl Fn(&str) -> String,
    ) -> Option<(Self, &'static str)> {
        if let Some((name, mut items)) = todo::listed(arguments) {
            items.iter_mut().for_each(|item| item.text = shown(&item.text));
            return Some((Self::Todo(items), name));
        }
        let is_text = |value: &Json<'_>| value.kind() == Kind::String;
        if tool.contains("plan")
            && let Some(plan) = arguments.present("plan").filter(is_text)
        {
            return Some((Self::Plan(shown(&as_text(plan))), "plan"));
        }
        let list = arguments.present("questions").filter(|list| list.kind() == Kind::Array)?;
        let asked: Option<Vec<_>> = list.items().map(|one| question(one, &shown)).collect();
        let asked = asked.filter(|asked| !asked.is_empty() && asked.len() <= MOST_QUESTIONS)?;
        Some((Self::Questions(asked), "questions"))
    }

    /// Adds the answers to the questions: an object with the answer to each.
    pub(crate) fn answer(&mut self, answers: Json<'_>, shown: impl Fn(&str) -> String) {
        let Self::Questions(asked) = self else { return };
        for (question, answer) in answers.members() {
            let question = shown(&question);
            if let Some(one) = asked.iter_mut().find(|one| one.text == question) {
                one.answer = Some(shown(&as_text(answer)));
            }
        }
    }
}

/// A question with its options; `None` if it has more than a form shows.
fn question(asked: Json<'_>, shown: &impl Fn(&str) -> String) -> Option<AskedQuestion> {
    let text = shown(&asked.text_at("question")?);
    let options = asked.present("options").into_iter().flat_map(Json::items);
    let options: Option<Vec<_>> = options.map(|one| option(one, shown)).collect();
    let options = options.filter(|options| options.len() <= MOST_OPTIONS)?;
    Some(AskedQuestion { text, options, answer: None })
}

fn option(option: Json<'_>, shown: &impl Fn(&str) -> String) -> Option<(String, String)> {
    if !option.is_object() {
        return Some((shown(&as_text(option)), String::new()));
    }
    let is_known = option.members().all(|(name, _)| OF_OPTION.contains(&name.as_ref()));
    let text = |name: &str| option.text_at(name).map(|text: Cow<'_, str>| shown(&text));
    let label = text("label").filter(|_| is_known)?;
    Some((label, text("description").unwrap_or_default()))
}
