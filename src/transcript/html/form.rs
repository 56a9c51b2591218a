//! To-do lists, plans and questions in the form in which people read them.

use maud::{Markup, html};

use super::markdown;
use crate::transcript::call_form::{AskedQuestion, CallForm};
use crate::transcript::todo::{TodoItem, TodoProgress};

/// The list, the plan or the questions of a call.
pub(super) fn form(form: &CallForm) -> Markup {
    html! {
        @match form {
            CallForm::Todo(items) => ul.todo { @for item in items { (todo(item)) } },
            CallForm::Plan(plan) => div.md.plan { (markdown::render(plan)) },
            CallForm::Questions(questions) => {
                @for question in questions { (self::question(question)) }
            }
        }
    }
}

fn todo(item: &TodoItem) -> Markup {
    let (class, mark) = match item.progress {
        TodoProgress::Open => ("open", "☐"),
        TodoProgress::Begun => ("begun", "▶"),
        TodoProgress::Done => ("done", "☑"),
        TodoProgress::Cancelled => ("gone", "☒"),
    };
    html! { li.(class) { (mark) " " (item.text) } }
}

fn question(asked: &AskedQuestion) -> Markup {
    let answer = asked.answer.as_deref();
    // The answer to a question with several choices lists them.
    let is_chosen = |label: &str| {
        answer.is_some_and(|answer| answer == label || answer.split(", ").any(|one| one == label))
    };
    let is_listed = asked.options.iter().any(|(label, _)| is_chosen(label));
    html! {
        div.question {
            p { b { (asked.text) } }
            ul {
                @for (label, more) in &asked.options {
                    @let chosen = is_chosen(label);
                    li class=[chosen.then_some("chosen")] {
                        @if chosen { "● " } @else { "○ " }
                        (label)
                        @if !more.is_empty() { span.hint { " " (more) } }
                    }
                }
            }
            @if let Some(answer) = answer.filter(|_| !is_listed) { p { "Answer: " (answer) } }
        }
    }
}
