//! Scopes: a key is a path of segments (`app/tool`), and covers the branches at or below it.

/// Whether the key covers a branch: itself, or a branch below it. An empty key covers everything,
/// also events without a branch.
#[must_use]
pub(crate) fn covers(key: &str, branch: Option<&str>) -> bool {
    if key.is_empty() {
        return true;
    }
    let rest = branch.and_then(|branch| branch.trim_end_matches('/').strip_prefix(key));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::covers;

    /// If this fails, a summary of one branch has events of another one, or lacks its own.
    #[test]
    fn by_segments() {
        assert!(covers("app/tool", Some("app/tool")));
        assert!(covers("app/tool", Some("app/tool/search")));
        assert!(!covers("app/tool", Some("app/toolbox")));
        assert!(!covers("app/tool", Some("app")));
        assert!(!covers("app/tool", None));
        assert!(covers("", None) && covers("", Some("app")));
    }
}
