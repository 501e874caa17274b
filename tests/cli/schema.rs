//! `docs/schema`: every document seen by any test of the program conforms to the schema that it names.

use crate::{DIAGONAL, Lab, Run};
use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// The kinds of documents. Each has a file in `docs/schema`, next to their common definitions.
const KINDS: [&str; 21] = [
    "rank",
    "kernel",
    "solve",
    "rref",
    "det",
    "smith",
    "minpoly",
    "charpoly",
    "homology",
    "permanent",
    "matchings",
    "verify",
    "verify-answer",
    "info",
    "tune",
    "bench",
    "convert",
    "generate",
    "plan",
    "progress",
    "error",
];
/// What they share, and the forms that some of them have.
const PARTS: [&str; 7] =
    ["common", "modular-rank", "rational-rank", "modular-solve", "rational-solve", "modular-det", "integer-det"];

/// The text of a schema.
fn schema(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/schema/{name}.json"));
    let text = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// References between the schemas are names of files.
struct Folder;

impl Retrieve for Folder {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let name = uri.path().as_str().trim_start_matches("/docs/schema/").trim_end_matches(".json");
        Ok(schema(name))
    }
}

static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
    let validator = |kind: &str| {
        let options = jsonschema::options().with_base_uri(format!("file:///docs/schema/{kind}.json"));
        options.with_retriever(Folder).build(&schema(kind)).unwrap_or_else(|error| panic!("{kind}: {error}"))
    };
    KINDS.iter().map(|&kind| (kind, validator(kind))).collect()
});

/// The kind of a document, by its key `schema`.
fn kind(document: &Value) -> Option<&'static str> {
    let name = document["schema"].as_str()?.strip_prefix("blackfield/")?.strip_suffix("/1")?;
    KINDS.into_iter().find(|&kind| kind == name)
}

/// The flaws of a document.
pub fn flaws(document: &Value) -> Vec<String> {
    let Some(kind) = kind(document) else { return vec![format!("no schema of ours: {}", document["schema"])] };
    VALIDATORS[kind].iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn check(document: &Value, about: &str) {
    let flaws = flaws(document);
    assert!(flaws.is_empty(), "{about}: {flaws:#?} in {document:#}");
}

/// Validates what a run with `--json` printed: documents on standard output, the line of an error on standard error.
pub fn check_run(args: &str, run: &Run) {
    if !args.split_whitespace().take_while(|&word| word != "--").any(|word| word == "--json") {
        return;
    }
    assert!(run.stdout.is_empty() || run.stdout.ends_with('\n'), "{args}: a whole line");
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with('{')).collect();
    let errors: Vec<&&str> = told.iter().filter(|line| !line.contains("blackfield/progress/")).collect();
    for line in run.stdout.lines().chain(told.iter().copied()) {
        let document = serde_json::from_str(line).unwrap_or_else(|error| panic!("{args}: {error}: {line}"));
        check(&document, args);
        assert!(line.starts_with("{\"schema\":"), "{args}: it comes first");
    }
    assert_eq!(run.code != 0, !errors.is_empty(), "{args}: every ending has a document: {}", run.stderr);
}

/// Documents of every kind, in every form that they can take.
static DOCUMENTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let lab = Lab::with_diagonal("schema-documents");
    lab.write("ring.sms", "4 4 M\n1 2 1\n1 4 1\n2 1 1\n2 3 1\n3 2 1\n3 4 1\n4 1 1\n4 3 1\n0 0 0\n");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    lab.write("wide.sms", "2 3 M\n1 1 1\n2 2 -1\n0 0 0\n");
    lab.answer("generate bibd_9_5 -o b.sms");
    lab.answer("generate ch4-4-b2 -o m.mtx");
    // Structural pivots do not reach its rank, so its certificate has vectors.
    lab.answer("generate EX1 -o e.mtx");
    lab.write("plane", crate::homology::PLANE);
    let h = 10u128.pow(30);
    let rows = [[1, 1, 1], [1, 2, 1], [h, h + 1, h]];
    let entries: String = (0..9).map(|k| format!("{} {} {}\n", k / 3 + 1, k % 3 + 1, rows[k / 3][k % 3])).collect();
    lab.write("doubtful.sms", format!("3 3 M\n{entries}0 0 0\n"));
    lab.answer("rank e.mtx -p 65521 --certificate c.cert");
    lab.answer("rank wide.sms -p 7 --certificate triangle.cert");
    let good = lab.read("c.cert");
    lab.write("damaged.cert", &good[..good.len() - 1]);
    let det = lab.answer("det diagonal.sms --json");
    lab.write("wrong.json", det.replace("\"det\": \"", "\"det\": \"1"));
    lab.write("det.json", det);
    lab.write("smith.json", lab.answer("smith diagonal.sms --json"));
    let commands = [
        "rank diagonal.sms -p 2 --json",
        "rank zero.sms -p 2 --json --method wiedemann",
        "rank m.mtx -p 65521 --json",
        "rank m.mtx -p 65521 --json --proven",
        "rank e.mtx -p 65521 --json --method elimination",
        "rank e.mtx -p 65521 --json --method hybrid",
        "rank e.mtx -p 65521 --json --method hybrid --trials 2 --error 1e-12",
        "rank b.sms -p 65521 --json --method wiedemann",
        "rank m.mtx -p 2 --json --method wiedemann --route codegree",
        "rank m.mtx -p 9223372036854775783 --json --method wiedemann --error 1e-30",
        "rank e.mtx -p 65521 --json --certificate again.cert",
        "rank diagonal.sms zero.sms -p 2,3 --json",
        "rank diagonal.sms missing.sms -p 3 --json",
        "rank diagonal.sms --rational -p 2,3 --json",
        "rank zero.sms --rational --json",
        "rank doubtful.sms --rational -p 3 --json",
        "rank doubtful.sms --rational --proven --json",
        "rank diagonal.sms m.mtx --rational --json",
        "kernel e.mtx -p 65521 --json -o n.sms",
        "kernel wide.sms -p 7 --json --left --dimension",
        "kernel zero.sms -p 2 --json --vectors 3 -o n.sms.gz",
        "solve e.mtx --rhs e.mtx -p 65521 --json -o x.sms",
        "solve zero.sms --rhs wide.sms -p 7 --json",
        "rref m.mtx -p 65521 --json -o r.sms",
        "rref wide.sms -p 2 --json --pivots-only",
        "rref wide.sms --rational --json -o r.sms",
        "kernel wide.sms --rational --json --dimension",
        "det diagonal.sms -p 65521 --json",
        "smith diagonal.sms --json",
        "smith zero.sms --local 2 --json",
        "smith doubtful.sms --proven --json",
        "det diagonal.sms --json",
        "solve diagonal.sms --rhs diagonal.sms --rational --json",
        "solve zero.sms --rhs wide.sms --rational --json",
        "minpoly diagonal.sms -p 65521 --json",
        "minpoly zero.sms -p 2 --json --proven",
        "charpoly diagonal.sms -p 2 --json",
        "homology --facets plane --json",
        "homology --facets plane --json --reduced --cohomology -p 2,65521 --integral --rational",
        "homology diagonal.sms --json -p 3 --explain",
        "homology zero.sms --json --proven",
        "permanent diagonal.sms plane --json",
        "permanent diagonal.sms --json -p 2,7",
        "permanent diagonal.sms --json -p 2",
        "permanent diagonal.sms --json --method gray --without degree-1,dulmage-mendelsohn",
        "permanent wide.sms --json",
        "matchings ring.sms --json",
        "matchings ring.sms --json --by-size",
        "matchings ring.sms --json --method inclusion-exclusion --without-reductions",
        "verify c.cert e.mtx --json",
        "verify triangle.cert wide.sms --json",
        "verify c.cert m.mtx --json",
        "verify damaged.cert e.mtx --json",
        "verify det.json diagonal.sms --json",
        "verify det.json wide.sms --json",
        "verify smith.json diagonal.sms --json",
        "verify wrong.json diagonal.sms --json",
        "info zero.sms --json",
        "info e.mtx -p 2147483647 --json",
        "info doubtful.sms --json",
        "bench ranks readers --quick --json",
        "tune --install --quick --json --output p.toml",
        "tune m.mtx --quick --widths 1,4 --json --threads 2",
        "tune m.mtx --check --json",
        "convert m.mtx t.sms.gz --transpose --json",
        "convert diagonal.sms r.sms -p 3 --json",
        "generate bibd_9_5 -o b.sms --json",
        "generate --complex mk5 -o mk5 --json",
        "generate --list --json",
        "generate bibd_9_5 -o - --json",
        "rank diagonal.sms --json",
        "rank --json",
        "rank diagonal.sms -p 7 --json --max-memory 64",
        "rank e.mtx -p 65521 --json --dry-run",
        "permanent diagonal.sms --json --dry-run",
        "rank e.mtx -p 65521 --method wiedemann --json --progress json",
        "rank diagonal.sms -p 2,3 --json --certificate two.cert",
    ];
    let mut documents = Vec::new();
    for args in commands {
        // Each is validated against its schema when it is produced.
        let run = lab.run(args);
        let found = serde_json::Deserializer::from_str(&run.stdout).into_iter::<Value>().map(Result::unwrap);
        let errors = run.stderr.lines().filter(|line| line.starts_with('{'));
        documents.extend(found.chain(errors.map(|line| serde_json::from_str(line).unwrap())));
    }
    documents
});

/// Every value that the documents have anywhere under a key.
fn behind<'a>(document: &'a Value, key: &str, into: &mut Vec<&'a Value>) {
    match document {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if name == key {
                into.push(value);
            }
            behind(value, key, into);
        }),
        Value::Array(values) => values.iter().for_each(|value| behind(value, key, into)),
        _ => {}
    }
}

#[test]
fn every_kind_of_document_is_described() {
    let kinds: BTreeSet<_> = DOCUMENTS.iter().filter_map(kind).collect();
    assert_eq!(kinds, KINDS.into_iter().collect());
    // And every form that a document may take is among them.
    let seen = |key: &str| {
        let mut values = Vec::new();
        DOCUMENTS.iter().for_each(|document| behind(document, key, &mut values));
        values
    };
    for (key, wanted) in [
        ("certainty", vec![json!("proven"), json!("monte-carlo"), json!("heuristic")]),
        ("method", vec![json!("elimination"), json!("hybrid"), json!("wiedemann"), json!("reductions"), json!("gray")]),
        ("verdict", vec![json!(true), json!(false)]),
        ("kind", vec![json!("usage"), json!("input"), json!("resources")]),
        ("claimed_digest", vec![json!(null)]),
        ("wiedemann", vec![json!(null)]),
        ("plan", vec![json!(null)]),
    ] {
        wanted.iter().for_each(|value| assert!(seen(key).contains(&value), "no {key} is {value}"));
    }
    for key in ["wiedemann", "plan"] {
        assert!(seen(key).iter().any(|value| value.is_object()), "no {key}");
    }
    assert!(seen("extension_degree").iter().any(|degree| degree.as_u64() > Some(1)), "no extension field");
    assert!(seen("trials").contains(&&json!(2)), "no second trial");
    for key in ["random_primes", "proof_primes", "primes"] {
        assert!(seen(key).iter().any(|list| !list.as_array().unwrap().is_empty()), "no {key}");
    }
}

/// The positions of all objects and arrays in a document whose keys a schema prescribes.
fn objects(document: &Value, at: &str, into: &mut Vec<String>) {
    match document {
        Value::Object(fields) => {
            into.push(at.to_string());
            fields.iter().for_each(|(name, value)| objects(value, &format!("{at}/{name}"), into));
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(k, value)| objects(value, &format!("{at}/{k}"), into))
        }
        _ => {}
    }
}

/// Whether a position is inside of steps that were made or are planned.
fn of_steps(place: &str) -> bool {
    place.contains("/path/") || place.contains("/rank_plan/")
}

/// The optional keys of a step, and of an error.
const OPTIONAL: [&str; 3] = ["why", "rank", "until_rank"];
const OPTIONAL_OF_ERRORS: [&str; 4] = ["file", "modulus", "checkpoint", "resume"];

#[test]
fn a_changed_document_is_refused() {
    for document in DOCUMENTS.iter() {
        let refused = |changed: &Value, what: &str| assert!(!flaws(changed).is_empty(), "{what}: {changed:#}");
        let mut places = Vec::new();
        objects(document, "", &mut places);
        for place in places {
            let fields = document.pointer(&place).unwrap().as_object().unwrap();
            let with = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
                let mut changed = document.clone();
                change(changed.pointer_mut(&place).unwrap().as_object_mut().unwrap());
                changed
            };
            // The names of phases are free, and none is required.
            let phases = place.ends_with("/phases") || place.ends_with("/processor_seconds");
            if !phases {
                refused(&with(&|fields| _ = fields.insert("another".into(), json!(1))), "a field more");
            }
            for name in fields.keys() {
                let optional = match kind(document) {
                    Some("error") => OPTIONAL_OF_ERRORS.contains(&name.as_str()),
                    _ => phases || of_steps(&place) && OPTIONAL.contains(&name.as_str()),
                };
                if !optional {
                    refused(&with(&|fields| _ = fields.remove(name)), &format!("{place}/{name} is missing"));
                }
                for wrong in [json!({"no": "such"}), json!([[]])] {
                    refused(
                        &with(&|fields| _ = fields.insert(name.clone(), wrong.clone())),
                        &format!("{place}/{name}"),
                    );
                }
            }
        }
    }
}

#[test]
fn fields_that_belong_together_are_held_together() {
    let lab = Lab::with_diagonal("schema-together");
    let answer = lab.document("rank diagonal.sms -p 65521 --json --method elimination");
    let run = json!({"block": 4, "trials": 1, "trials_agreed": 1, "extension_degree": 1});
    for (changes, flawed) in [
        (json!({}), false),
        (json!({"certainty": "monte-carlo"}), true),
        (json!({"certainty": "monte-carlo", "error_bound": 1e-20, "error_log2": -66.4}), false),
        (json!({"certainty": "heuristic", "error_bound": null}), false),
        (json!({"error_bound": 1e-20}), true),
        (json!({"rank": -1}), true),
        (json!({"rank": 2.5}), true),
        (json!({"modulus": 1}), true),
        (json!({"digest": "abc"}), true),
        (json!({"wiedemann": run}), true),
        (json!({"wiedemann": run, "method": "hybrid"}), false),
        (json!({"schema": "blackfield/rank/2"}), true),
        (json!({"schema": "blackfield/det/1"}), true),
        (json!({"field": "Q"}), true),
    ] {
        let mut changed = answer.clone();
        changed.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        assert_eq!(!flaws(&changed).is_empty(), flawed, "{changes}");
    }
    let error =
        |kind: &str, code: u8| json!({"schema": "blackfield/error/1", "error": "x", "kind": kind, "code": code});
    assert!(flaws(&error("device", 5)).is_empty() && !flaws(&error("device", 4)).is_empty());
}

/// The schemas themselves: each is a valid schema, declares itself as one, and leaves no object open by accident.
#[test]
fn the_schemas_are_in_order() {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema")).unwrap();
    let names: BTreeSet<_> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, KINDS.into_iter().chain(PARTS).map(String::from).collect());
    for name in names {
        let schema = schema(&name);
        assert_eq!(schema["$schema"], json!("https://json-schema.org/draft/2020-12/schema"), "{name}");
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        let mut places = Vec::new();
        objects(&schema, "", &mut places);
        for place in places {
            let part = schema.pointer(&place).unwrap();
            let open = part["type"] == json!("object") && part.get("additionalProperties").is_none();
            // Definitions of fields that other schemas flatten into their own.
            assert!(!open || place == "/$defs/certainty", "{name}: {place}");
        }
    }
}

/// What a program sees that reads only what the schema guarantees.
#[test]
fn a_wrong_document_of_a_run_is_noticed() {
    let run = |stdout: &str| Run { stdout: stdout.into(), stderr: String::new(), code: 0 };
    let noticed = |args: &str, stdout: &str| {
        let run = run(stdout);
        std::panic::catch_unwind(|| check_run(args, &run)).is_err()
    };
    let lab = Lab::new("schema-noticed");
    lab.write("d.sms", DIAGONAL);
    let good = lab.answer("permanent d.sms d.sms --json");
    assert!(!noticed("permanent --json", &good));
    assert!(noticed("permanent --json", &good.replacen("\"n\":3", "\"n\":\"3\"", 1)));
    assert!(noticed("permanent --json", &format!("{good}{{}}")));
    assert!(noticed("permanent --json", &good[..good.len() - 5]));
    assert!(!noticed("permanent", "12\n"));
}
