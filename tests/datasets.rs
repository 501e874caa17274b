//! The folder `datasets/` is complete: every file has a line in the manifest and a card, and vice versa; the manifest
//! agrees with sizes and ranks that follow from a theorem or a generator.

mod common;

use blackfield::answers::{HomologyOptions, homology};
use blackfield::complexes::SimplicialComplex;
use blackfield::field::Modulus;
use blackfield::{Silent, families};
use common::{Source, datasets, manifest};
use std::collections::BTreeSet;
use std::path::Path;

fn file_names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| path.file_name().unwrap().to_str().unwrap().to_string()).collect()
}

#[test]
fn files_cards_and_manifest_name_the_same_matrices() {
    let manifest = manifest();
    let listed: BTreeSet<String> = manifest
        .iter()
        .filter_map(|e| match &e.source {
            Source::File(path) => Some(path.file_name().unwrap().to_str().unwrap().to_string()),
            Source::Generated(_) => None,
        })
        .chain(["MANIFEST.tsv".to_string(), "README.md".to_string()])
        .collect();
    assert_eq!(file_names(&datasets()), listed);
    let cards: BTreeSet<String> = manifest.iter().map(|e| format!("{}.md", e.name)).collect();
    assert_eq!(cards.len(), manifest.len(), "no name twice");
    assert_eq!(file_names(&datasets().join("cards")), cards);
}

#[test]
fn cards_tell_what_the_manifest_tells() {
    for entry in manifest() {
        let card = std::fs::read_to_string(datasets().join(format!("cards/{}.md", entry.name))).unwrap();
        let mut facts = vec![
            format!("# {}\n", entry.name),
            format!("{} x {}, {} stored entries", entry.rows, entry.cols, entry.nnz),
            "**Source**".to_string(),
            "**Licence**".to_string(),
        ];
        facts.extend(entry.ranks.iter().map(|(p, rank)| format!("{rank} mod {p}")));
        for fact in facts {
            assert!(card.contains(&fact), "{}: '{fact}' is missing", entry.name);
        }
        let shipped_from_elsewhere = matches!(entry.source, Source::File(_)) && !card.contains("output of a generator");
        assert_eq!(
            shipped_from_elsewhere,
            card.contains("CC-BY 4.0") && card.contains("Attribution"),
            "{}",
            entry.name
        );
    }
}

#[test]
fn generated_matrices_have_the_sizes_of_the_manifest() {
    let mut checked = 0;
    for entry in manifest() {
        // Stored matrices that a generator can make are in the list, too.
        if let Ok(a) = families::generate(&entry.name) {
            assert_eq!((a.rows(), a.cols(), a.nnz()), (entry.rows, entry.cols, entry.nnz), "{}", entry.name);
            checked += 1;
        } else {
            assert!(matches!(entry.source, Source::File(_)), "{}", entry.name);
        }
    }
    assert!(checked >= 25, "only {checked}");
}

#[test]
fn ranks_of_the_manifest_agree_with_theory() {
    let (mut equal, mut bounded) = (0, 0);
    for entry in manifest() {
        let rational = families::known_rank(&entry.name, None);
        for &(p, rank) in &entry.ranks {
            assert!(rank <= entry.rows.min(entry.cols), "{} mod {p}", entry.name);
            if let Some(known) = families::known_rank(&entry.name, Some(Modulus::new(p).unwrap())) {
                assert_eq!(rank, known, "{} mod {p}", entry.name);
                equal += 1;
            } else if let Some(rational) = rational {
                assert!(rank <= rational, "{} mod {p}", entry.name);
                bounded += 1;
            }
        }
    }
    assert!(equal >= 50 && bounded >= 15, "{equal} equal, {bounded} bounded");
}

#[test]
fn stored_files_are_what_the_library_generates() {
    let options = blackfield::io::ReadOptions::default();
    for name in ["EX5", "bibd_49_3"] {
        let entry = manifest().into_iter().find(|e| e.name == name).unwrap();
        let Source::File(path) = entry.source else { panic!("{name} is stored") };
        let stored = blackfield::io::read(&path, &options, &Silent).unwrap();
        let generated = families::generate(name).unwrap();
        assert!(stored == generated, "{name}");
    }
}

/// Each file of `datasets/complexes` has a line in the table there, which tells its homology.
#[test]
fn triangulated_spaces_have_the_homology_of_their_cards() {
    let folder = datasets().join("complexes");
    let cards = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let lines = cards.lines().filter(|line| line.starts_with("| `"));
    let mut listed = BTreeSet::from(["README.md".to_string()]);
    for line in lines {
        let columns: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [file, _, vertices, facets, groups] = columns[..] else { panic!("five columns are needed: {line}") };
        let file = file.trim_matches('`');
        let complex = SimplicialComplex::read(&folder.join(file), &Silent).unwrap();
        assert_eq!(complex.vertices().len().to_string(), vertices, "{file}");
        let chain = complex.chain_complex(None, &Silent).unwrap();
        // Facets of the same dimension, none twice.
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let given = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!((chain.cells().last().unwrap(), given.to_string().as_str()), (&given, facets), "{file}");
        let answer = homology(&chain, &HomologyOptions::default(), &Silent).unwrap();
        let found: Vec<String> = answer.over[0].groups.iter().map(ToString::to_string).collect();
        assert_eq!(found.join(", "), groups, "{file}");
        listed.insert(file.to_string());
    }
    assert_eq!(file_names(&folder), listed);
}
