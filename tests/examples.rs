//! Every example runs to its end: they assert what they show. Cargo builds them with the tests.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Beside the test itself: target/debug/deps/examples-… and target/debug/examples/….
    let built = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    let mut names: Vec<String> = std::fs::read_dir(root.join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    names.sort();
    assert_eq!(names.len(), 10, "{names:?}");
    for name in names {
        let program = built.join(&name).with_extension(std::env::consts::EXE_EXTENSION);
        if !program.exists() {
            // `cargo test --test examples` builds no examples, `cargo test` does.
            println!("skipped: {name} is not built (cargo build --examples)");
            continue;
        }
        let output = Command::new(program).current_dir(root).output().unwrap();
        let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && !said.is_empty(), "{name}: {said}{told}");
        assert!(told.is_empty(), "the library prints nothing: {told}");
    }
}
