//! What is around the executable: the npm package, the action, and the names in a release.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Bench, put_executable};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The npm package in a folder `node_modules`, with the link that npm makes and, for each name, a
/// platform package whose executable prints its arguments and exits with 7.
fn installed(bench: &Bench, platforms: &[&str]) -> PathBuf {
    let modules = bench.path("node_modules");
    fs::create_dir_all(modules.join("runlog-cli")).unwrap();
    fs::create_dir_all(modules.join(".bin")).unwrap();
    let command = fs::read(root().join("packaging/npm/runlog")).unwrap();
    put_executable(&modules.join("runlog-cli/runlog"), &command);
    symlink("../runlog-cli/runlog", modules.join(".bin/runlog")).unwrap();
    for platform in platforms {
        let folder = modules.join(format!("runlog-cli-{platform}"));
        fs::create_dir_all(&folder).unwrap();
        let script = "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n";
        put_executable(&folder.join("runlog"), script.as_bytes());
    }
    modules.join(".bin/runlog")
}

/// If this fails, the command of the npm package does not start the executable, or changes its
/// arguments or its exit status.
#[test]
fn npm_starts_the_executable() {
    let bench = Bench::new();
    let command = installed(&bench, &["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]);
    let output = Command::new(&command).args(["a b", "", "*", "$(x)"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "<a b><><*><$(x)>");
    assert_eq!(output.status.code(), Some(7));

    // A link to the link, as global installations have.
    symlink(&command, bench.path("runlog")).unwrap();
    let output = Command::new("./runlog").current_dir(bench.path("")).output().unwrap();
    assert_eq!(output.status.code(), Some(7));
}

/// If this fails, an installation without the platform package does not say what is missing.
#[test]
fn npm_names_what_is_missing() {
    let bench = Bench::new();
    let output = Command::new(installed(&bench, &[])).output().unwrap();
    assert_eq!(output.status.code(), Some(127));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("the package runlog-cli-") && said.contains("--omit=optional"), "{said}");
}

/// A job of GitHub Actions: the environment that a runner gives to the steps of the action.
struct Job {
    bench: Bench,
    inputs: Vec<(&'static str, String)>,
}

impl Job {
    /// A job whose directory has the ended run `fix-42`, which requires `report.md`.
    fn new() -> Self {
        let bench = Bench::new();
        let required = "deliverables.required=[\"report.md:min=5\"]";
        bench.ok(&["emit", "run.created", "--run", "fix-42", "-F", required]);
        bench.ok(&["emit", "run.completed", "--run", "fix-42"]);
        fs::create_dir_all(bench.path("runs/fix-42/deliverables")).unwrap();
        fs::create_dir(bench.path("temp")).unwrap();
        Self { bench, inputs: vec![("RUNLOG_RUNS_DIR", "runs".to_owned())] }
    }

    /// Runs a step. Returns its exit status.
    fn step(&self, name: &str) -> i32 {
        let program = Path::new(env!("CARGO_BIN_EXE_runlog")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.display());
        Command::new("bash")
            .arg("-e")
            .arg(root().join("packaging/action").join(name).with_extension("sh"))
            .current_dir(self.bench.path(""))
            .env_clear()
            .envs([("PATH", path.as_str()), ("GITHUB_ACTIONS", "true")])
            .env("RUNNER_TEMP", self.bench.path("temp"))
            .env("GITHUB_PATH", self.bench.path("path"))
            .env("GITHUB_OUTPUT", self.bench.path("output"))
            .env("GITHUB_STEP_SUMMARY", self.bench.path("summary.md"))
            .envs(self.inputs.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap()
            .status
            .code()
            .unwrap()
    }

    /// Runs the steps as the action does. Returns the exit status of the last one.
    fn run(&mut self) -> i32 {
        let _ = fs::remove_file(self.bench.path("output"));
        assert_eq!(self.step("install"), 0);
        assert_eq!(self.step("validate"), 0);
        let text = fs::read_to_string(self.bench.path("output")).unwrap();
        let outputs: HashMap<_, _> = text.lines().filter_map(|line| line.split_once('=')).collect();
        self.inputs.push(("RUNLOG_ACTION_REPORTS", outputs["reports"].to_owned()));
        self.inputs.push(("RUNLOG_ACTION_STATUS", outputs["exit-status"].to_owned()));
        assert_eq!(self.step("pages"), 0);
        self.step("verdict")
    }

    fn reports(&self) -> Vec<String> {
        let entries = fs::read_dir(self.bench.path("temp/runlog-reports")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

const REPORTS: [&str; 4] = ["fix-42.html", "runlog.json", "runlog.sarif", "runlog.xml"];

/// If this fails, the action is green although a run is not valid, is red although it is valid, or
/// leaves out the reports of a red run.
#[test]
fn action_gives_the_verdict() {
    let mut job = Job::new();
    assert_eq!(job.run(), 3);
    assert_eq!(job.reports(), REPORTS);
    assert!(fs::read_to_string(job.bench.path("summary.md")).unwrap().contains("report.md"));

    fs::write(job.bench.path("runs/fix-42/deliverables/report.md"), "finished\n").unwrap();
    assert_eq!(job.run(), 0);
    assert_eq!(job.reports(), REPORTS);
}

/// If this fails, the action is green for runs that do not exist, or for a validation that never
/// ran.
#[test]
fn action_is_red_without_runs() {
    let mut job = Job::new();
    fs::remove_dir_all(job.bench.path("runs")).unwrap();
    fs::create_dir(job.bench.path("runs")).unwrap();
    assert_eq!(job.run(), 66);
    job.inputs.push(("RUNLOG_ACTION_STATUS", String::new()));
    assert_eq!(job.step("verdict"), 70);
}

/// If this fails, an input of the action acts as a command, as a pattern or as an option, or
/// arguments are taken apart.
#[test]
fn inputs_are_only_text() {
    let mut job = Job::new();
    fs::write(job.bench.path("runs/fix-42/deliverables/report.md"), "finished\n").unwrap();
    fs::write(job.bench.path("runs/fix-42/deliverables/final report.md"), "finished\n").unwrap();
    let arguments = "--require\nfinal report.md:min=5\n";
    job.inputs.push(("RUNLOG_ACTION_ARGUMENTS", arguments.to_owned()));
    job.inputs.push(("RUNLOG_ACTION_RUNS", " latest\nfix-42".to_owned()));
    assert_eq!(job.run(), 0);
    for hostile in ["$(touch hit)", "`touch hit`", "; touch hit", "*", "--all", "fix-42 --fix"] {
        job.inputs.push(("RUNLOG_ACTION_RUNS", hostile.to_owned()));
        assert_ne!(job.run(), 0, "{hostile}");
        assert!(!job.bench.path("hit").exists(), "{hostile}");
    }
}

/// If this fails, the action names a script that does not exist, leaves one out, or puts an input
/// into the text of a command.
#[test]
fn action_names_its_scripts() {
    let action = read("action.yml");
    let named: Vec<&str> = action
        .lines()
        .filter_map(|line| line.trim().strip_prefix("run: "))
        .map(|run| {
            run.strip_prefix("bash -e \"$GITHUB_ACTION_PATH/packaging/action/")
                .and_then(|rest| rest.strip_suffix(".sh\""))
                .unwrap()
        })
        .collect();
    assert_eq!(named, ["install", "validate", "pages", "verdict"]);
    let scripts = fs::read_dir(root().join("packaging/action")).unwrap().count();
    assert_eq!(scripts, named.len());
}

/// If this fails, `cargo binstall` looks for an archive that a release does not have.
#[test]
fn archives_have_the_name_that_cargo_binstall_expects() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let package = &manifest["package"];
    let binstall = &package["metadata"]["binstall"];
    let filled = |template: &str| {
        template
            .replace("{ name }", package["name"].as_str().unwrap())
            .replace("{ version }", "$version")
            .replace("{ target }", "$target")
            .replace("{ bin }", "runlog")
    };
    let script = read("packaging/build");
    assert!(script.contains("\nname=runlog-$version-$target\n"));
    assert!(script.contains("\"dist/$name.tar.gz\""));
    let url = filled(binstall["pkg-url"].as_str().unwrap());
    assert_eq!(url.rsplit('/').next(), Some("runlog-$version-$target.tar.gz"));
    assert_eq!(filled(binstall["bin-dir"].as_str().unwrap()), "runlog-$version-$target/runlog");
}
