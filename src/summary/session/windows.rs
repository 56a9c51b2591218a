//! The context windows of well-known models.

/// The window of a model that the table does not have, in tokens.
pub(crate) const UNKNOWN_WINDOW: u64 = 8192;

/// When the table was last compared with the documentation of the providers.
pub(crate) const WINDOWS_AS_OF: &str = "2025-09";

/// Context windows in tokens, by the beginning of the model's name. The longest match counts.
/// `--context-window` sets the window of any other model.
const WINDOWS: &[(&str, u64)] = &[
    ("claude-", 200_000),
    ("claude-2.0", 100_000),
    ("claude-instant", 100_000),
    ("codestral", 256_000),
    ("command-r", 128_000),
    ("deepseek-", 128_000),
    ("gemini-1.5-flash", 1_048_576),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini-2", 1_048_576),
    ("gemma-2", 8192),
    ("gemma-3", 131_072),
    ("gpt-3.5-turbo", 16_385),
    ("gpt-4", 8192),
    ("gpt-4-32k", 32_768),
    ("gpt-4-turbo", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-5", 400_000),
    ("grok-3", 131_072),
    ("grok-4", 256_000),
    ("llama-3", 8192),
    ("llama-3.1", 131_072),
    ("llama-3.2", 131_072),
    ("llama-3.3", 131_072),
    ("llama3", 8192),
    ("llama3.1", 131_072),
    ("llama3.2", 131_072),
    ("llama3.3", 131_072),
    ("mistral-large", 131_072),
    ("mistral-small", 131_072),
    ("o1", 200_000),
    ("o1-mini", 128_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("phi-4", 16_384),
    ("qwen2.5", 131_072),
    ("qwen3", 131_072),
];

/// The context window of the model with that name, if the table has it. A provider before a slash
/// (`openai/gpt-4o`) is ignored.
#[must_use]
pub(crate) fn window_of(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let begins = WINDOWS.iter().filter(|(start, _)| name.starts_with(start));
    begins.max_by_key(|(start, _)| start.len()).map(|(_, window)| *window)
}

#[cfg(test)]
mod tests {
    use super::window_of;

    /// If this fails, a model gets the window of another one.
    #[test]
    fn the_longest_name_counts() {
        for (model, window) in [
            ("gpt-4", Some(8192)),
            ("gpt-4o-mini", Some(128_000)),
            ("openai/gpt-4-32k", Some(32_768)),
            ("Claude-Sonnet-4", Some(200_000)),
            ("my-own-model", None),
        ] {
            assert_eq!(window_of(model), window, "{model}");
        }
    }
}
