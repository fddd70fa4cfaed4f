//! Well-known tools and the property that "we use it" sets; names of roles, diets and ailments.

use super::text::{Span, cue};
use regex::Regex;
use std::sync::LazyLock;

/// Property, then its tools. A name in capitals is matched only as written when it is also an
/// ordinary word (`Go`, `Rust`); all others in any case.
const TOOLS: &[(&str, &[&str])] = &[
    (
        "package_manager",
        &[
            "npm",
            "pnpm",
            "yarn",
            "pip",
            "pipenv",
            "poetry",
            "conda",
            "uv",
            "cargo",
            "maven",
            "gradle",
            "bundler",
            "homebrew",
            "nuget",
            "cocoapods",
            "=Bun",
            "bun",
            "=Composer",
        ],
    ),
    (
        "database",
        &[
            "postgres",
            "postgresql",
            "mysql",
            "mariadb",
            "sqlite",
            "mongodb",
            "mongo",
            "dynamodb",
            "cassandra",
            "clickhouse",
            "cockroachdb",
            "neo4j",
            "duckdb",
            "sql server",
            "firestore",
            "tidb",
            "timescaledb",
            "=Oracle",
            "couchdb",
            "surrealdb",
            "planetscale",
        ],
    ),
    (
        "language",
        &[
            "python",
            "typescript",
            "javascript",
            "java",
            "kotlin",
            "golang",
            "c++",
            "c#",
            "ruby",
            "php",
            "scala",
            "elixir",
            "haskell",
            "clojure",
            "ocaml",
            "=Go",
            "=Rust",
            "=Swift",
            "=Zig",
            "=Dart",
            "=Julia",
            "=Lua",
        ],
    ),
    (
        "framework",
        &[
            "react",
            "vue",
            "svelte",
            "angular",
            "next.js",
            "nextjs",
            "nuxt",
            "django",
            "flask",
            "fastapi",
            "rails",
            "ruby on rails",
            "spring boot",
            "laravel",
            "flutter",
            "react native",
            "electron",
            "tauri",
            "axum",
            "actix",
            "solidjs",
            "sveltekit",
            "express.js",
            "nestjs",
            "=Express",
            "=Remix",
            "=Astro",
            "=Qt",
        ],
    ),
    (
        "editor",
        &[
            "vs code",
            "vscode",
            "vim",
            "neovim",
            "emacs",
            "intellij",
            "sublime text",
            "webstorm",
            "pycharm",
            "xcode",
            "android studio",
            "=Zed",
            "=Cursor",
            "=Helix",
        ],
    ),
    (
        "hosting",
        &[
            "vercel",
            "netlify",
            "heroku",
            "aws",
            "gcp",
            "google cloud",
            "azure",
            "fly.io",
            "digitalocean",
            "hetzner",
            "cloudflare pages",
            "cloudflare",
            "阿里云",
            "腾讯云",
            "华为云",
            "=Render",
            "=Railway",
            "linode",
            "ovh",
        ],
    ),
    (
        "uses",
        &[
            "redis",
            "memcached",
            "elasticsearch",
            "opensearch",
            "kafka",
            "rabbitmq",
            "docker",
            "kubernetes",
            "k8s",
            "terraform",
            "ansible",
            "jenkins",
            "github actions",
            "gitlab ci",
            "circleci",
            "vite",
            "webpack",
            "esbuild",
            "rollup",
            "turbopack",
            "jest",
            "vitest",
            "pytest",
            "mocha",
            "cypress",
            "playwright",
            "selenium",
            "prometheus",
            "grafana",
            "datadog",
            "sentry",
            "graphql",
            "grpc",
            "eslint",
            "prettier",
            "biome",
            "ruff",
            "black",
            "mypy",
            "tailwind",
            "bootstrap",
            "storybook",
            "jira",
            "trello",
            "figma",
            "notion",
            "obsidian",
            "slack",
            "discord",
            "zoom",
            "github",
            "gitlab",
            "bitbucket",
            "stripe",
            "paypal",
            "supabase",
            "firebase",
            "auth0",
            "okta",
            "nginx",
            "caddy",
            "celery",
            "airflow",
            "spark",
            "dbt",
            "bazel",
            "cmake",
            "turborepo",
            "=Nx",
            "tokio",
            "openapi",
            "swagger",
            "飞书",
            "钉钉",
            "企业微信",
            "=Linear",
            "=Asana",
            "=Teams",
        ],
    ),
];

/// A tool found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundTool {
    pub span: Span,
    /// As written there.
    pub name: String,
    /// What using it sets.
    pub property: &'static str,
}

static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    let mut names: Vec<(String, usize)> = Vec::new();
    for (index, (_, list)) in TOOLS.iter().enumerate() {
        for name in *list {
            let written = match name.strip_prefix('=') {
                Some(exact) => format!("(?-i:{})", regex::escape(exact)),
                None => regex::escape(name),
            };
            names.push((written, index));
        }
    }
    // Longer names first, so that "react native" is not read as "react".
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let list: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
    Regex::new(&format!("(?i)(?:{})", list.join("|"))).expect("the tool names make a valid pattern")
});

/// Names that are everyday words too: in lower case they count only after a verb of use.
const ORDINARY: &[&str] = &[
    "bun",
    "yarn",
    "cargo",
    "poetry",
    "conda",
    "uv",
    "pip",
    "maven",
    "bundler",
    "java",
    "ruby",
    "python",
    "scala",
    "react",
    "angular",
    "flask",
    "rails",
    "electron",
    "spark",
    "zoom",
    "slack",
    "notion",
    "stripe",
    "discord",
    "mocha",
    "obsidian",
    "celery",
    "jest",
    "sentry",
    "bootstrap",
    "rollup",
    "biome",
    "ruff",
    "caddy",
    "cypress",
    "docker",
    "azure",
    "svelte",
    "mongo",
    "cassandra",
];

fn is_used(before: &str) -> bool {
    static USED: LazyLock<Regex> = LazyLock::new(|| {
        super::text::compile(
            r"(?:~(?:use|uses|used|using|to|from|with|via|through|drop|dropped|adopt|and|of|on|in|chose|choose|pick|picked|install|installed|replace|replaced|by|than|over|npm|pnpm)~ ?|[用到成从是和、,] ?)$",
        )
    });
    USED.is_match(before)
}

/// Finds the tools that a text names, as words of their own.
pub(super) fn tools(text: &str) -> Vec<FoundTool> {
    let glued = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '@');
    TOOL.find_iter(text)
        .filter(|m| {
            let after = &text[m.end()..];
            let extends = after.starts_with('.')
                && after[1..].starts_with(|c: char| c.is_ascii_alphanumeric());
            !text[..m.start()].ends_with(|c: char| glued(c) || c == '.')
                && !after.starts_with(glued)
                && !extends
                && (m.as_str().starts_with(|c: char| c.is_uppercase())
                    || !ORDINARY.contains(&m.as_str())
                    || is_used(&text[..m.start()]))
        })
        .filter_map(|m| {
            let property = property_of(m.as_str())?;
            Some(FoundTool { span: m.range(), name: m.as_str().to_owned(), property })
        })
        .collect()
}

/// Returns the property that using a tool sets, for a known tool.
pub(super) fn property_of(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    TOOLS
        .iter()
        .find(|(_, list)| {
            list.iter().any(|n| {
                n.strip_prefix('=').map_or(*n == lower, |exact| exact.to_lowercase() == lower)
            })
        })
        .map(|(property, _)| *property)
}

cue!(
    /// A job title.
    ROLE,
    r"~(?:(?:senior|junior|lead|chief|principal|staff|head|vice|assistant|deputy|product|project|engineering|marketing|sales|data|software|frontend|backend|qa|design|finance|hr|general|account|office|store|branch|nursing|research) )*(?:ceo|cto|cfo|coo|cmo|cpo|vp(?: of [a-z]+)?|president|director|manager|engineer|developer|designer|analyst|scientist|architect|administrator|accountant|lawyer|nurse|doctor|teacher|professor|consultant|officer|head of [a-z]+(?: [a-z]+)?|team lead|tech lead|lead|counsel|recruiter|editor|producer|chef|pilot|coach|secretary|treasurer|chairman|chair|founder|co-founder|intern)~|(?:产品|项目|技术|市场|销售|财务|人事|运营|设计|研发|总|副总)?(?:经理|总监|主管|负责人|工程师|设计师|分析师|架构师|总裁|老师|医生|律师|会计|顾问|实习生)"
);

cue!(
    /// A way of eating.
    DIET,
    r"~(?:vegetarian|vegan|pescatarian|flexitarian|gluten[- ]free|lactose[- ]intolerant|dairy[- ]free|keto|halal|kosher)~|素食|吃素|纯素|清真|无麸质|乳糖不耐"
);

cue!(
    /// Something wrong with a body.
    AILMENT,
    r"~(?:shin splints|sprain(?:ed)?|fracture[d]?|tendinitis|tendonitis|flu|fever|migraines?|covid|food poisoning|pneumonia|bronchitis|concussion|asthma|stress fracture|torn (?:ligament|muscle)|pulled (?:a )?muscle|back pain|knee pain|injur(?:y|ed)|insomnia)~|扭伤|骨折|发烧|感冒|流感|肠胃炎|偏头痛|腰疼|腰痛|膝盖疼|膝盖痛|受伤|拉伤|腱鞘炎|失眠|住院"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_found_as_words_of_their_own() {
        let names = |text: &str| -> Vec<(String, &str)> {
            tools(text).into_iter().map(|t| (t.name, t.property)).collect()
        };
        assert_eq!(
            names("改用 pnpm，不用npm了"),
            [("pnpm".into(), "package_manager"), ("npm".into(), "package_manager")]
        );
        assert_eq!(
            names("React Native over React"),
            [("React Native".into(), "framework"), ("React".into(), "framework")]
        );
        assert_eq!(names("let's go, package pnpm-lock.yaml, rusty"), []);
        assert_eq!(names("The API is in Go."), [("Go".into(), "language")]);
    }
}
