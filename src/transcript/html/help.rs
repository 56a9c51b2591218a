//! The list of keys and hints.

use maud::{Markup, html};

/// The keys, and what they do.
const KEYS: &[(&[&str], &str)] = &[
    (&["/"], "search; several words must all occur in an item"),
    (&["n", "N"], "next and previous hit (also Enter in the search field)"),
    (&["p", "P"], "next and previous prompt"),
    (&["e", "E"], "next and previous error or failed call"),
    (&["f", "F"], "next and previous edit of a file"),
    (&["j", "k"], "next and previous item"),
    (&["o"], "open or close the item"),
    (&["a"], "open or close all items"),
    (&["c"], "copy the first block of the item"),
    (&["t"], "back to the top"),
    (&["Esc"], "clear the search and the filters"),
    (&["?"], "show this list"),
];

/// What a reader can do with a pointer.
const HINTS: &[&str] = &[
    "The number of an item, such as #12, is a link to it. You can share it.",
    "Changed files: open a file to see all its edits together.",
    "Calls over time (under Figures): drag to move, Ctrl and wheel to zoom, click a bar to see the call.",
    "Click an image to see it in full size.",
    "The button UTC switches to the times of this computer.",
    "The page is one file. It works offline and can be printed.",
];

/// The dialog.
pub(super) fn help() -> Markup {
    html! {
        dialog #help aria-labelledby="help-title" {
            h2 #help-title { "Keys" }
            dl {
                @for (keys, meaning) in KEYS {
                    div {
                        dt { @for key in *keys { kbd { (key) } " " } }
                        dd { (meaning) }
                    }
                }
            }
            h2 { "Hints" }
            ul { @for hint in HINTS { li { (hint) } } }
            form method="dialog" { button { "Close" } }
        }
    }
}
