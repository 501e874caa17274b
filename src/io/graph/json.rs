//! Graphs in JSON, as networkx writes them: `node_link_data` and `adjacency_data`.
//!
//! ```text
//! {"directed": false, "multigraph": false, "nodes": [{"id": a}, …], "links": [{"source": a, "target": b, "weight": w}, …]}
//! {"directed": …, "multigraph": …, "nodes": [{"id": a}, …], "adjacency": [[{"id": b, "weight": w}, …], …]}
//! ```
//!
//! `links` may be called `edges`. Vertices are in the order of `nodes`; `weight` may be left out. Adjacency data of an
//! undirected graph give an edge at both of its ends.

use super::adjacency::{Graph, Names};
use crate::io::fraction::value;
use crate::io::options::ReadOptions;
use crate::io::text::{Text, quote};
use crate::sparse::{Fraction, RationalMatrix};
use crate::{Error, Result};
use serde_json::{Map, Value};

/// Whether the text is an object of JSON; whether that is a graph is seen when it is read.
pub(super) fn sniff(head: &[u8]) -> bool {
    let mut rest = head.trim_ascii_start().iter().copied().filter(|b| !b.is_ascii_whitespace());
    rest.next() == Some(b'{') && rest.next() == Some(b'"')
}

/// Reads the graph.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let whole = text.whole(options.max_memory)?;
    let document: Value = serde_json::from_slice(&whole).map_err(|error| {
        let line = (error.line() as u64).max(1);
        text.error(line, format!("column {}: expected well-formed JSON: {}", error.column(), reason(&error)))
    })?;
    let fail = |message: String| text.error(1, message);
    let unknown = "JSON of an unknown form: expected networkx's node_link_data or adjacency_data";
    let object = document.as_object().ok_or_else(|| fail(unknown.into()))?;
    let flag = |name: &str| object.get(name).and_then(Value::as_bool).unwrap_or(false);
    let edges = ["links", "edges"].into_iter().find_map(|name| Some((name, object.get(name)?.as_array()?)));
    let adjacency = object.get("adjacency").and_then(Value::as_array);
    let Some(nodes) = object.get("nodes").and_then(Value::as_array).filter(|_| edges.is_some() || adjacency.is_some())
    else {
        let keys: Vec<&str> = object.keys().map(String::as_str).take(6).collect();
        let message = format!(
            "{unknown}, found an object with the keys {}. A list of rows, [[1, 2], [3, 4]], is read too",
            quote(keys.join(", ").as_bytes())
        );
        return Err(fail(message));
    };
    let mut reader = Reader { text, options, fractions, names: Names::default() };
    for (k, node) in nodes.iter().enumerate() {
        let place = format!("nodes[{k}]");
        let id = node.get("id").ok_or_else(|| fail(format!("{place}: expected an object with an \"id\"")))?;
        if reader.names.number(&key(id))? as usize != k {
            return Err(fail(format!("{place}: expected a new id, found {id} again")));
        }
    }
    let mut graph = Graph::new(reader.names.len(), flag("directed"));
    graph.multi = flag("multigraph");
    match (edges, adjacency) {
        (Some((name, edges)), _) => {
            for (k, edge) in edges.iter().enumerate() {
                let place = format!("{name}[{k}]");
                let edge = reader.object(edge, &place)?;
                let (u, v) = (reader.end(edge, "source", &place)?, reader.end(edge, "target", &place)?);
                graph.edge(u, v, reader.weight(edge, &place)?, 1)?;
            }
        }
        (None, Some(lists)) => {
            if lists.len() != nodes.len() {
                let message = format!(
                    "{} lists in \"adjacency\", expected one for each of {} vertices",
                    lists.len(),
                    nodes.len()
                );
                return Err(fail(message));
            }
            for (u, list) in lists.iter().enumerate() {
                let neighbours = list.as_array().ok_or_else(|| fail(format!("adjacency[{u}]: expected a list")))?;
                for (k, edge) in neighbours.iter().enumerate() {
                    let place = format!("adjacency[{u}][{k}]");
                    let edge = reader.object(edge, &place)?;
                    let v = reader.end(edge, "id", &place)?;
                    // Both ends of an undirected edge list it; parallel edges are counted at the first.
                    if !(graph.multi && !graph.directed && (v as usize) < u) {
                        graph.edge(u as u32, v, reader.weight(edge, &place)?, 1)?;
                    }
                }
            }
        }
        _ => unreachable!("one of them is there"),
    }
    graph.finish(text, options)
}

/// The message of an error without the place, which is told apart.
fn reason(error: &serde_json::Error) -> String {
    let shown = error.to_string();
    shown.split(" at line ").next().unwrap_or_default().to_string()
}

/// The name of a vertex: its JSON.
fn key(id: &Value) -> Vec<u8> {
    id.to_string().into_bytes()
}

/// Reads edges.
struct Reader<'a, 't> {
    text: &'a Text<'t>,
    options: &'a ReadOptions,
    fractions: bool,
    names: Names,
}

impl Reader<'_, '_> {
    fn fail(&self, place: &str, message: &str) -> Error {
        self.text.error(1, format!("{place}: {message}"))
    }

    fn object<'v>(&self, edge: &'v Value, place: &str) -> Result<&'v Map<String, Value>> {
        edge.as_object().ok_or_else(|| self.fail(place, "expected an object"))
    }

    fn end(&self, edge: &Map<String, Value>, name: &str, place: &str) -> Result<u32> {
        let id = edge.get(name).ok_or_else(|| self.fail(place, &format!("expected a \"{name}\"")))?;
        self.names.find(&key(id)).map_err(|message| self.fail(place, &message))
    }

    fn weight(&self, edge: &Map<String, Value>, place: &str) -> Result<Option<Fraction<'static>>> {
        let token = match edge.get("weight") {
            None => return Ok(None),
            Some(Value::String(token)) => token.clone(),
            Some(Value::Number(number)) if number.is_f64() && number.as_f64().is_none_or(|x| x.abs() >= 9e15) => {
                let message = format!("the weight {number} has more digits than JSON numbers keep: write it in quotes");
                return Err(self.fail(place, &message));
            }
            Some(weight) => weight.to_string(),
        };
        let weight = value(token.as_bytes(), self.options.pattern, self.fractions);
        weight.map(Some).map_err(|message| self.fail(place, &message))
    }
}
