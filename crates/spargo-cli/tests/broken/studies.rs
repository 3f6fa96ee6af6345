//! Study files that cannot be read, or that make no sense.

use super::{complaint, gallery};

#[test]
fn broken_studies_are_explained() {
    assert!(BROKEN.len() >= 40);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("words.csv"), "x,c\n1,a\n2,b\nthree,c\n").unwrap();
    std::fs::write(folder.path().join("empty.csv"), "").unwrap();
    let explained = gallery(&BROKEN, &["study.toml:", "study.toml, line ", "words.csv, line "], |text| {
        std::fs::write(folder.path().join("study.toml"), text).unwrap();
        complaint(folder.path(), &["suggest", "study.toml", "-n", "1"])
    });
    insta::assert_snapshot!("studies", explained);
}

#[test]
fn a_file_that_is_not_text_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("study.toml"), b"name = \"a\"\nseed = 1\n# \xff\n").unwrap();
    let said = complaint(folder.path(), &["suggest", "study.toml"]);
    assert!(said.contains("study.toml, line 3") && said.contains("UTF-8"), "{said}");
    let said = complaint(folder.path(), &["suggest", "missing.toml"]);
    assert!(said.contains("missing.toml") && said.contains("spargo new"), "{said}");
}

const BROKEN: [(&str, &str); 76] = [
    ("nothing at all", ""),
    ("no objectives", "[space]\nx = { real = [0, 1] }\n"),
    ("no space", "[objectives]\ny = { goal = \"max\" }\n"),
    ("objectives are empty", "[objectives]\n[space]\nx = { real = [0, 1] }\n"),
    ("the space is empty", "[objectives]\ny = { goal = \"max\" }\n[space]\n"),
    ("a quote is not closed", "name = \"coupling\nseed = 1\n"),
    ("a bracket is not closed", "[objectives\ny = { goal = \"max\" }\n"),
    ("an equals sign is missing", "seed 4\n"),
    ("a value is missing", "seed =\nbatch = 4\n"),
    ("a key twice", "seed = 1\nseed = 2\n"),
    ("a section twice", "[objectives]\ny = { goal = \"max\" }\n[objectives]\nz = { goal = \"max\" }\n"),
    ("an unknown key", "sed = 4\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n"),
    ("an unknown section", "[objective]\ny = { goal = \"max\" }\n"),
    (
        "the library's own word",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[[outputs]]\nname = \"y\"\n",
    ),
    ("a seed in words", "seed = \"one\"\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n"),
    ("a negative seed", "seed = -1\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n"),
    ("a batch of none", "batch = 0\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n"),
    ("half a batch", "batch = 0.5\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n"),
    (
        "a name that is a path",
        "name = \"../other\"\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    ("a goal misspelt", "[objectives]\ny = { goal = \"maxx\" }\n[space]\nx = { real = [0, 1] }\n"),
    ("a goal missing", "[objectives]\ny = {}\n[space]\nx = { real = [0, 1] }\n"),
    ("a goal by itself", "[objectives]\ny = \"max\"\n[space]\nx = { real = [0, 1] }\n"),
    (
        "an objective with an unknown key",
        "[objectives]\ny = { goal = \"max\", unit = \"%\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a constraint without limits",
        "[objectives]\ny = { goal = \"max\" }\n[constraints]\nz = {}\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a constraint that nothing meets",
        "[objectives]\ny = { goal = \"max\" }\n[constraints]\nz = { at-least = 2, at-most = 1 }\n[space]\nx = { real = [0, 1] }\n",
    ),
    ("an output with an input's name", "[objectives]\nx = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n"),
    ("a name that is taken", "[objectives]\ny = { goal = \"max\" }\n[space]\ntrial = { real = [0, 1] }\n"),
    ("ends the wrong way round", "[objectives]\ny = { goal = \"max\" }\n[space]\ntemperature = { real = [120, 20] }\n"),
    ("a range of one point", "[objectives]\ny = { goal = \"max\" }\n[space]\ntemperature = { real = [20, 20] }\n"),
    (
        "a range with three ends",
        "[objectives]\ny = { goal = \"max\" }\n[space]\ntemperature = { real = [20, 40, 80] }\n",
    ),
    (
        "a range in words",
        "[objectives]\ny = { goal = \"max\" }\n[space]\ntemperature = { real = [\"cold\", \"hot\"] }\n",
    ),
    ("a range without a kind", "[objectives]\ny = { goal = \"max\" }\n[space]\ntemperature = [20, 120]\n"),
    ("two kinds at once", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1], int = [0, 1] }\n"),
    ("an unknown kind", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { reel = [0, 1] }\n"),
    ("a logarithm of zero", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1], log = true }\n"),
    ("whole numbers with fractions", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { int = [0.5, 8] }\n"),
    ("values in words", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { values = [1, \"two\"] }\n"),
    ("one value twice", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { values = [1, 2, 1.0] }\n"),
    (
        "labels with a logarithm",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { ordinal = [\"a\", \"b\"], log = true }\n",
    ),
    ("an ordinal input misspelt", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { ordinall = [\"a\", \"b\"] }\n"),
    ("one choice twice", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { choice = [\"Pd\", \"Pd\"] }\n"),
    ("choices with the same text", "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { choice = [1, 2, \"1\"] }\n"),
    ("candidates that are not there", "[objectives]\ny = { goal = \"max\" }\n[space]\ncandidates = \"pool.csv\"\n"),
    ("candidates that are empty", "[objectives]\ny = { goal = \"max\" }\n[space]\ncandidates = \"empty.csv\"\n"),
    (
        "candidates with a word among numbers",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 5] }\ncandidates = \"words.csv\"\n",
    ),
    (
        "an unknown method of allocation",
        "allocation = \"imp\"\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a setting that the method does not have",
        "allocation = { method = \"cvr\", baseline = \"max\" }\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "an unknown kernel",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[model]\nkernel = \"matern53\"\n",
    ),
    (
        "an unknown policy of trust regions",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[trust-regions]\npolicy = \"memori\"\n",
    ),
    (
        "a command with an unknown place",
        "[objectives]\ny = { goal = \"max\" }\n[space]\ntemperature = { real = [0, 1] }\n[run]\ncommand = \"./sim --t {temprature}\"\n",
    ),
    (
        "a command with an open quote",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"./sim 'x\"\n",
    ),
    (
        "a timeout in words",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"./sim {x}\"\ntimeout = \"1 min\"\n",
    ),
    (
        "a batch too large",
        "batch = 1000000000000\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a number too large",
        "seed = 99999999999999999999\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a date for a number",
        "batch = 1979-05-27\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a name with a line break",
        "name = \"a\\nb\"\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    ("a goal that is no word", "[objectives]\ny = { goal = true }\n[space]\nx = { real = [0, 1] }\n"),
    (
        "an output twice",
        "[constraints]\ny = { at-most = 1 }\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "a constraint with an input's name",
        "[constraints]\nx = { at-most = 1 }\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n",
    ),
    (
        "hyperparameters from no rows",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[model]\nhyperparameters = { subset = 0 }\n",
    ),
    (
        "hyperparameters that are not for studies",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[model]\nhyperparameters = \"elbo\"\n",
    ),
    (
        "a command that is a number",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = 5\n",
    ),
    (
        "a command that is empty",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"\"\n",
    ),
    (
        "a command with JSON in it",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = './sim {\"x\": 1}'\n",
    ),
    (
        "a program that depends on values",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"{x} 1\"\n",
    ),
    (
        "a budget of none",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"./sim {x}\"\nbudget = 0\n",
    ),
    (
        "replicates of everything",
        "[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"./sim {x}\"\nbudget = 50\nfinal-replicates = 50\n",
    ),
    (
        "replicates without an objective",
        "[objectives]\ny = { goal = \"classify\" }\n[space]\nx = { real = [0, 1] }\n[run]\ncommand = \"./sim {x}\"\nfinal-replicates = 50\n",
    ),
    (
        "a formula as the name of an output",
        "[objectives]\ny = { goal = \"max\" }\n[constraints]\n\"a + b\" = { at-most = 1 }\n[space]\na = { real = [0, 1] }\nb = { real = [0, 1] }\n",
    ),
    (
        "an input constraint of no kind",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1] }\n[[input-constraints]]\nat-most = 1\n",
    ),
    (
        "an input constraint of an unknown input",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1] }\nb = { real = [0, 1] }\n[[input-constraints]]\nsum = [\"a\", \"b\"]\nat-most = 1\n[[input-constraints]]\nsum = [\"a\", \"c\"]\nat-most = 1\n",
    ),
    (
        "an input constraint with a misspelt key",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1] }\n[[input-constraints]]\nsum = [\"a\"]\nat-mots = 1\n",
    ),
    (
        "input constraints that contradict each other",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1] }\nb = { real = [0, 1] }\n[[input-constraints]]\nsum = [\"a\", \"b\"]\nat-least = 1.5\n[[input-constraints]]\nsum = { a = 1, b = 2 }\nat-most = 1\n",
    ),
    (
        "a sum of labels",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1] }\nb = { choice = [\"x\", \"y\"] }\n[[input-constraints]]\nsum = [\"a\", \"b\"]\nat-most = 1\n",
    ),
    (
        "a condition on a value that is none",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1], when = { b = \"z\" } }\nb = { choice = [\"x\", \"y\"] }\n",
    ),
    (
        "a condition on an unknown input",
        "[objectives]\ny = { goal = \"max\" }\n[space]\na = { real = [0, 1], when = { c = \"z\" } }\nb = { choice = [\"x\", \"y\"] }\n",
    ),
];
