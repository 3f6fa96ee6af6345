//! Results files: a line of JSON per row, safe on disk as soon as it is written.
//!
//! A process that is killed in mid-write leaves a last line that is torn. Readers skip it, and the next writer cuts it off.
//! A file has one writer at a time.

use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const EXTENSION: &str = "jsonl";

/// One job and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What kind of job: figures of one kind share their rows.
    pub kind: String,
    /// Everything that the result depends on.
    pub settings: Value,
    /// What came of it.
    pub result: Value,
    /// The release that made it.
    pub version: String,
}

impl Row {
    /// Settings and result in their own types; `None` if it was written by other code.
    pub fn read<S: DeserializeOwned, R: DeserializeOwned>(&self) -> Option<(S, R)> {
        let settings = S::deserialize(&self.settings).ok()?;
        Some((settings, R::deserialize(&self.result).ok()?))
    }
}

/// Settings in their own type; a value that a setting cannot have is refused.
pub(crate) fn read_settings<S: DeserializeOwned>(settings: &Value) -> Result<S> {
    S::deserialize(settings).map_err(|error| Error::Unsupported {
        what: format!("these settings cannot be run: {error}"),
        remedy: "correct what was set".into(),
    })
}

/// A result as it is written.
pub(crate) fn to_value(result: &impl Serialize) -> Result<Value> {
    serde_json::to_value(result).map_err(|error| Error::Unsupported {
        what: format!("a result that cannot be written: {error}"),
        remedy: "this is a defect".into(),
    })
}

/// All rows of a folder.
#[derive(Debug, Clone, Default)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    /// Reads every results file of a folder, in the order of their names; a folder that is not there has none.
    pub fn of_folder(folder: &Path) -> Result<Self> {
        if !folder.exists() {
            return Ok(Rows::default());
        }
        let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        files.sort();
        Rows::of_files(&files)
    }

    /// Reads these files; of rows with the same settings the first counts.
    pub fn of_files(files: &[PathBuf]) -> Result<Self> {
        let mut rows = Rows::default();
        let mut seen = HashSet::new();
        for path in files {
            let new = read(path)?.into_iter().filter(|row| seen.insert((row.kind.clone(), row.settings.clone())));
            rows.0.extend(new);
        }
        Ok(rows)
    }

    /// The settings of all jobs of a kind that are done.
    pub fn done(&self, kind: &str) -> HashSet<&Value> {
        self.0.iter().filter(|row| row.kind == kind).map(|row| &row.settings).collect()
    }

    /// Rows of these jobs and of the same jobs with other seeds.
    pub fn like(&self, kind: &str, jobs: &[Value]) -> Vec<Row> {
        let wanted: HashSet<Value> = jobs.iter().map(without_seed).collect();
        let mut rows: Vec<Row> = self.0.iter().filter(|row| row.kind == kind).cloned().collect();
        rows.retain(|row| wanted.contains(&without_seed(&row.settings)));
        rows
    }
}

/// Copies the rows of other files that `folder` does not have yet into one of its files; returns how many.
pub fn merge(from: &[PathBuf], folder: &Path, name: &str) -> Result<usize> {
    let known = Rows::of_folder(folder)?;
    let mut new = Rows::of_files(from)?.0;
    new.retain(|row| !known.done(&row.kind).contains(&row.settings));
    let mut writer = Writer::open(folder, name)?;
    new.iter().try_for_each(|row| writer.append(row))?;
    Ok(new.len())
}

/// The one writer of a results file.
pub(crate) struct Writer {
    path: PathBuf,
    file: File,
}

impl Writer {
    /// Opens `folder/name.jsonl`, made if need be, behind its last whole line.
    pub fn open(folder: &Path, name: &str) -> Result<Self> {
        fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
        let path = folder.join(format!("{name}.{EXTENSION}"));
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(Error::file("open", &path))?;
        file.try_lock().map_err(|_| Error::Unsupported {
            what: format!("another process is writing {}", path.display()),
            remedy: "wait for it, or share the work out with --shard".into(),
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(Error::file("read", &path))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        file.set_len(whole as u64).map_err(Error::file("write", &path))?;
        file.seek(SeekFrom::End(0)).map_err(Error::file("write", &path))?;
        Ok(Writer { path, file })
    }

    /// Writes a row; when this returns, it is on the disk.
    pub fn append(&mut self, row: &Row) -> Result<()> {
        let line = serde_json::to_string(row).map_err(|error| Error::Unsupported {
            what: format!("a row that cannot be written: {error}"),
            remedy: "this is a defect".into(),
        })?;
        let written = self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(Error::file("write", &self.path))
    }
}

fn without_seed(settings: &Value) -> Value {
    let mut settings = settings.clone();
    if let Value::Object(table) = &mut settings {
        table.remove("seed");
    }
    settings
}

fn read(path: &Path) -> Result<Vec<Row>> {
    let bytes = fs::read(path).map_err(Error::file("read", path))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut rows = Vec::new();
    for (i, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let row = serde_json::from_slice(line);
        rows.push(row.map_err(|error| Error::Row {
            path: path.to_path_buf(),
            line: i + 1,
            message: format!("it is no row of results ({error})"),
        })?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(seed: u64, steps: u64) -> Row {
        let settings = json!({ "seed": seed, "steps": steps, "rate": 0.1 });
        Row { kind: "run".into(), settings, result: json!([1.5, seed]), version: "0".into() }
    }

    #[test]
    fn what_was_appended_is_read_and_a_torn_line_is_passed_over_and_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let write = |rows: &[Row]| {
            let mut writer = Writer::open(folder.path(), "a").unwrap();
            rows.iter().for_each(|row| writer.append(row).unwrap());
        };
        write(&[row(0, 5), row(1, 5)]);
        let path = folder.path().join("a.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        for cut in 1..text.len() / 2 - 1 {
            fs::write(&path, &text[..text.len() - cut]).unwrap();
            assert_eq!(Rows::of_folder(folder.path()).unwrap().0, [row(0, 5)], "{cut}");
        }
        write(&[row(2, 5)]);
        assert_eq!(Rows::of_folder(folder.path()).unwrap().0, [row(0, 5), row(2, 5)]);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    }

    #[test]
    fn a_file_has_one_writer_and_garbage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(folder.path(), "a").unwrap();
        assert!(matches!(Writer::open(folder.path(), "a"), Err(Error::Unsupported { .. })));
        writer.append(&row(0, 5)).unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, format!("{}half a li\n", fs::read_to_string(&path).unwrap())).unwrap();
        let message = Rows::of_folder(folder.path()).unwrap_err().to_string();
        assert!(message.contains("a.jsonl, line 2"), "{message}");
    }

    #[test]
    fn rows_of_other_settings_are_left_out_and_other_seeds_are_not() {
        let rows = Rows(vec![row(0, 5), row(7, 5), row(0, 50)]);
        assert_eq!(rows.like("run", &[row(3, 5).settings]), [row(0, 5), row(7, 5)]);
        assert_eq!(rows.like("other", &[row(3, 5).settings]), []);
        let done = rows.done("run");
        assert!(done.contains(&row(0, 50).settings) && !done.contains(&row(1, 5).settings));
    }

    #[test]
    fn merging_adds_each_row_once() {
        let [here, there] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        Writer::open(here.path(), "a").unwrap().append(&row(0, 5)).unwrap();
        let mut writer = Writer::open(there.path(), "b").unwrap();
        [row(0, 5), row(1, 5), row(1, 5)].iter().for_each(|row| writer.append(row).unwrap());
        let from = [there.path().join("b.jsonl")];
        assert_eq!(merge(&from, here.path(), "merged").unwrap(), 1);
        assert_eq!(merge(&from, here.path(), "merged").unwrap(), 0);
        assert_eq!(Rows::of_folder(here.path()).unwrap().0, [row(0, 5), row(1, 5)]);
    }
}
