//! The JSON schema of study files, for completion and checks in editors.

use super::outputs::{Constraint, Objective};
use super::run::{Line, RunSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Value, json};
use spargo::study::Config;

/// The schema of the library's settings, with the sections that study files write differently.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let sections = [
        ("objectives", named::<Objective>(&mut generator, "What is optimised, by the names of the outputs.")),
        ("constraints", named::<Constraint>(&mut generator, "Outputs that must stay within bounds, by their names.")),
        ("space", space()),
        ("input-constraints", input_constraints()),
        ("run", generator.subschema_for::<RunSettings<Line>>()),
    ];
    let mut root = generator.into_root_schema_for::<Config>().to_value();
    root["title"] = json!("A study of spargo");
    root["required"] = json!(["objectives", "space"]);
    let word = json!({ "description": "A method by its name.", "enum": spargo::allocate::Allocation::NAMES });
    let allocation = root["properties"]["allocation"].take();
    root["properties"]["allocation"] = json!({ "anyOf": [word, allocation] });
    for (name, section) in sections {
        root["properties"][name] = section.to_value();
    }
    root
}

/// The top-level keys of a study file.
pub fn root_keys() -> Vec<String> {
    schema()["properties"].as_object().into_iter().flat_map(|keys| keys.keys().cloned()).collect()
}

fn named<T: JsonSchema>(generator: &mut SchemaGenerator, description: &str) -> Schema {
    let of = generator.subschema_for::<T>();
    json_schema!({ "type": "object", "description": description, "minProperties": 1, "additionalProperties": of })
}

fn space() -> Schema {
    let range = |kind: &str| json!({ "type": "array", "items": { "type": kind }, "minItems": 2, "maxItems": 2 });
    let input = |key: &str, of: Value, more: &[(&str, &Value)]| {
        let mut properties = json!({ key: of });
        more.iter().for_each(|(key, value)| properties[*key] = (*value).clone());
        json!({ "type": "object", "properties": properties, "required": [key], "additionalProperties": false })
    };
    let log = json!({ "type": "boolean", "description": "Whether the input is modelled on a logarithmic scale." });
    let step = json!({
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "The values are the lower end and on from there in steps of this length.",
    });
    let digits = json!({
        "type": "integer",
        "minimum": 0,
        "maximum": 300,
        "description": "The values have so many decimal places.",
    });
    let unit = json!({
        "type": "string",
        "minLength": 1,
        "description": "What the values are measured in, as the headers of tables say it; another unit there is refused.",
    });
    let past = json!({
        "type": ["string", "number", "boolean"],
        "description": "The value that trials had before the study had this input.",
    });
    let when = json!({
        "type": "object",
        "minProperties": 1,
        "description": "The values that other inputs must have for this one to have a value: elsewhere its cells are empty.",
        "additionalProperties": { "type": ["string", "number", "boolean", "array"] },
    });
    let real = [("log", &log), ("step", &step), ("digits", &digits), ("unit", &unit), ("past", &past), ("when", &when)];
    let label = json!({ "type": ["string", "number", "boolean"] });
    let list = |of: &Value, about: &str| json!({ "type": "array", "items": of, "minItems": 2, "uniqueItems": true, "description": about });
    let values = list(&json!({ "type": "number" }), "The only numbers that are asked for, in any order.");
    let ordered = list(&label, "Labels in order, each as far from the next as any other.");
    let labels = list(&label, "Labels without order.");
    let descriptors = json!({
        "type": "string",
        "description": "A CSV file with a row of numbers for each choice, relative to the study file: what makes choices alike.",
    });
    let inputs = [
        input("real", range("number"), &real),
        input("int", range("integer"), &[("log", &log), ("unit", &unit), ("past", &past), ("when", &when)]),
        input("values", values, &[("log", &log), ("unit", &unit), ("past", &past), ("when", &when)]),
        input("ordinal", ordered, &[("unit", &unit), ("past", &past), ("when", &when)]),
        input("choice", labels, &[("descriptors", &descriptors), ("unit", &unit), ("past", &past), ("when", &when)]),
    ];
    let file = json!({
        "type": "string",
        "description": "A CSV file of the only points that may be evaluated, relative to the study file.",
    });
    let candidates: Vec<Value> = [file].into_iter().chain(inputs.clone()).collect();
    json_schema!({
        "type": "object",
        "description": "The inputs by their names, or a file of candidates, or both.",
        "minProperties": 1,
        "properties": { "candidates": { "anyOf": candidates } },
        "additionalProperties": { "anyOf": inputs }
    })
}

fn input_constraints() -> Schema {
    let names = |least: usize| json!({ "type": "array", "items": { "type": "string" }, "minItems": least, "uniqueItems": true });
    let number = |about: &str| json!({ "type": "number", "description": about });
    let values = json!({ "type": "object", "minProperties": 1, "additionalProperties": { "type": ["string", "number", "boolean"] } });
    let coefficients = json!({ "type": "object", "minProperties": 1, "additionalProperties": { "type": "number" } });
    let kinds = ["sum", "ratio", "nonzero", "exclude"].map(|key| json!({ "required": [key] }));
    json_schema!({
        "type": "array",
        "description": "What must hold between inputs, by their values as they are printed.",
        "items": {
            "type": "object",
            "properties": {
                "sum": { "anyOf": [names(1), coefficients], "description": "Inputs that are added, or their coefficients." },
                "ratio": { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2,
                           "description": "One input over another." },
                "nonzero": { "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true,
                             "description": "Inputs of which so many may be other than 0." },
                "exclude": {
                    "anyOf": [values, { "type": "array", "items": values }, { "type": "string" }],
                    "description": "Values that do not go together, or a CSV file of such combinations."
                },
                "equals": number("What it is."),
                "at-least": number("What it is at least."),
                "at-most": number("What it is at most.")
            },
            "oneOf": kinds,
            "additionalProperties": false
        }
    })
}
