//! Scopes: a key is a path of segments (`app/tool`). It selects the branches at or below it, or also
//! the branches above it.

/// A selection of events by their branch. The default selects everything, also events without a
/// branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BranchScope {
    /// Only this branch and the branches below it; empty for no limit.
    only: String,
    /// Only relatives of this branch; empty for no limit.
    allowed: String,
    /// Whether the branches above the allowed one are its relatives too, not only those below it.
    cascade: bool,
}

impl BranchScope {
    /// A scope. Slashes around the keys do not matter.
    #[must_use]
    pub(crate) fn new(only: Option<&str>, allowed: Option<&str>, cascade: bool) -> Self {
        let key = |key: Option<&str>| key.unwrap_or_default().trim_matches('/').to_owned();
        Self { only: key(only), allowed: key(allowed), cascade }
    }

    /// The key under which the summary of the scope is stored; empty for the whole run.
    #[must_use]
    pub(crate) fn key(&self) -> &str {
        if self.only.is_empty() { &self.allowed } else { &self.only }
    }

    /// Whether the scope has the branches above its key too.
    #[must_use]
    pub(crate) fn is_cascading(&self) -> bool {
        self.only.is_empty() && !self.allowed.is_empty() && self.cascade
    }

    /// Whether events of that branch are selected.
    #[must_use]
    pub(crate) fn takes(&self, branch: Option<&str>) -> bool {
        let branch = branch.map(|branch| branch.trim_end_matches('/'));
        let is_above = |branch: &str| !branch.is_empty() && covers(branch, Some(&self.allowed));
        covers(&self.only, branch)
            && (covers(&self.allowed, branch) || self.cascade && branch.is_some_and(is_above))
    }
}

/// Whether the key covers a branch: itself, or a branch below it. An empty key covers everything,
/// also events without a branch.
fn covers(key: &str, branch: Option<&str>) -> bool {
    if key.is_empty() {
        return true;
    }
    let rest = branch.and_then(|branch| branch.strip_prefix(key));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::BranchScope;

    /// The branches that a scope selects; `-` stands for events without a branch.
    fn taken(only: Option<&str>, allowed: Option<&str>, cascade: bool) -> Vec<&'static str> {
        let scope = BranchScope::new(only, allowed, cascade);
        let all = ["app", "app/tool", "app/tool/search", "app/toolbox", "other/app/tool", "-"];
        all.into_iter()
            .filter(|name| scope.takes(Some(*name).filter(|name| *name != "-")))
            .collect()
    }

    /// If this fails, a scope has events of another branch, or lacks its own.
    #[test]
    fn fact_13_branches_match_by_segments() {
        let below = ["app/tool", "app/tool/search"];
        for key in ["app/tool", "app/tool/", "/app/tool"] {
            assert_eq!(taken(Some(key), None, true), below);
            assert_eq!(taken(None, Some(key), false), below);
        }
        assert_eq!(taken(None, Some("app/tool"), true), ["app", "app/tool", "app/tool/search"]);
        let up = ["app", "app/tool", "app/tool/search"];
        assert_eq!(taken(None, Some("app/tool/search"), true), up);
        assert_eq!(taken(Some("app/tool"), Some("app/tool/search"), true), below);
        assert_eq!(taken(None, None, true).len(), 6);
    }

    /// If this fails, a summary is stored under the key of another scope.
    #[test]
    fn the_key_of_a_scope() {
        assert_eq!(BranchScope::new(Some("/a/b/"), Some("c"), true).key(), "a/b");
        assert_eq!(BranchScope::new(None, Some("c"), true).key(), "c");
        assert_eq!(BranchScope::default().key(), "");
    }
}
