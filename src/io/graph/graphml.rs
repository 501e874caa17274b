//! GraphML (U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt, M. S. Marshall, *GraphML progress report*, GD 2001): one
//! graph of `node` and `edge` elements, the weights in the `data` of a `key` for edges that is named `weight`.
//!
//! Vertices are in the order of their elements. An edge may say itself whether it is directed. Hyperedges and nested
//! graphs are refused. Two edges between the same vertices are parallel if they have two `id`s, as networkx writes
//! multigraphs.

use super::adjacency::{Graph, Names};
use crate::io::fraction::value;
use crate::io::options::ReadOptions;
use crate::io::text::{Text, quote};
use crate::sparse::{Fraction, RationalMatrix};
use crate::{Error, Result};
use roxmltree::{Document, Node, ParsingOptions};

/// Whether the text has a GraphML element near its beginning.
pub(super) fn sniff(head: &[u8]) -> bool {
    let near = &head[..head.len().min(1 << 12)];
    near.trim_ascii_start().starts_with(b"<") && near.windows(8).any(|word| word == b"<graphml")
}

/// Reads the graph.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let whole = text.whole(options.max_memory)?;
    let source = str::from_utf8(&whole).map_err(|error| {
        text.error_at(&whole, error.valid_up_to(), "expected UTF-8: save the file in this encoding")
    })?;
    let limit = ParsingOptions { nodes_limit: u32::MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(source, limit).map_err(|error| {
        let place = error.pos();
        text.error(u64::from(place.row), format!("column {}: expected well-formed XML: {}", place.col, reason(&error)))
    })?;
    let reader = Reader { text, options, fractions, document: &document };
    let graphs: Vec<Node<'_, '_>> = document.root_element().children().filter(|node| named(node, "graph")).collect();
    let [graph] = graphs[..] else {
        return Err(reader.fail(&document.root_element(), format!("{} graphs, expected one", graphs.len())));
    };
    reader.graph(&graph)
}

/// The message of an error without the place, which is told apart.
fn reason(error: &roxmltree::Error) -> String {
    let shown = error.to_string();
    shown.rsplit_once(" at ").map_or(shown.clone(), |(message, _)| message.to_string())
}

fn named(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

struct Reader<'a, 't, 'd> {
    text: &'a Text<'t>,
    options: &'a ReadOptions,
    fractions: bool,
    document: &'a Document<'d>,
}

impl Reader<'_, '_, '_> {
    fn line(&self, node: &Node<'_, '_>) -> u64 {
        u64::from(self.document.text_pos_at(node.range().start).row)
    }

    fn fail(&self, node: &Node<'_, '_>, message: impl Into<String>) -> Error {
        self.text.error(self.line(node), message)
    }

    fn graph(&self, element: &Node<'_, '_>) -> Result<RationalMatrix> {
        let directed = |value: Option<&str>| match value {
            Some("directed" | "true") => Ok(true),
            Some("undirected" | "false") => Ok(false),
            other => {
                let found = quote(other.unwrap_or_default().as_bytes());
                Err(self.fail(element, format!("expected edgedefault directed or undirected, found {found}")))
            }
        };
        let default = directed(element.attribute("edgedefault"))?;
        let weight_key = self.document.root_element().children().find(|node| {
            named(node, "key")
                && node.attribute("attr.name") == Some("weight")
                && matches!(node.attribute("for"), Some("edge" | "all") | None)
        });
        let weight_key = weight_key.and_then(|key| key.attribute("id"));
        let mut names = Names::default();
        for node in element.children().filter(|child| named(child, "node")) {
            let id = node.attribute("id").ok_or_else(|| self.fail(&node, "expected a node with an id"))?;
            let before = names.len();
            if u64::from(names.number(id.as_bytes())?) < before {
                return Err(self.fail(&node, format!("expected a new id, found {id:?} again")));
            }
            if node.children().any(|child| named(&child, "graph")) {
                return Err(self.fail(&node, "a graph within a node; expected one graph"));
            }
        }
        let edges = || element.children().filter(|child| named(child, "edge"));
        if let Some(hyper) = element.children().find(|child| named(child, "hyperedge")) {
            return Err(self.fail(&hyper, "a hyperedge has no place in an adjacency matrix; expected edges"));
        }
        let mut any_directed = default;
        for edge in edges().filter(|edge| edge.attribute("directed").is_some()) {
            any_directed |= directed(edge.attribute("directed"))?;
        }
        let mut graph = Graph::new(names.len(), any_directed);
        graph.multi = edges().any(|edge| edge.attribute("id").is_some());
        for edge in edges() {
            let end = |name: &str| {
                let id =
                    edge.attribute(name).ok_or_else(|| self.fail(&edge, format!("expected an edge with a {name}")))?;
                names.find(id.as_bytes()).map_err(|message| self.fail(&edge, message))
            };
            let (u, v, line) = (end("source")?, end("target")?, self.line(&edge));
            let weight = self.weight(&edge, weight_key)?;
            let one_way = edge.attribute("directed").map_or(Ok(default), |value| directed(Some(value)))?;
            if any_directed && !one_way && u != v {
                graph.edge(v, u, weight.clone(), line)?;
            }
            graph.edge(u, v, weight, line)?;
        }
        graph.finish(self.text, self.options)
    }

    fn weight(&self, edge: &Node<'_, '_>, key: Option<&str>) -> Result<Option<Fraction<'static>>> {
        let Some(key) = key else { return Ok(None) };
        let Some(data) = edge.children().find(|child| named(child, "data") && child.attribute("key") == Some(key))
        else {
            return Ok(None);
        };
        let token = data.text().unwrap_or_default().trim();
        let weight = value(token.as_bytes(), self.options.pattern, self.fractions);
        weight.map(Some).map_err(|message| self.fail(&data, message))
    }
}
