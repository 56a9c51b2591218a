//! The table of built-in rules. More specific rules come before general ones.

use super::key_block::key_block;
use super::proof::{basic_credentials, encoded_private_key, mixed, no_prose, real, url_password};
use super::rule::{Lead, SecretRule};

/// `rule!(name, [prefixes], pattern)`
macro_rules! rule {
    ($name:literal, [$($prefix:literal),+], $pattern:expr) => {
        SecretRule::new($name, &[$(std::borrow::Cow::Borrowed($prefix)),+], $pattern)
    };
}

/// The pattern of a named key: `name = "value"`, in many notations.
macro_rules! named {
    ($name:literal, $value:literal) => {
        concat!(
            "(?i:",
            $name,
            r#")[^A-Za-z0-9/+]{1,8}(?:(?i:value|none)[^A-Za-z0-9/+]{1,6})?("#,
            $value,
            ")"
        )
    };
}

/// Every rule.
#[rustfmt::skip]
pub(super) static RULES: [SecretRule; 107] = [
    // Clouds.
    rule!("aws-access-key-id", ["AKIA", "ASIA", "ABIA"], "A[KSB]IA[A-Z0-9]{16}"),
    rule!("aws-secret-access-key", ["secret_access_key", "secretaccesskey", "secret-access-key", "secret access key", "aws_secret_key", "secret_key", "secretkey"],
        named!("secret[_ -]?access[_ -]?key|aws_secret_key|secret_?key", "[A-Za-z0-9/+]{40}")).any_case().inside_words().proved_by(mixed),
    rule!("aws-session-token", ["session_token", "sessiontoken"], named!("session_?token", "[A-Za-z0-9/+=]{100,}")).any_case().inside_words(),
    rule!("aws-bedrock-api-key", ["ABSKQmVkcm9ja0FQSUtleS"], "ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/=]{40,}"),
    rule!("google-api-key", ["AIza"], "AIza[A-Za-z0-9_-]{35}"),
    rule!("google-oauth-token", ["ya29."], r"ya29\.[A-Za-z0-9_.-]{20,}"),
    rule!("google-oauth-client-secret", ["GOCSPX-"], "GOCSPX-[A-Za-z0-9_-]{20,}"),
    rule!("google-refresh-token", ["1//0"], "1//0[A-Za-z0-9_-]{40,}"),
    rule!("google-hmac-key", ["GOOG1E"], "GOOG1E[A-Z0-9]{50,60}").proved_by(mixed),
    rule!("azure-storage-key", ["AccountKey="], "AccountKey=([A-Za-z0-9+/]{86}==)"),
    rule!("azure-shared-access-key", ["SharedAccessKey="], "SharedAccessKey=([A-Za-z0-9+/]{43}=)"),
    rule!("azure-client-secret", ["7Q~", "8Q~"], r"[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,34}").lead(Lead::Word),
    rule!("azure-sas-signature", ["&sig=", "?sig="], "[&?]sig=([A-Za-z0-9%]{43,}(?:%3D|=))").inside_words(),
    rule!("alibaba-access-key-id", ["LTAI"], "LTAI[A-Za-z0-9]{20}").proved_by(mixed),
    rule!("tencent-secret-id", ["AKID"], "AKID[A-Za-z0-9]{32}").proved_by(mixed),
    rule!("digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], "do[opr]_v1_[a-f0-9]{64}"),
    rule!("heroku-api-key", ["HRKU-"], "HRKU-[A-Za-z0-9_-]{36,}"),
    rule!("fly-access-token", ["fo1_", "fm1", "fm2_"], "(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}=*)"),
    rule!("cloudflare-origin-ca-key", ["v1.0-"], "v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    rule!("scaleway-access-key", ["SCW"], "SCW[A-Z0-9]{17}").proved_by(mixed),
    rule!("vercel-token", ["vercel_blob_rw_", "vcp_", "vck_"], "(?:vercel_blob_rw_[A-Za-z0-9_]{30,}|vc[pk]_[A-Za-z0-9]{40,})"),
    rule!("netlify-token", ["nfp_", "nfc_"], "nf[pc]_[A-Za-z0-9]{36,}"),
    // Code hosts.
    rule!("github-pat", ["ghp_"], "ghp_[A-Za-z0-9]{36,255}"),
    rule!("github-fine-grained-pat", ["github_pat_"], "github_pat_[A-Za-z0-9_]{22,255}"),
    rule!("github-oauth-token", ["gho_"], "gho_[A-Za-z0-9]{36,255}"),
    rule!("github-app-token", ["ghs_", "ghu_"], "gh[su]_[A-Za-z0-9]{36,255}"),
    rule!("github-refresh-token", ["ghr_"], "ghr_[A-Za-z0-9]{36,255}"),
    rule!("gitlab-pat", ["glpat-"], r"glpat-[A-Za-z0-9_.-]{20,}"),
    rule!("gitlab-token", ["gldt-", "glrt-", "glptt-", "glft-", "glcbt-", "glagent-", "gloas-", "glsoat-", "glimt-", "glffct-", "glrtr-", "GR1348941"],
        r"(?:gl(?:dt|rt|rtr|ptt|ft|cbt|agent|oas|soat|imt|ffct)-|GR1348941)[A-Za-z0-9_.-]{20,}"),
    rule!("bitbucket-app-password", ["ATBB"], "ATBB[A-Za-z0-9]{32}(?:[A-F0-9]{8})?").proved_by(mixed),
    rule!("atlassian-api-token", ["ATATT3"], "ATATT3[A-Za-z0-9_=-]{100,}"),
    rule!("sourcegraph-token", ["sgp_"], "sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}"),
    // Package registries.
    rule!("npm-token", ["npm_"], "npm_[A-Za-z0-9]{36}"),
    rule!("npm-auth", ["_authtoken", "_auth=", "_password="], r#"(?i:_auth(?:token)?|_password)\s*=\s*["']?([A-Za-z0-9+/=_-]{16,})"#).any_case().proved_by(mixed),
    rule!("pypi-token", ["pypi-AgE"], "pypi-AgE[A-Za-z0-9_-]{50,}"),
    rule!("rubygems-key", ["rubygems_"], "rubygems_[a-f0-9]{48}"),
    rule!("crates-token", ["cio"], "cio[A-Za-z0-9]{32}").proved_by(mixed),
    rule!("nuget-key", ["oy2"], "oy2[a-z0-9]{43}").proved_by(mixed),
    rule!("clojars-token", ["CLOJARS_"], "CLOJARS_[a-z0-9]{60}"),
    rule!("docker-token", ["dckr_pat_", "dckr_oat_"], "dckr_[po]at_[A-Za-z0-9_-]{27,}"),
    rule!("artifactory-key", ["AKCp"], "AKCp[A-Za-z0-9]{60,}"),
    rule!("artifactory-reference-token", ["cmVmdGtu"], "cmVmdGtu[A-Za-z0-9]{56}"),
    // Model providers.
    rule!("anthropic-api-key", ["sk-ant-"], "sk-ant-[A-Za-z0-9_-]{20,}"),
    rule!("openrouter-api-key", ["sk-or-v1-"], "sk-or-v1-[a-f0-9]{64}"),
    rule!("openai-api-key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], "sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"),
    rule!("openai-api-key", ["sk-"], "sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    rule!("sk-api-key", ["sk-"], "sk-[A-Za-z0-9]{32,}").proved_by(mixed),
    rule!("huggingface-token", ["hf_"], "hf_[A-Za-z0-9]{34,}"),
    rule!("huggingface-org-token", ["api_org_"], "api_org_[A-Za-z0-9]{34}"),
    rule!("replicate-token", ["r8_"], "r8_[A-Za-z0-9]{37}"),
    rule!("groq-api-key", ["gsk_"], "gsk_[A-Za-z0-9]{52}"),
    rule!("perplexity-api-key", ["pplx-"], "pplx-[A-Za-z0-9]{48}"),
    rule!("xai-api-key", ["xai-"], "xai-[A-Za-z0-9]{70,}"),
    rule!("langsmith-key", ["lsv2_"], "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    rule!("nvidia-api-key", ["nvapi-"], "nvapi-[A-Za-z0-9_-]{60,}"),
    rule!("fireworks-api-key", ["fw_"], "fw_[A-Za-z0-9]{22,24}").proved_by(mixed),
    rule!("databricks-token", ["dapi"], "dapi[a-f0-9]{32}(?:-[0-9])?"),
    rule!("tavily-api-key", ["tvly-"], "tvly-(?:dev-|prod-)?[A-Za-z0-9]{32,}"),
    // Chat and mail.
    rule!("slack-token", ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.", "xoxc-", "xoxd-"], r"xox[abprsoecd][.-][A-Za-z0-9%.-]{10,}").proved_by(mixed),
    rule!("slack-app-token", ["xapp-"], "xapp-[0-9]+-[A-Za-z0-9-]{10,}"),
    rule!("slack-webhook", ["hooks.slack.com/"], r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,})").inside_words(),
    rule!("discord-webhook", ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/([0-9]{15,}/[A-Za-z0-9_-]{40,})").inside_words(),
    rule!("teams-webhook", [".webhook.office.com/"], r"\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})").inside_words(),
    rule!("telegram-bot-token", [":AA"], "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}").lead(Lead::Digits),
    rule!("sendgrid-key", ["SG."], r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    rule!("brevo-key", ["xkeysib-", "xsmtpsib-"], "x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    rule!("resend-key", ["re_"], "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}").proved_by(mixed),
    // Payment and shops.
    rule!("stripe-key", ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_"], "[sr]k_(?:live|test|org)_[A-Za-z0-9_]{10,}").proved_by(mixed),
    rule!("stripe-webhook-secret", ["whsec_"], "whsec_[A-Za-z0-9+/=]{24,}"),
    rule!("square-token", ["sq0atp-", "sq0csp-"], "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}"),
    rule!("braintree-token", ["access_token$"], r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    rule!("shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_"], "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    rule!("flutterwave-key", ["FLWSECK"], "FLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,}(?:-X)?"),
    rule!("plaid-token", ["access-sandbox-", "access-development-", "access-production-"], "access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    rule!("shippo-token", ["shippo_live_", "shippo_test_"], "shippo_(?:live|test)_[a-f0-9]{40}"),
    rule!("easypost-key", ["EZAK", "EZTK"], "EZ[AT]K[A-Za-z0-9]{54}"),
    // Tools and services.
    rule!("vault-token", ["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    rule!("terraform-token", [".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}").lead(Lead::Word),
    rule!("pulumi-token", ["pul-"], "pul-[a-f0-9]{40}"),
    rule!("doppler-token", ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], r"dp\.(?:pt|ct|sa|st)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    rule!("planetscale-token", ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    rule!("supabase-token", ["sbp_", "sb_secret_"], "(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
    rule!("grafana-token", ["glsa_", "glc_"], "(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})"),
    rule!("sentry-token", ["sntrys_", "sntryu_"], "(?:sntrys_eyJ[A-Za-z0-9+/=_-]{40,}|sntryu_[a-f0-9]{64})"),
    rule!("new-relic-key", ["NRAK-", "NRII-", "NRJS-", "NRRA-"], "NR(?:AK|II|JS|RA)-[A-Za-z0-9_-]{19,}"),
    rule!("dynatrace-token", ["dt0c01.", "dt0s16."], r"dt0[cs][01][16]\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    rule!("postman-key", ["PMAK-"], "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    rule!("linear-key", ["lin_api_", "lin_oauth_"], "lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    rule!("notion-token", ["ntn_"], "ntn_[A-Za-z0-9]{40,}"),
    rule!("figma-token", ["figd_", "figu_"], "fig[du]_[A-Za-z0-9_-]{40,}"),
    rule!("contentful-token", ["CFPAT-"], "CFPAT-[A-Za-z0-9_-]{43}"),
    rule!("readme-key", ["rdme_"], "rdme_[a-z0-9]{70}"),
    rule!("prefect-key", ["pnu_"], "pnu_[A-Za-z0-9]{36}"),
    rule!("infracost-key", ["ico-"], "ico-[A-Za-z0-9]{32}").proved_by(mixed),
    rule!("buildkite-token", ["bkua_", "bkat_"], "bk[ua]a?t?_[a-f0-9]{40}"),
    rule!("onepassword-token", ["ops_eyJ"], "ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    rule!("age-secret-key", ["AGE-SECRET-KEY-1"], "AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    // Independent of the service.
    rule!("private-key", ["-----BEGIN", "---- BEGIN"], "").inside_words().reach(64 << 10).found_by(key_block),
    rule!("private-key-base64", ["LS0tLS1CRUdJTi"], "LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,}").reach(64 << 10).proved_by(encoded_private_key),
    rule!("jwt", ["eyJ"], r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}").reach(32 << 10),
    rule!("authorization-header", ["authorization"],
        r#"(?i:authorization)[^A-Za-z0-9]{1,8}(?i:bearer|token|digest|apikey|bot|negotiate)(?::?\s+|%20|\+)([A-Za-z0-9._~+/=|%-]{8,})"#).any_case().inside_words().proved_by(no_prose),
    rule!("private-token-header", ["private-token", "x-api-key"], r#"(?i:private-token|x-api-key)["'\\]*\s*[:=]\s*["'\\]*([A-Za-z0-9._-]{16,})"#).any_case().proved_by(mixed),
    rule!("basic-auth", ["authorization", "basic "], r#"(?i:authorization["'\\]*\s*[:=]\s*["'\\]*)?(?i:basic)\s+([A-Za-z0-9+/]{6,}={0,2})"#).any_case().proved_by(basic_credentials),
    rule!("bearer-token", ["bearer "], r"(?i:bearer)\s+([A-Za-z0-9._~+/=|-]{16,})").any_case().proved_by(mixed),
    rule!("database-url-password", ["://"],
        r#"(?i:postgres(?:ql)?|mysql2?|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle|jdbc)(?:\+[a-z0-9]+)?://[^\s:/"'<>\\]*:([^\s/"'<>\\]+)@"#).lead(Lead::Scheme).proved_by(url_password),
    rule!("url-password", ["://"], r#"[A-Za-z0-9+.-]*://[^\s:/"'<>\\]*:([^\s/"'<>\\]+)@"#).lead(Lead::Scheme).proved_by(url_password),
    rule!("url-password", ["?password=", "&password=", ";password="], r#"[?&;](?i:password)=([^\s&"'<>;\\]{4,})"#).any_case().inside_words().proved_by(real),
];
