//! `spargo-lab reproduce`: the paper's experiments, figure by figure.

use crate::commands::learn::read_map;
use crate::commands::work::Work;
use crate::{ALL, Figure, FigureRequest, Options, Training, by_name};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use miette::Result;
use serde_json::Value;
use std::path::PathBuf;

/// Arguments of `spargo-lab reproduce`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab reproduce toy --output figures
  spargo-lab reproduce regret --functions shekel4 --inducing 250 --repeats 10 --output figures --jobs 2
  spargo-lab reproduce malaria --data nigeria_pfpr_map2015.csv --repeats 10 --output figures
  spargo-lab reproduce regret --output figures --resume   goes on where it was stopped
  spargo-lab reproduce regret --output figures --draw     draws the rows there are")]
pub struct Reproduce {
    /// Which figure
    #[arg(value_parser = figures())]
    figure: &'static Figure,
    /// Repeats of each setting [default: as many as the paper's]
    #[arg(long)]
    repeats: Option<usize>,
    /// Batches of a run [default: as many as the paper's; the exact GP has at most 10]
    #[arg(long)]
    steps: Option<usize>,
    /// The seed of the first repeat
    #[arg(long, default_value_t = 0)]
    seed_from: u64,
    /// Only these functions
    #[arg(long, value_delimiter = ',')]
    functions: Vec<String>,
    /// Only these methods
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// Only these numbers of inducing points
    #[arg(long, value_delimiter = ',')]
    inducing: Vec<usize>,
    /// The map of the figure `malaria`: a CSV file with the columns longitude, latitude and pfpr_2015; the rows of a map are
    /// drawn only with its file, and without one a land that does not exist is learned
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// How sparse models are trained
    #[arg(long, value_enum, default_value = "collapsed")]
    training: TrainingMethod,
    /// Another setting than the paper's, as NAME=VALUE; a wrong name is answered with the list
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, Value)>,
    #[command(flatten)]
    work: Work,
}

#[derive(Clone, Copy, ValueEnum)]
enum TrainingMethod {
    /// By the collapsed bound
    Collapsed,
    /// As in the paper: Adam on the variational bound
    SvgpAdam,
}

/// Every figure by its name, with what it shows.
fn figures() -> impl TypedValueParser<Value = &'static Figure> {
    let names = ALL.map(|figure| PossibleValue::new(figure.name).help(figure.shows));
    PossibleValuesParser::new(names).try_map(|name| by_name(&name))
}

/// A value is JSON if it can be read as such, else a word.
fn setting(text: &str) -> std::result::Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("it must be NAME=VALUE, such as features=1000")?;
    Ok((name.into(), serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.into()))))
}

impl Reproduce {
    pub fn run(self) -> Result<()> {
        let options = self.options()?;
        let figure = FigureRequest { figure: self.figure, options: &options };
        self.work.carry_out(&figure, self.work.folder("reproduction"), |files, rows| {
            Ok(format!("{}: {rows} rows\n{files}", self.figure.shows))
        })
    }

    fn options(&self) -> Result<Options> {
        Ok(Options {
            repeats: self.repeats,
            seed_from: self.seed_from,
            steps: self.steps,
            functions: self.functions.clone(),
            methods: self.methods.clone(),
            inducing: self.inducing.clone(),
            training: match self.training {
                TrainingMethod::Collapsed => Training::Collapsed,
                TrainingMethod::SvgpAdam => Training::SvgpAdam,
            },
            map: self.data.as_deref().map(read_map).transpose()?,
            set: self.set.clone(),
        })
    }
}
