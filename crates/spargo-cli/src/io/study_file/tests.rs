use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use spargo::study::Noise;

fn parsed(text: &str) -> Result<(Config, Option<RunSettings>)> {
    let source = Source { name: "study.toml".into(), text: text.into(), places: Default::default() };
    let StudyFile { config, run, .. } = parse(&source, Path::new("nowhere/study.toml"))?;
    Ok((config, run))
}

/// The values of a study file as JSON, which is what the schema is about.
fn as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn the_example_parses_and_its_comments_are_the_defaults() {
    let (config, run) = parsed(EXAMPLE).unwrap();
    let run = run.unwrap();
    assert_eq!((config.name.as_str(), config.batch, config.initial_count()), ("coupling", 24, 24));
    assert_eq!((run.parallel, run.timeout, run.budget, run.command.arguments.len()), (2, Some(60.0), 240, 11));
    // Uncommented, the last part changes nothing.
    let (above, below) = EXAMPLE.split_once("# Everything below has these defaults.\n").unwrap();
    let settings: Vec<&str> = below.lines().map(|line| line.strip_prefix("# ").unwrap()).collect();
    let (top, model) = settings.split_at(settings.iter().position(|line| *line == "[model]").unwrap());
    let (again, _) = parsed(&format!("{}\n{above}\n{}", top.join("\n"), model.join("\n"))).unwrap();
    // The default rule depends on the outputs.
    assert_eq!(again.rule, Some(config.rule()));
    assert_eq!(Config { rule: None, ..again }, config);
    let defaults = Config::new(config.space.clone());
    assert_eq!(
        Config { name: defaults.name.clone(), batch: 100, outputs: defaults.outputs.clone(), ..config },
        defaults
    );
}

const NOISES: &str = "[objectives]\ny = { goal = 'max', noise = { sd = 0.5 } }\nz = { goal = 'min', noise = 'none' }\n\
    [constraints]\nc = { at-most = 5, noise = { variance = 0.01 } }\n[space]\nx = { real = [0, 1] }\n";

#[test]
fn noise_is_read_and_refused_at_its_line() {
    let (config, _) = parsed(NOISES).unwrap();
    let noises: Vec<Noise> = config.outputs.iter().map(|output| output.noise).collect();
    assert_eq!(noises, [Noise::Sd(0.5), Noise::None, Noise::Variance(0.01)]);
    for (noise, words) in [
        ("'low'", "unknown word 'low'"),
        ("0", "noise is a word or a table, not 0"),
        ("0.1", "{ sd = … }"),
        ("{ sd = 0 }", "the noise of 'c' cannot have sd = 0"),
        ("{ sd = -0.1 }", "the noise of 'c' cannot have sd = -0.1"),
        ("{ variance = nan }", "the noise of 'c' cannot have variance = NaN"),
        ("{ variance = inf }", "the noise of 'c' cannot have variance = inf"),
        ("{ deviation = 1 }", "unknown key 'deviation'"),
    ] {
        let refused = parsed(&NOISES.replace("{ variance = 0.01 }", noise)).unwrap_err();
        assert!(refused.to_string().contains(words), "{noise}: {refused}");
        let label = refused.labels().and_then(|mut labels| labels.next()).unwrap();
        assert!(label.offset() >= NOISES.find("c = {").unwrap(), "{noise}: {label:?}");
        assert!(refused.help().is_some() || words.contains("sd = …"), "{noise}");
    }
    let class = parsed("[objectives]\na = { goal = 'classify', noise = 'none' }\n[space]\nx = { real = [0, 1] }\n");
    assert!(class.unwrap_err().to_string().contains("'a' is a class"));
}

/// Known hyperparameters as a study file has them.
const FIXED: &str = "hyperparameters = { fixed = { variance = 1, lengthscales = 0.3, noise = 1e-6 } }\n";

/// What is wrong about known hyperparameters and automatic numbers is shown where it stands.
#[test]
fn faults_of_known_hyperparameters_show_their_place() {
    let head = "[objectives]\ny = { goal = 'max' }\n[space]\nx = { real = [0, 1] }\n";
    for (text, words, place) in [
        (format!("{head}[model]\n{FIXED}"), "not transformed", "hyperparameters = "),
        (format!("{head}[model]\n{}", FIXED.replace(", noise = 1e-6", "")), "'noise' is missing", "{ variance"),
        (format!("{head}[model]\n{}", FIXED.replace("noise =", "noize =")), "unknown key 'noize'", "noize"),
        (
            format!("{head}[model]\noutcome-transform = 'off'\n{}", FIXED.replace("0.3", "{ z = 1 }")),
            "'z', which is no input",
            "lengthscales = ",
        ),
        (
            format!("{head}[model]\noutcome-transform = 'off'\n{}", FIXED.replace("1e-6", "0")),
            "noise of 'fixed'",
            "noise = 0",
        ),
        (format!("inducing = 'auto'\nallocation = 'kmeans'\n{head}"), "cannot be \"auto\"", "inducing = "),
        (format!("inducing = 'automatic'\n{head}"), "a whole number or \"auto\"", "'automatic'"),
        (format!("inducing-max = 0\n{head}"), "inducing-max = 0", "inducing-max = "),
    ] {
        let refused = parsed(&text).unwrap_err();
        assert!(refused.to_string().contains(words), "{text}: {refused}");
        let label =
            refused.labels().and_then(|mut labels| labels.next()).unwrap_or_else(|| panic!("{text}: {refused}"));
        assert!(text[label.offset()..].starts_with(place), "{text}: {}", &text[label.offset()..]);
    }
}

#[test]
fn the_schema_accepts_what_the_parser_accepts() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let head = "[objectives]\ny = { goal = \"min\" }\n[space]\nx = { real = [0, 1] }\n";
    let good = [
        EXAMPLE.to_string(),
        head.to_string(),
        format!("allocation = \"cvr\"\n{head}"),
        format!("initial = \"auto\"\nreplicates = \"never\"\n{head}[model]\npenalties = \"failures\"\n"),
        NOISES.to_string(),
        format!("inducing = \"auto\"\ninducing-max = 800\n{head}[model]\noutcome-transform = \"off\"\n{FIXED}"),
        format!("{head}[model]\noutcome-transform = \"off\"\n{}", FIXED.replace("0.3", "{ x = 0.3 }")),
        format!(
            "allocation = {{ method = \"imp-dpp\", baseline = \"max\" }}\nrule = \"log-ei\"\nreplicates = \"allowed\"\n{head}"
        ),
        format!(
            "{head}[model]\nkernel = \"rbf\"\nhyperparameters = \"bound\"\n[sampling]\nfeatures = 500\n[acquisition]\npool = 100\n"
        ),
        format!(
            "{head}n = {{ int = [1, 8], log = true }}\nc = {{ choice = [\"a\", \"b\"] }}\n[run]\ncommand = \"./f {{x}}\"\n"
        ),
    ];
    for text in good {
        let errors: Vec<String> = validator.iter_errors(&as_json(&text)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{text}\n{errors:?}");
        parsed(&text).unwrap();
    }
    let bad = [
        json!({}),
        json!({"objectives": {"y": {"goal": "max", "noise": "low"}}, "space": {"x": {"real": [0, 1]}}}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "initial": "automatic"}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "inducing": "all"}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "model": {"hyperparameters": {"fixed": {"variance": 1}}}}),
        json!({"objectives": {"y": {"goal": "up"}}, "space": {"x": {"real": [0, 1]}}}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1, 2]}}}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "sed": 1}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "run": {"command": 3}}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "model": {"kernel": "matern"}}),
        json!({"objectives": {"y": {"goal": "max"}}, "space": {"x": {"real": [0, 1]}}, "trust-regions": {"policy": "turbo"}}),
    ];
    bad.iter().for_each(|json| assert!(!validator.is_valid(json), "{json}"));
}

#[test]
fn a_command_is_split_into_arguments_with_placeholders() {
    use template::Part::{Input, Text, Trial};
    let study = |command: &str| {
        let space = "[space]\na = { real = [0, 1] }\n\"b c\" = { int = [1, 3] }\n";
        parsed(&format!("[objectives]\ny = {{ goal = \"max\" }}\n{space}[run]\ncommand = {command}\n"))
    };
    let arguments = |command: &str| {
        let parsed = study(command).unwrap().1.unwrap().command;
        assert!(["./sim", "f"].contains(&parsed.program.as_str()), "{command}");
        parsed.arguments
    };
    let text = |text: &str| Template(vec![Text(text.into())]);
    assert_eq!(
        arguments(r#"'./sim --a={a} "two words" {{x}} ""'"#),
        [Template(vec![Text("--a=".into()), Input(0)]), text("two words"), text("{x}"), text("")]
    );
    // A placeholder is one piece, whatever its name and quotes.
    for line in ["./sim {b c} '{b c}' x\\ y", "./sim \"{b c}\" {b c} 'x y' # {a}"] {
        let place = || Template(vec![Input(1)]);
        assert_eq!(arguments(&format!("{line:?}")), [place(), place(), text("x y")], "{line}");
    }
    assert_eq!(arguments(r#"['f', '{b c}{trial}!']"#), [Template(vec![Input(1), Trial, Text("!".into())])]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let _ = parsed(&text).map_err(|report| format!("{report:?}"));
    }

    /// Most of the example is left as it is, so that the parser goes far.
    #[test]
    fn an_example_with_random_faults_never_panics(
        faults in prop::collection::vec((0..EXAMPLE.len(), 0usize..12, "[\\[\\]{}=\"'#,.a-z0-9\n\\-\u{e9}\u{0}]{0,6}"), 1..6),
    ) {
        let mut text: Vec<char> = EXAMPLE.chars().collect();
        for (at, length, put) in faults {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, put.chars());
        }
        let text: String = text.into_iter().collect();
        // Errors must render as well, wherever they point.
        let _ = parsed(&text).map_err(|report| format!("{report:?}"));
    }
}

/// The numbers among the keys of a schema: dotted names, and whether they are integers.
fn numbers(root: &Value, schema: &Value, name: &str, all: &mut Vec<(String, bool)>) {
    if let Some(reference) = schema["$ref"].as_str() {
        numbers(root, root.pointer(&reference[1..]).unwrap(), name, all);
    }
    let is =
        |kind: &str| schema["type"] == kind || schema["type"].as_array().is_some_and(|all| all.contains(&json!(kind)));
    if is("integer") || is("number") {
        all.push((name.into(), is("integer")));
    }
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        numbers(root, value, format!("{name}.{key}").trim_start_matches('.'), all);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|option| numbers(root, option, name, all));
    }
}

#[test]
fn every_number_has_an_upper_limit() {
    let (root, mut all) = (schema(), Vec::new());
    numbers(&root, &root, "", &mut all);
    // Any seed is one; levels, limits, ranges and known hyperparameters are in the user's units, some by names of the user's.
    all.retain(|(name, _)| name != "seed" && !name.starts_with("space.") && !name.contains(".fixed."));
    assert!(all.len() >= 25, "{all:?}");
    for (name, is_integer) in all {
        let method = match name.as_str() {
            "allocation.alpha" => "allocation.method = 'ent-dpp'\n",
            "allocation.quality.ent.alpha" => "allocation.method = 'dpp'\n",
            _ => "",
        };
        for value in if is_integer { ["1000000000000", "9223372036854775807"] } else { ["1e12", "9.3e18"] } {
            let text = format!(
                "run.command = './f {{x}}'\n{name} = {value}\n{method}\
                 [objectives]\ny = {{ goal = 'max' }}\n[space]\nx = {{ real = [0, 1] }}\n"
            );
            let refused = parsed(&text).expect_err(&text).to_string();
            let key = name.rsplit('.').next().unwrap();
            let limits = ["at most", "between 0 and 1", "in [0, 1)", "below the budget", "96 or 384"];
            assert!(refused.contains(key) && limits.iter().any(|limit| refused.contains(limit)), "{text}: {refused}");
        }
    }
}
