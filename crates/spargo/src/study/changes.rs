//! What people changed in a study: corrections of trials, settings, and points of their own, as the rows of one table.

use super::{Enqueued, Note, OutputChange, Revision, SettingChange, Study};
use crate::error::Result;

/// One row of the table of changes.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// The number of the trial; `None` for what is not about one, and for points that are waiting.
    pub trial: Option<u64>,
    /// Why, by whom and when.
    pub note: Note,
    /// "amended", "discarded", "retried", "setting" or "enqueued".
    pub change: &'static str,
    /// The output, the setting, or "point".
    pub what: String,
    /// What it was; of a setting as JSON, of a point nothing.
    pub before: String,
    /// What it has been since, of a setting as JSON; the point.
    pub after: String,
}

impl HistoryEntry {
    /// A correction of a trial, output by output.
    pub fn of_revision<'a>(
        trial: u64,
        revision: &Revision,
        outputs: impl IntoIterator<Item = &'a str>,
    ) -> Vec<HistoryEntry> {
        let entry = |(k, output): (usize, &str)| {
            let OutputChange { kind: change, before, after } = revision.of_output(k)?;
            let (what, note) = (output.into(), revision.note.clone());
            Some(HistoryEntry { trial: Some(trial), note, change, what, before, after })
        };
        outputs.into_iter().enumerate().filter_map(entry).collect()
    }

    /// A change of settings, part by part.
    pub fn of_setting(note: &Note, setting: &SettingChange) -> Vec<HistoryEntry> {
        let entry = |SettingChange { field, before, after }| {
            let [before, after] = [before, after].map(|value| value.to_string());
            HistoryEntry { trial: None, note: note.clone(), change: "setting", what: field, before, after }
        };
        setting.parts().into_iter().map(entry).collect()
    }
}

impl Study {
    /// Everything that people changed, in the order of time: corrections output by output, settings, and enqueued points.
    pub fn changes(&self) -> Result<Vec<HistoryEntry>> {
        let mut entries = Vec::new();
        for record in self.history.records() {
            let outputs = || self.config.outputs.iter().map(|output| output.name.as_str());
            let of = |revision| HistoryEntry::of_revision(record.trial.id, revision, outputs());
            entries.extend(record.revisions.iter().flat_map(of));
        }
        for (note, setting) in self.setting_history()? {
            entries.extend(HistoryEntry::of_setting(&note, &setting));
        }
        for Enqueued { point, row, note, trial } in self.history.enqueued() {
            let (what, before, after) = ("point".into(), String::new(), self.config.space.in_words(point, *row));
            entries.push(HistoryEntry { trial: *trial, note: note.clone(), change: "enqueued", what, before, after });
        }
        entries.sort_by_key(|entry| entry.note.time);
        Ok(entries)
    }
}
