//! The arguments of a command with placeholders: `{name}`, `{trial}`, and `{{` and `}}` for braces.

use crate::io::csv::points::{point_cells, text};
use spargo::space::Space;
use spargo::study::Trial;

/// Words by which a shell joins commands.
const SHELL_WORDS: [&str; 5] = ["|", "||", "&", "&&", ";"];

/// An argument with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(pub Vec<Part>);

/// A piece of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// The value of the input with this number.
    Input(usize),
    /// The label of a candidate in the column with this number.
    Label(usize),
    /// The trial's number.
    Trial,
}

/// What is wrong, and what to do.
pub type Refusal = (String, String);

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedCommand {
    /// The program, by its name or its path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<Template>,
}

impl ParsedCommand {
    /// Refuses a command without a program, or with placeholders in its program.
    pub fn new(mut words: Vec<Template>) -> Result<Self, Refusal> {
        match words.first().map(|Template(parts)| parts.as_slice()) {
            Some([Part::Text(program)]) if !program.is_empty() => {
                Ok(ParsedCommand { program: program.clone(), arguments: words.split_off(1) })
            }
            None | Some([Part::Text(_)]) => Err(("the command is empty".into(), "name a program".into())),
            Some(_) => {
                let help = "the program is fixed; use placeholders in its arguments only";
                Err(("the name of the program has a placeholder".into(), help.into()))
            }
        }
    }
}

impl Template {
    /// Whether no part is a placeholder.
    pub fn is_fixed(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// The argument for a trial.
    pub fn fill(&self, trial: &Trial, space: &Space) -> String {
        let labels = trial.row.and_then(|row| space.labels(row)).unwrap_or_default();
        // An input without a value is an empty argument.
        let point: Vec<_> = point_cells(space, trial).collect();
        let piece = |part: &Part| match part {
            Part::Input(k) => point.get(*k).and_then(Option::as_ref).map(text).unwrap_or_default(),
            Part::Label(k) => labels.get(*k).map_or("", |label| label.1).into(),
            Part::Trial => trial.id.to_string(),
            Part::Text(text) => text.clone(),
        };
        self.0.iter().map(piece).collect()
    }
}

/// Parses one argument, whose placeholders are the inputs of a space and the labels of its candidates.
pub fn word(word: &str, space: &Space) -> Result<Template, Refusal> {
    if word.contains('\0') {
        return Err(("a zero byte".into(), "remove it: no argument of a program may contain one".into()));
    }
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), word);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..at + 1];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some((name, after)) = rest.split_once('}').filter(|_| brace == "{") else {
            return Err((format!("a lone '{brace}' in '{word}'"), format!("write {brace}{brace} for one brace")));
        };
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(placeholder(name, space)?);
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(Template(parts))
}

/// Parses a line of arguments, split as by a shell; a placeholder is never split, whatever its name.
pub fn line(line: &str, space: &Space) -> Result<Vec<Template>, Refusal> {
    let Template(parts) = word(line, space)?;
    // Each placeholder as its number between zero bytes, which no text contains: a bare word to the splitter.
    let marked: String = (0..).zip(&parts).map(|(k, part)| mark(k, part)).collect();
    let words = shell_words::split(&marked)
        .map_err(|_| ("a quote is not closed".to_string(), "close it, or write a list".to_string()))?;
    Ok(words.iter().map(|word| unmark(word, &parts)).collect())
}

/// Refuses a line with words that only a shell understands, as the command is started without one.
pub fn without_shell(words: Vec<Template>, line: &str) -> Result<Vec<Template>, Refusal> {
    let text = |Template(parts): &Template| match parts.first() {
        Some(Part::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let is_shell = |word: &String| {
        SHELL_WORDS.contains(&word.as_str())
            || word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['>', '<'])
    };
    match words.iter().map(text).find(is_shell) {
        Some(word) => {
            let message = format!("'{word}' in a command is passed to the program, as no shell reads it");
            let help = format!("use a shell: command = [\"sh\", \"-c\", {line:?}]; or a list, if it is an argument");
            Err((message, help))
        }
        None => Ok(words),
    }
}

fn placeholder(name: &str, space: &Space) -> Result<Part, Refusal> {
    let names = || space.dimensions().iter().map(|dimension| dimension.name.as_str());
    let label = || space.label_names().position(|label| label == name).map(Part::Label);
    match names().position(|input| input == name).map(Part::Input).or_else(label) {
        Some(part) => Ok(part),
        None if name == "trial" => Ok(Part::Trial),
        // JSON, or a program in another language.
        None if name.contains(['"', '\'', ':', ';', '$', '(', '=', ',']) => {
            let message = format!("there is no input for '{{{name}}}'");
            Err((message, "write {{ and }} for braces that are no placeholder".into()))
        }
        None => {
            let help = super::diagnostics::suggestion(name, names().chain(space.label_names()).chain(["trial"]));
            Err((format!("there is no input '{name}' for '{{{name}}}'"), help))
        }
    }
}

fn mark(k: usize, part: &Part) -> String {
    match part {
        Part::Text(text) => text.clone(),
        _ => format!("\0{k}\0"),
    }
}

fn unmark(word: &str, parts: &[Part]) -> Template {
    let piece = |(i, piece): (usize, &str)| match piece.parse::<usize>() {
        Ok(k) if i % 2 == 1 => parts[k].clone(),
        _ => Part::Text(piece.into()),
    };
    let pieces = word.split('\0').enumerate().map(piece);
    let mut unmarked: Vec<Part> = pieces.filter(|part| *part != Part::Text(String::new())).collect();
    if unmarked.is_empty() {
        unmarked.push(Part::Text(String::new()));
    }
    Template(unmarked)
}
