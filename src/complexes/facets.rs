//! A simplicial complex by its facets, and the text that lists them: a facet a line, the labels of its vertices
//! separated by blanks or commas, comments from `#` to the end of a line.

use super::chain::ChainComplex;
use super::faces;
use crate::io;
use crate::{Error, Observer, Result, memory};
use std::collections::HashMap;
use std::path::Path;

/// Characters of lists and literals, which no label has.
const BRACKETS: [char; 8] = ['[', ']', '(', ')', '{', '}', ';', '"'];

/// What the memory is for.
const FACETS: &str = "the facets of a simplicial complex";

/// A finite simplicial complex: all faces of the facets that were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct SimplicialComplex {
    /// The labels of the vertices, in the order that orients the faces.
    vertices: Vec<String>,
    /// For each size from 1 on the facets of that many vertices, one after the other, vertices ascending.
    facets: Vec<Vec<u32>>,
}

impl SimplicialComplex {
    /// The complex with these facets, given by the labels of their vertices: integers or other words. A facet may be
    /// given again, or be a face of another; an empty list adds nothing. If all labels are integers, vertices are
    /// ordered by value, otherwise as texts.
    ///
    /// # Errors
    /// [`Error::Matrix`] if a facet has a vertex twice, [`Error::Memory`].
    pub fn from_facets<L: AsRef<str>, F: IntoIterator<Item = L>>(facets: impl IntoIterator<Item = F>) -> Result<Self> {
        let mut gathered = Gathered::default();
        for (k, facet) in (1..).zip(facets) {
            gathered.add(facet).map_err(|fault| fault.error(|what| Error::Matrix(format!("facet {k}: {what}"))))?;
        }
        gathered.ordered()
    }

    /// Reads facets from a file, plain or gzipped; `-` is standard input.
    ///
    /// # Errors
    /// [`Error::Input`] if a facet has a vertex twice, [`Error::Io`], [`Error::Memory`], [`Error::Interrupted`].
    pub fn read(path: &Path, observer: &dyn Observer) -> Result<Self> {
        let mut gathered = Gathered::default();
        io::for_each_line(path, observer, |line, text| {
            let input = |message: String| Error::Input { file: path.to_path_buf(), line, message };
            let text = text.split(|&b| b == b'#').next().unwrap_or_default();
            let text = std::str::from_utf8(text).map_err(|_| input("labels of vertices are texts in UTF-8".into()))?;
            let labels = text.split(|c: char| c.is_whitespace() || c == ',').filter(|label| !label.is_empty());
            if let Some(label) = labels.clone().find(|label| label.contains(BRACKETS)) {
                let wanted = "expected a facet a line, its vertices integers or words with blanks or commas between";
                return Err(input(format!("{wanted}, found {label:?}")));
            }
            gathered.add(labels).map_err(|fault| fault.error(input))
        })?;
        gathered.ordered()
    }

    /// The labels of the vertices, in the order that orients the faces.
    #[must_use]
    pub fn vertices(&self) -> &[String] {
        &self.vertices
    }

    /// The chain complex of all faces, those of each dimension in lexicographic order. Faces and boundaries take at
    /// most `max_memory` bytes: a facet of n vertices has 2ⁿ faces.
    ///
    /// # Errors
    /// [`Error::Memory`], also for a dimension whose boundary matrix would have more than 2³² entries;
    /// [`Error::Interrupted`].
    pub fn chain_complex(&self, max_memory: Option<u64>, observer: &dyn Observer) -> Result<ChainComplex> {
        faces::chain_complex(self.vertices.len(), &self.facets, max_memory, observer)
    }
}

/// Facets while they are read, vertices numbered as they come.
#[derive(Default)]
struct Gathered {
    numbers: HashMap<String, u32>,
    facets: Vec<Vec<u32>>,
}

/// Why a facet cannot be taken.
enum Fault {
    Wrong(String),
    Other(Error),
}

impl Fault {
    fn error(self, wrong: impl FnOnce(String) -> Error) -> Error {
        match self {
            Fault::Wrong(what) => wrong(what),
            Fault::Other(error) => error,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Other(error)
    }
}

impl Gathered {
    fn add<L: AsRef<str>>(&mut self, labels: impl IntoIterator<Item = L>) -> std::result::Result<(), Fault> {
        let mut facet: Vec<u32> = Vec::new();
        for label in labels {
            let label = label.as_ref();
            let number = match self.numbers.get(label) {
                Some(&number) => number,
                None => {
                    let number = u32::try_from(self.numbers.len())
                        .map_err(|_| Fault::Wrong("more than 2^32 vertices".into()))?;
                    memory::reserve_table(&mut self.numbers, 1, FACETS)?;
                    self.numbers.insert(label.to_string(), number);
                    number
                }
            };
            memory::push(&mut facet, number, FACETS)?;
        }
        let mut seen = memory::copy(&facet, FACETS)?;
        seen.sort_unstable();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            let label = self.numbers.iter().find(|(_, number)| **number == pair[0]).map_or("", |(label, _)| label);
            return Err(Fault::Wrong(format!("vertex {label} is in the facet twice")));
        }
        let Some(place) = facet.len().checked_sub(1) else { return Ok(()) };
        if self.facets.len() <= place {
            self.facets.resize(place + 1, vec![]);
        }
        let list = &mut self.facets[place];
        memory::reserve(list, facet.len(), FACETS)?;
        list.extend(facet);
        Ok(())
    }

    /// The complex, vertices in order.
    fn ordered(self) -> Result<SimplicialComplex> {
        let mut labels = memory::collect(self.numbers, FACETS)?;
        let value = |label: &str| label.parse::<i64>().ok();
        if labels.iter().all(|(label, _)| value(label).is_some()) {
            // Texts decide between 1 and 01.
            labels.sort_unstable_by(|(a, _), (b, _)| (value(a), a).cmp(&(value(b), b)));
        } else {
            labels.sort_unstable();
        }
        let mut place = memory::zeros::<u32>(labels.len(), FACETS)?;
        (0..).zip(&labels).for_each(|(k, &(_, number))| place[number as usize] = k);
        let mut facets = self.facets;
        for (size, list) in (1..).zip(&mut facets) {
            list.iter_mut().for_each(|v| *v = place[*v as usize]);
            list.chunks_exact_mut(size).for_each(<[u32]>::sort_unstable);
        }
        Ok(SimplicialComplex { vertices: labels.into_iter().map(|(label, _)| label).collect(), facets })
    }
}
