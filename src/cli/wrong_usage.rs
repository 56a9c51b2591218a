//! Errors of the parser of arguments, in the style of all other errors: one message, one hint.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _};

use super::Cli;
use super::exit::{Exit, Failure};
use super::instead::instead;

/// Words of the parsers of values, and what is printed instead.
const REWORDED: &[(&str, &str)] = &[
    ("invalid digit found in string", "use a whole number"),
    ("cannot parse integer from empty string", "use a whole number"),
    ("number too large to fit in target type", "the number is too large"),
    ("invalid float literal", "use a number"),
    ("unrecognized subcommand", "unknown command"),
    ("' found", "'"),
    ("unexpected argument", "unknown argument"),
    (" but none was supplied", ""),
    ("the following required arguments were not provided:", "missing:"),
    (" were provided", ""),
];

/// The message and the hint for wrong arguments.
pub(super) fn wrong_usage(error: &clap::Error, arguments: &[OsString]) -> Failure {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let lines: Vec<&str> = first.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let message =
        REWORDED.iter().fold(lines.join(" "), |text, (raw, plain)| text.replacen(raw, plain, 1));
    let message = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        // A command with subcommands takes any second word for one.
        (ErrorKind::ArgumentConflict, Some(ContextValue::String(word))) => {
            format!("'{word}' is too much: one run is named already")
        }
        (ErrorKind::MissingRequiredArgument, _) => missing(error).unwrap_or(message),
        _ => message,
    };
    let message = match message.split_once(" [possible values: ") {
        Some((message, values)) => format!("{message}; use {}", values.trim_end_matches(']')),
        None => message,
    };
    let what = match error.kind() {
        ErrorKind::InvalidSubcommand => "commands",
        _ => "options",
    };
    let (command, called) = called(arguments);
    let hint = invalid(error)
        .and_then(|argument| instead(&command, &called, argument))
        .or_else(|| without_equals(error, arguments))
        .or_else(|| suggestion(error))
        .or_else(|| misplaced(error, &called, arguments))
        .unwrap_or_else(|| format!("`{called} --help` lists the {what}"));
    Failure::new(Exit::Usage, message).hint(hint)
}

/// What is missing: arguments, or options that a given one needs.
fn missing(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let plain = |name: &String| match name.starts_with('<') {
        true => name.trim_matches(['<', '>', '.']).to_owned(),
        false => name.clone(),
    };
    let names = names.iter().map(plain).collect::<Vec<_>>().join(", ");
    Some(format!("missing: {names}"))
}

/// The argument that the command does not take.
fn invalid(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(argument) => Some(argument),
        _ => None,
    }
}

/// What to write if the value of `--capture` is a separate word.
fn without_equals(error: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let value = invalid(error)?;
    let is_this = |pair: &[OsString]| pair[0] == "--capture" && pair[1] == value;
    arguments.windows(2).any(is_this).then(|| format!("write `--capture={value}`"))
}

/// The word that was probably meant.
fn suggestion(error: &clap::Error) -> Option<String> {
    const KINDS: [ContextKind; 3] =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let meant = KINDS.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::String(word) => Some(word.clone()),
        // The parser puts the nearest last.
        ContextValue::Strings(words) => words.last().cloned(),
        _ => None,
    })?;
    Some(format!("did you mean `{meant}`?"))
}

/// What to write instead of an argument that a command does not take in this place.
fn misplaced(error: &clap::Error, called: &str, arguments: &[OsString]) -> Option<String> {
    let argument = invalid(error)?;
    if argument.strip_prefix('-').is_some_and(|rest| rest.parse::<u64>().is_ok()) {
        return Some("use a whole number that is not negative".to_owned());
    }
    match called {
        "runlog exec" if !argument.starts_with('-') => {
            let has_command = arguments.iter().any(|word| word == "--");
            Some(match has_command {
                true => format!("name the run with --run: runlog exec --run {argument} -- …"),
                false => format!("put -- before the command: runlog exec -- {argument} …"),
            })
        }
        "runlog emit" if argument.contains('=') && !argument.starts_with('-') => {
            Some(format!("did you mean `-f {argument}`?"))
        }
        _ => None,
    }
}

/// The command that was called, and its name, such as `runlog chapter auto`.
fn called(arguments: &[OsString]) -> (Command, String) {
    let mut command = Cli::command();
    let mut name = "runlog".to_owned();
    for word in arguments.iter().skip(1).filter_map(|word| word.to_str()) {
        let Some(found) = command.find_subcommand(word).cloned() else { continue };
        name = format!("{name} {}", found.get_name());
        command = found;
    }
    (command, name)
}
