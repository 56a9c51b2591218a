//! The provider of a model, by the names of the OpenTelemetry conventions.

use crate::agents::dialect;

/// Beginnings of the names of models, and of their providers' own names, with the provider.
const PROVIDERS: &[(&str, &str)] = &[
    ("claude", "anthropic"),
    ("anthropic.", "aws.bedrock"),
    ("us.anthropic.", "aws.bedrock"),
    ("eu.anthropic.", "aws.bedrock"),
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("codex-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini-", "gcp.gemini"),
    ("mistral", "mistral_ai"),
    ("codestral", "mistral_ai"),
    ("devstral", "mistral_ai"),
    ("magistral", "mistral_ai"),
    ("deepseek", "deepseek"),
    ("grok", "x_ai"),
    ("kimi", "moonshot_ai"),
    ("moonshot", "moonshot_ai"),
    ("command", "cohere"),
    ("sonar", "perplexity"),
];

/// The value for a provider that is not known. The conventions require one.
const UNKNOWN: &str = "unknown";

/// The provider of a model, else of the agent.
#[must_use]
pub(super) fn provider(model: Option<&str>, agent: Option<&str>) -> &'static str {
    let model = model.unwrap_or_default().to_lowercase();
    let name = model.rsplit('/').next().unwrap_or_default();
    let of_model = PROVIDERS.iter().find(|(start, _)| name.starts_with(start));
    let of_agent = || dialect(agent?)?.provider;
    of_model.map(|(_, provider)| *provider).or_else(of_agent).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::provider;

    /// If this fails, a backend shows the calls of a model under another provider.
    #[test]
    fn providers() {
        for (model, agent, expected) in [
            (Some("claude-opus-4-1"), None, "anthropic"),
            (Some("openrouter/anthropic/claude-sonnet-4"), None, "anthropic"),
            (Some("us.anthropic.claude-sonnet-4-v1:0"), None, "aws.bedrock"),
            (Some("GPT-5-codex"), None, "openai"),
            (Some("own-model"), Some("codex"), "openai"),
            (None, Some("claude-code"), "anthropic"),
            (Some("own-model"), Some("own-agent"), "unknown"),
            (None, None, "unknown"),
        ] {
            assert_eq!(provider(model, agent), expected, "{model:?} {agent:?}");
        }
    }
}
