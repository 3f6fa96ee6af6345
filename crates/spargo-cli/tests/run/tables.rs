//! Tables between a study and a lab: what comes out goes in again, and what does not belong together is refused.

use crate::folder::{Folder, PLAIN};
use spargo::study::{Measurement, Study};

/// A study of two outputs.
fn two_outputs() -> Folder {
    Folder::new(&PLAIN.replace("[space]", "[constraints]\nz = { at-most = 3 }\n[space]"), "{x}", "", "")
}

/// What is known of the outputs of every trial.
fn measurements(folder: &Folder, database: &str) -> Vec<Vec<Measurement>> {
    let study = Study::open(&folder.path(database)).unwrap();
    study.history().records().iter().map(|record| record.measurements().cloned().collect()).collect()
}

/// The rows of a plate with their trial numbers slipped by one.
fn slipped(plate: &str) -> String {
    let (header, rows) = plate.split_once('\n').unwrap();
    let (numbers, points): (Vec<_>, Vec<_>) = rows.lines().map(|line| line.split_once(',').unwrap()).unzip();
    let rows = numbers.iter().skip(1).zip(&points).map(|(number, point)| format!("{number},{point},1\n"));
    format!("{header},y\n{}", rows.collect::<String>())
}

#[test]
fn no_table_applies_to_trials_at_other_points() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    let plate = folder.done(&["ask", "study.toml"]);
    folder.write("right.csv", "trial,y\n1,2\n2,2\n3,2\n4,2\n5,2\n6,2\n");
    folder.write("wrong.csv", &slipped(&plate));
    folder.write("unit.csv", "trial,x (mm),y\n1,,1\n");
    folder.edit("study.toml", "[0, 1]", "[0, 1], unit = 'm'");
    folder.done(&["tell", "study.toml", "right.csv"]);
    let before = folder.export();
    for command in ["tell", "amend", "discard", "retry"] {
        let reason = if command == "tell" { &[][..] } else { &["--reason", "a typo"] };
        let complaint = folder.refused(&[&[command, "study.toml", "wrong.csv"], reason].concat());
        let nothing = if command == "tell" { "nothing was told" } else { "nothing was changed" };
        for words in ["wrong.csv, line 2, column 'x': trial 2 was asked for at", nothing] {
            assert!(complaint.contains(words), "{command}: {complaint}");
        }
        let complaint = folder.refused(&[&[command, "study.toml", "unit.csv"], reason].concat());
        assert!(complaint.contains("'x' is in mm here, but in m in the study"), "{command}: {complaint}");
        assert_eq!(folder.export(), before, "{command}");
    }
    // The inputs of the trials themselves, as a spreadsheet rounds them, are no obstacle.
    let x: f64 = before[0][1].parse().unwrap();
    folder.write("right.csv", &format!("trial,x,y\n1,{x:.3},7\n"));
    assert!(folder.done(&["amend", "study.toml", "right.csv", "--reason", "a typo"]).contains("2 → 7"));
}

#[test]
fn whole_numbers_and_labels_of_a_row_are_those_of_its_trial() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    folder.write("pool.csv", "id,x,n,supplier\n007,0.5,50,Acme\n8,0.5,50,Bolt\n9,0.5,51,Acme\n");
    folder.edit("study.toml", "[space]\n", "[space]\ncandidates = 'pool.csv'\n");
    folder.edit("study.toml", "initial = 8", "initial = 3");
    folder.done(&["ask", "study.toml"]);
    let rows = folder.export();
    let [seven, eight, nine] = ["007", "8", "9"].map(|id| rows.iter().find(|row| row[3] == id).unwrap()[0].clone());
    // A hundredth of the range is no rounding of whole numbers.
    folder.write("wrong.csv", &format!("trial,n,y\n{nine},50,1\n"));
    let complaint = folder.refused(&["tell", "study.toml", "wrong.csv"]);
    assert!(complaint.contains(&format!("column 'n': trial {nine} was asked for at 51, not 50")), "{complaint}");
    // Candidates at the same point are told apart by their ids.
    folder.write("wrong.csv", &format!("trial,id,y\n{seven},8,1\n{eight},7,2\n"));
    let complaint = folder.refused(&["tell", "study.toml", "wrong.csv"]);
    let words = format!("line 2, column 'id': trial {seven} was asked for at '007', not '8'");
    assert!(complaint.contains(&words) && complaint.contains("nothing was told"), "{complaint}");
    // Spreadsheets drop zeros, and people correct labels that identify nothing.
    folder.write("right.csv", &format!("trial,id,supplier,y\n{seven},7,ACME Ltd,1\n{eight},8,Bolt,2\n"));
    assert!(folder.done(&["tell", "study.toml", "right.csv"]).contains("2 told"));
}

#[test]
fn lost_numbers_are_those_of_the_same_candidate() {
    let study = PLAIN.replace("[space]", "[space]\ncandidates = 'pool.csv'");
    let folder = Folder::new(&study, "{x}", "", "");
    folder.write("pool.csv", "id,x,n\na,0.5,7\nb,0.5,7\nc,0.6,7\n");
    let plate = folder.done(&["ask", "study.toml", "-n", "3"]);
    let trial = plate.lines().find_map(|line| line.strip_suffix(",0.5,7,b")).unwrap();
    folder.write("lost.csv", "x,n,id,y\n0.5,7,b,3\n");
    let said = folder.spargo(&["tell", "study.toml", "lost.csv"]);
    assert!(said.stderr.contains(&format!("trial {trial} is still pending at points of rows")), "{plate}{said:?}");
}

#[test]
fn capitals_and_lost_numbers_add_no_trials() {
    let folder = two_outputs();
    let plate = folder.done(&["ask", "study.toml"]);
    let with_outcome = |header: &str| {
        let rows = plate.lines().skip(1).map(|line| format!("{line},3\n"));
        format!("{header}\n{}", rows.collect::<String>())
    };
    // Excel's users write capitals, pandas writes 1.0.
    folder.write("plate.csv", &with_outcome("Trial,x,n,y").replace("\n1,", "\n1.0,"));
    let said = folder.done(&["tell", "study.toml", "plate.csv"]);
    assert!(said.contains("8 told; 0 of 8 trials have an outcome, 8 more in part"), "{said}");
    folder.write("late.csv", "trial,y,Z\n1,3,2\n");
    let complaint = folder.refused(&["tell", "study.toml", "late.csv"]);
    assert!(complaint.contains("late.csv, line 1: is the column 'Z' meant to be 'z'?"), "{complaint}");
    folder.write("late.csv", "TRIAL,z,Status,Reason\n1,,failed,spilled\n2,,,burnt\n");
    assert!(folder.done(&["tell", "study.toml", "late.csv"]).starts_with("0 outcomes, 2 failed"));
    // Numbers under another name are noticed by the points of trials that are still pending.
    let plate = folder.done(&["ask", "study.toml", "-n", "2"]);
    let rows = plate.lines().skip(1).map(|line| format!("{},3\n", line.split_once(',').unwrap().1));
    folder.write("lost.csv", &format!("x,n,y\n{}", rows.collect::<String>()));
    let said = folder.spargo(&["tell", "study.toml", "lost.csv"]);
    assert!(
        said.stderr.contains("trials 9 to 10 are still pending at points of rows that have no trial number"),
        "{said:?}"
    );
}

#[test]
fn a_table_of_new_points_that_is_told_again_is_noticed() {
    let folder = two_outputs();
    folder.write("past.csv", "x,n,y\n0.5,7,3\n0.25,8,4\n0.75,9,failed\n");
    let tell = || folder.spargo(&["tell", "study.toml", "past.csv"]);
    assert_eq!(tell().stderr, "");
    let said = tell();
    assert!(said.stderr.starts_with("2 new trials have the inputs and outcomes of earlier ones"), "{said:?}");
    folder.write("past.csv", "x,n,y\n0.5,7,3.1\n");
    assert_eq!(tell().stderr, "", "a replicate");
}

#[test]
fn a_new_point_keeps_its_candidate_whatever_stands_before_it() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    folder.write("pool.csv", "id,x,n\na,0.5,3\nb,0.5,3\nc,0.25,4\n");
    folder.edit("study.toml", "[space]\n", "[space]\ncandidates = 'pool.csv'\n");
    folder.write("past.csv", "x,n,id,y,status\n0.25,4,c,,pending\n0.5,3,b,7,\n");
    folder.done(&["tell", "study.toml", "past.csv"]);
    let study = Study::open(&folder.path("plain.db")).unwrap();
    let rows: Vec<_> = study.history().records().iter().map(|record| record.trial.row).collect();
    assert_eq!(rows, [Some(2), Some(1)]);
}

#[test]
fn what_is_exported_comes_back_output_by_output() {
    let folder = two_outputs();
    folder.done(&["ask", "study.toml"]);
    let tell = |trial: &str, output: &str, how: &[&str]| {
        folder.done(&[&["tell", "study.toml", "--trial", trial, "--output", output], how].concat())
    };
    tell("1", "y", &["--failed", "the vial broke"]);
    tell("1", "z", &["--failed", "a blocked column"]);
    tell("2", "y", &["--failed", "the vial broke"]);
    tell("3", "y", &["--value", "1.5", "--variance", "0.25"]);
    tell("3", "z", &["--failed", "=a blocked column"]);
    tell("4", "z", &["--failed", ""]);
    tell("5", "z", &["--value", "2"]);
    folder.done(&["tell", "study.toml", "--trial", "6", "--failed", "spilled"]);
    folder.done(&["tell", "study.toml", "--trial", "7", "--failed", "spilled"]);
    folder.done(&["amend", "study.toml", "--trial", "7", "--output", "y", "--value", "4", "--reason", "found"]);
    folder.done(&["export", "study.toml", "-o", "all.csv"]);
    assert!(folder.read("all.csv").starts_with("trial,x,n,y,z,y variance,y reason,z reason,status,reason\n"));
    folder.done(&["suggest", "study.toml", "--data", "all.csv"]);
    folder.edit("study.toml", "'plain'", "'again'");
    let told = folder.done(&["tell", "study.toml", "all.csv", "--as-new"]);
    assert!(told.starts_with("3 outcomes, 4 failed, 1 pending, 0 rows"), "{told}");
    let (mut before, after) = (measurements(&folder, "plain.db"), measurements(&folder, "again.db"));
    assert_eq!(before[3][1], Measurement::failed(""));
    before[3][1] = Measurement::failed("failed");
    assert_eq!(after, before);
    // A table of the same study changes nothing.
    let again = folder.done(&["tell", "plain.db", "all.csv"]);
    assert!(again.contains("0 told, 7 already known"), "{again}");
}

#[test]
fn the_history_shows_what_was_enqueued() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    for (x, reason) in [("0.5", "a colleague's guess"), ("0.25", "")] {
        let point = [&format!("x={x}"), "n=7"];
        let words = ["enqueue", "study.toml", "--set", point[0], "--set", point[1], "--reason", reason];
        folder.command(&words).env("USER", "maria").output().unwrap();
        folder.done(&["ask", "study.toml", "-n", "1"]);
    }
    folder.done(&["enqueue", "study.toml", "--set", "x=1", "--set", "n=7"]);
    folder.edit("study.toml", "[space]\n", "[space]\nm = { int = [0, 9], past = 4 }\n");
    folder.done(&["ask", "study.toml", "-n", "1"]);
    let history = folder.done(&["export", "study.toml", "--history"]);
    let rows: Vec<Vec<&str>> = history.lines().skip(1).map(|line| line.splitn(3, ',').collect()).collect();
    assert_eq!((rows[0][0], rows[1][0], rows[2][0]), ("1", "2", "3"), "{history}");
    let point = "maria,a colleague's guess,enqueued,point,,\"m 4, x 0.5, n 7\"";
    assert_eq!(rows[0][2], point, "{history}");
    assert!(rows[2][2].ends_with(",enqueued,point,,\"m 4, x 1, n 7\""), "{history}");
}

/// A study file with `[plate] wells`.
fn with_wells(wells: usize) -> Folder {
    let study = PLAIN.replace("[objectives]", &format!("[plate]\nwells = {wells}\n[objectives]"));
    Folder::new(&study, "{n}", "", "")
}

#[test]
fn plates_are_in_the_dialect_of_the_last_table() {
    let folder = two_outputs();
    let decimal = |table: &str| table.lines().nth(1).unwrap().split(['\t', ';']).nth(1).unwrap().contains(',');
    assert!(folder.done(&["ask", "study.toml", "-n", "1"]).starts_with("trial,x,n\n"), "before there is a table");
    for (table, header, commas) in [
        ("x;n;y;z\n0,5;7;-3,25;0,125\n", "trial;x;n", true),
        ("x\tn\ty\tz\n0.5\t7\t3.5\t1\n", "trial\tx\tn", false),
        ("x\tn\ty\tz\n0,5\t7\t3,5\t1\n", "trial\tx\tn", true),
        ("x;n;y;z\n0.5;7;3.5;1\n", "trial;x;n", false),
    ] {
        folder.write("past.csv", table);
        folder.done(&["tell", "study.toml", "past.csv"]);
        let plate = folder.done(&["ask", "study.toml", "-n", "2"]);
        assert_eq!((plate.lines().next(), decimal(&plate)), (Some(header), commas), "{plate}");
        // What is written is read again, by the same study and by another.
        folder.done(&["export", "study.toml", "-o", "all.csv", "--force"]);
        let known = folder.done(&["tell", "study.toml", "all.csv"]);
        assert!(known.contains("0 told") && folder.read("all.csv").starts_with(header), "{known}");
        folder.write("study2.toml", &folder.read("study.toml").replace("'plain'", "'again'"));
        folder.done(&["tell", "study2.toml", "all.csv", "--as-new"]);
        assert_eq!(measurements(&folder, "again.db"), measurements(&folder, "plain.db"));
        std::fs::remove_file(folder.path("again.db")).unwrap();
        let plain = folder.done(&["ask", "study.toml", "-n", "1", "--dialect", "comma"]);
        assert!(plain.starts_with("trial,x,n\n"), "{plain}");
    }
    let plate = folder.done(&["suggest", "study.toml", "--data", "past.csv", "-n", "1", "--dialect", "semicolon"]);
    assert!(plate.starts_with("x;n\n") && plate.contains(','), "{plate}");
    // Corrections are in the dialect as well: a spreadsheet may take 1.5 for a date.
    folder.done(&["amend", "study.toml", "--trial", "2", "--output", "y", "--value", "1.5", "--reason", "a typo"]);
    let history = folder.done(&["export", "study.toml", "--history", "--dialect", "semicolon"]);
    assert!(history.contains(";-3,25;1,5\n"), "{history}");
}

#[test]
fn points_have_wells() {
    for (wells, places) in [
        (96, [(0, "A1"), (11, "A12"), (12, "B1"), (95, "H12")]),
        (384, [(0, "A1"), (23, "A24"), (24, "B1"), (383, "P24")]),
    ] {
        let folder = with_wells(wells);
        let count = wells.to_string();
        let plate = folder.done(&["ask", "study.toml", "-n", &count]);
        let suggested = folder.done(&["suggest", "study.toml", "-n", &count]);
        assert!(plate.starts_with("trial,well,x,n\n1,A1,") && suggested.starts_with("well,x,n\nA1,"), "{plate}");
        for (place, well) in places {
            assert!(plate.lines().nth(place + 1).unwrap().starts_with(&format!("{},{well},", place + 1)), "{plate}");
            assert!(suggested.lines().nth(place + 1).unwrap().starts_with(&format!("{well},")), "{suggested}");
        }
        let more = (wells + 1).to_string();
        for command in ["ask", "suggest"] {
            let complaint = folder.refused(&[command, "study.toml", "-n", &more]);
            let words = [&format!("{more} points do not fit on a plate of {wells} wells"), "ask for at most"];
            assert!(words.iter().all(|words| complaint.contains(*words)), "{complaint}");
        }
        assert_eq!(folder.status()["trials"], wells, "nothing was asked for");
        // The column comes back, from a spreadsheet and as pending points.
        let told = plate.lines().enumerate().map(|(i, line)| format!("{line},{}\n", if i == 0 { "y" } else { "2" }));
        folder.write("told.csv", &told.collect::<String>());
        assert!(folder.done(&["tell", "plain.db", "told.csv"]).starts_with(&format!("{wells} outcomes")));
        folder.write("plate.csv", &suggested);
        let next = folder.done(&["suggest", "study.toml", "--pending", "plate.csv", "-n", "1"]);
        assert!(next.starts_with("well,x,n\nA1,"), "{next}");
    }
}

#[test]
fn nothing_else_is_called_as_the_wells_are() {
    for (from, to) in [("x = {", "well = {"), ("y = {", "well = {")] {
        let folder = with_wells(96);
        folder.edit("study.toml", from, to);
        let complaint = folder.refused(&["ask", "study.toml"]);
        assert!(
            complaint.contains("'well', which is the column of the wells") && complaint.contains("study.toml:"),
            "{complaint}"
        );
        folder.edit("study.toml", "wells = 96", "");
        folder.done(&["ask", "study.toml"]);
        folder.edit("study.toml", "[plate]", "[plate]\nwells = 96");
        assert!(folder.refused(&["ask", "study.toml"]).contains("column of the wells"), "in mid-campaign as well");
    }
    let folder = with_wells(96);
    folder.write("pool.csv", "well,x,n\na,0.5,3\nb,0.25,4\n");
    folder.edit("study.toml", "[space]\n", "[space]\ncandidates = 'pool.csv'\n");
    assert!(folder.refused(&["ask", "study.toml"]).contains("a column of the candidates has the name 'well'"));
    let folder = with_wells(95);
    let complaint = folder.refused(&["ask", "study.toml"]);
    assert!(
        complaint.contains("a plate has 96 or 384 wells, not 95") && complaint.contains("study.toml:"),
        "{complaint}"
    );
}

#[test]
fn notes_have_the_name_of_the_account() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    folder.done(&["ask", "study.toml"]);
    let Ok(account) = std::process::Command::new("id").arg("-un").output() else { return println!("skipped: no `id`") };
    let account = String::from_utf8(account.stdout).unwrap();
    let uid = format!("uid {}", rustix::process::getuid().as_raw());
    for (trial, user, path, by) in
        [("1", Some("maria"), None, "maria"), ("2", None, None, account.trim()), ("3", None, Some("/nowhere"), &uid)]
    {
        let mut command = folder.command(&["discard", "study.toml", "--trial", trial, "--reason", "spilled"]);
        ["USER", "LOGNAME", "USERNAME"].iter().for_each(|name| _ = command.env_remove(name));
        command.envs(user.map(|user| ("USER", user))).envs(path.map(|path| ("PATH", path)));
        assert!(command.status().unwrap().success());
        let history = folder.done(&["export", "study.toml", "--history"]);
        let last: Vec<&str> = history.lines().last().unwrap().split(',').collect();
        assert_eq!((last[0], last[2]), (trial, by), "{history}");
    }
}

#[test]
fn candidates_are_enqueued_by_their_labels() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    folder.write("pool.csv", "id,x,n,supplier\na,0.5,3,Acme\nb,0.5,3,Bolt\nc,0.25,4,Acme\n");
    folder.edit("study.toml", "[space]\n", "[space]\ncandidates = 'pool.csv'\n");
    folder.done(&["enqueue", "study.toml", "--set", "id=b"]);
    folder.write("next.csv", "id;x\nc;0,25\na;\n");
    assert!(folder.done(&["enqueue", "study.toml", "next.csv"]).starts_with("2 points enqueued; 3 are asked"));
    let asked = folder.done(&["ask", "study.toml", "-n", "3"]);
    assert!(asked.ends_with("1,0.5,3,b,Bolt\n2,0.25,4,c,Acme\n3,0.5,3,a,Acme\n"), "{asked}");
    let history = folder.done(&["export", "study.toml", "--history"]);
    assert!(history.contains("x 0.5, n 3, id b, supplier Bolt"), "{history}");
    folder.write("wrong.csv", "id,x,n\na,0.5,3\nb,0.25,4\n");
    for (args, part) in [
        (&["--set", "id=z"][..], "no candidate has id z"),
        (&["--set", "supplier=Acme"], "2 candidates have supplier Acme"),
        (&["--set", "maker=Acme"], "the inputs and labels are x, n, id, supplier"),
        (&["--set", "id=a", "--set", "id=b"], "'id' has two values"),
        (&["wrong.csv"], "wrong.csv, line 3: no candidate with these inputs has id b"),
    ] {
        let complaint = folder.refused(&[&["enqueue", "study.toml"], args].concat());
        assert!(complaint.contains(part), "{complaint}");
    }
    // The same of results: an outcome of a candidate that is not there is not another one's.
    folder.write("past.csv", "id,x,n,y\n,0.5,3,1\nz,0.5,3,2\n");
    for command in [&["tell", "study.toml", "past.csv"][..], &["suggest", "study.toml", "--data", "past.csv"]] {
        let complaint = folder.refused(command);
        assert!(complaint.contains("past.csv, line 3: no candidate with these inputs has id z"), "{complaint}");
    }
}
