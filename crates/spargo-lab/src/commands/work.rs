//! Jobs of a list run, resumed, shared out, merged and drawn: what `spargo-lab reproduce` and `spargo-lab compare` have in common.

use crate::{Done, JobList, Plan, Shard, draw, merge, run};
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde_json::Value;
use spargo_cli::io::output::print::{note, print};
use std::path::{Path, PathBuf};

/// How jobs are run, and what is done with their rows.
#[derive(Args)]
pub struct Work {
    /// Where rows, drawings and tables go [default: reproduction, or of a comparison: comparison]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Go on from the rows that are there
    #[arg(long)]
    resume: bool,
    /// Which share of the jobs, as i/n
    #[arg(long, default_value = "1/1")]
    shard: Shard,
    /// Jobs side by side, each on one thread
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Take over the rows of these files first, run nothing, and draw
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["draw", "resume"])]
    merge: Vec<PathBuf>,
    /// Only draw what is there
    #[arg(long)]
    draw: bool,
    /// Print one JSON object instead of a table: the number of rows, and the files
    #[arg(long)]
    json: bool,
}

impl Work {
    /// The folder of rows, drawings and tables.
    pub fn folder<'a>(&'a self, default: &'a str) -> &'a Path {
        self.output.as_deref().unwrap_or(Path::new(default))
    }

    /// Does what is wanted, draws, and prints what `text` says of the files that were drawn (a line each) and of the number
    /// of their rows.
    pub fn carry_out(
        &self,
        list: &dyn JobList,
        folder: &Path,
        text: impl FnOnce(&str, usize) -> Result<String>,
    ) -> Result<()> {
        if !self.merge.is_empty() {
            let new = merge(&self.merge, folder, list.name()).into_diagnostic()?;
            note(&format!("{new} new rows in {}", folder.display()));
        } else if !self.draw {
            self.run(list, folder)?;
        }
        let (files, rows) = draw(list, folder).into_diagnostic()?;
        if self.json {
            return print(&serde_json::json!({ "rows": rows, "files": files }).to_string());
        }
        print(&text(&files.iter().map(|file| format!("{}\n", file.display())).collect::<String>(), rows)?)
    }

    fn run(&self, list: &dyn JobList, folder: &Path) -> Result<()> {
        let plan = Plan { folder: folder.into(), shard: self.shard, side_by_side: self.jobs };
        let (done, all) = plan.progress(list).into_diagnostic()?;
        if done > 0 && !self.resume {
            return Err(miette!(
                "{done} of {all} jobs have a row in {}: go on from them with --resume, draw them with --draw, or begin \
                 again in another folder with --output",
                folder.display()
            ));
        }
        note(&format!("{} jobs to do of {all}, {} at a time", all - done, self.jobs));
        let watch = |done: &Done<'_>| {
            let (number, of) = done.count;
            note(&format!("{number}/{of}  {:.1} s  {}", done.seconds, label(done.settings)));
        };
        run(list, &plan, &watch).into_diagnostic()?;
        Ok(())
    }
}

/// What tells jobs apart, in a few words.
fn label(settings: &Value) -> String {
    let named = ["function", "part", "method", "inducing", "beta", "seed"].iter().filter_map(|name| {
        let value = settings.get(name).filter(|value| !value.is_null())?;
        Some(format!("{name} {}", value.as_str().map_or_else(|| value.to_string(), Into::into)))
    });
    named.collect::<Vec<_>>().join(", ")
}
