//! An order of vertices turned into steps: where the deficits of the open classes are in the key, which choices a step
//! has, how the fields move. Twins are found here by comparing the rest of their rows or columns, not by hashes.

use super::graph::{Edge, Graph};
use super::key::Field;
use std::collections::HashMap;

/// One way to match the vertex of a step.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The deficit of the class to match with, before the step; `None` for vertices that no step has touched yet.
    pub source: Option<Field>,
    /// Number of untouched vertices (1 if there is a source).
    pub count: u64,
    /// Index of the weight.
    pub weight: u32,
    /// The field of the deficit after the step; `None` if the class closes.
    pub target: Option<Field>,
}

/// The step of one vertex v: match it, if it is still unmatched, with a neighbour that no earlier step has removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The deficit of the class of v before the step, if v was touched: if it is 0, v is already matched.
    pub own: Option<Field>,
    /// Its field afterwards, if other members remain.
    pub own_target: Option<Field>,
    pub choices: Vec<Choice>,
    /// Bits that keep their place.
    pub keep: Vec<u64>,
    /// Deficits that move or merge: from, to.
    pub moves: Vec<(Field, Field)>,
    /// Deficits of vertices touched for the first time: to, how many.
    pub fresh: Vec<(Field, u64)>,
    /// Deficits of classes without further neighbours, before the step.
    pub closing: Vec<Field>,
    /// Number of vertices that are touched and closed at once.
    pub closing_fresh: u64,
    /// Deficits after the step that cannot exceed the number of remaining neighbours: the field, that number.
    pub caps: Vec<(Field, u64)>,
    /// Bits whose fields the step neither reads nor changes.
    pub untouched: Vec<u64>,
}

/// An open class as the states of a layer see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    /// The field of its deficit.
    pub field: Field,
    /// The largest deficit: the number of members, or of neighbours if those are fewer.
    pub cap: u32,
    /// Whether its members are rows.
    pub row: bool,
    /// The next step that changes the class.
    pub next: u32,
}

/// The vectors of deficits that can be states of a layer. All states have the same difference between unmatched rows
/// and unmatched columns; with y the deficit of a class of rows, and cap - deficit for a class of columns, that is Σ
/// y = `weight`.
pub(super) struct Space {
    /// The open classes, by field.
    pub legs: Vec<Leg>,
    /// `None` if there is no such vector.
    pub weight: Option<usize>,
    /// Number of the vectors.
    pub states: f64,
}

impl Space {
    /// The leg of this layer, after the step, that corresponds to the given leg before the step, if the step leaves it
    /// unchanged.
    pub fn stays(&self, leg: &Leg, step: &Step) -> Option<&Leg> {
        let field = leg.field;
        let untouched = step.untouched.get(field.word as usize).copied().unwrap_or(0) >> field.shift & field.mask;
        self.legs.iter().find(|other| untouched == field.mask && other.field == field && other.cap == leg.cap)
    }
}

/// The steps, and how many words their keys have.
pub(super) struct Program {
    pub steps: Vec<Step>,
    pub words: usize,
    /// The layers before each step, and after the last.
    pub spaces: Vec<Space>,
}

impl Program {
    /// Upper bounds on the numbers of states.
    pub fn states(&self) -> impl Iterator<Item = f64> {
        self.spaces.iter().map(|space| space.states)
    }
    /// Upper bound on the number of states of two consecutive layers.
    pub fn most_states(&self) -> f64 {
        self.spaces.windows(2).map(|w| w[0].states + w[1].states).fold(0.0, f64::max)
    }
}

/// Vertices of one side with equal remaining edges, of which only the number of unmatched ones matters.
struct Class {
    field: Field,
    members: Vec<u32>,
}

/// The bits in use, word by word.
#[derive(Default)]
struct Slots {
    used: Vec<u64>,
}

impl Slots {
    /// A field for values up to `size`, in the lowest free bits.
    fn allocate(&mut self, size: u64) -> Field {
        let bits = 64 - size.leading_zeros();
        let mask = (1u64 << bits) - 1;
        for word in 0.. {
            if word == self.used.len() {
                self.used.push(0);
            }
            for shift in 0..=64 - bits {
                if self.used[word] & (mask << shift) == 0 {
                    self.used[word] |= mask << shift;
                    return Field { word: word as u32, shift, mask };
                }
            }
        }
        unreachable!("there is always one more word")
    }
    fn free(&mut self, f: Field) {
        self.used[f.word as usize] &= !(f.mask << f.shift);
    }
}

/// What a step does with fields.
#[derive(Default)]
struct Fields {
    /// Fields of classes that no longer exist.
    freed: Vec<Field>,
    /// Those of them that other classes take over unchanged.
    kept: Vec<Field>,
    changed: Vec<Field>,
}

/// Neighbours of a vertex that are in one class before its step, or in none.
struct Piece {
    source: Option<Field>,
    weight: u32,
    members: Vec<u32>,
}

/// A class after a step: its remaining edges, what merges into it, and where its deficit will be.
struct Plan {
    edges: Vec<Edge>,
    pieces: Vec<Piece>,
    /// The class with these edges before the step, none of whose members is a neighbour.
    old: Option<Class>,
    place: Place,
}

/// Where a deficit will be.
enum Place {
    /// Nowhere: no edges remain.
    Closed,
    Kept(Field),
    /// In a field for that many, once other fields are free.
    New(u64),
}

/// Builds the steps one after the other.
struct Builder<'a> {
    graph: &'a Graph,
    processed: Vec<bool>,
    /// The signature of the class of each open vertex is its remaining edges.
    open: Vec<bool>,
    classes: HashMap<Vec<Edge>, Class>,
    slots: Slots,
}

impl Builder<'_> {
    fn remaining(&self, v: usize) -> Vec<Edge> {
        self.graph.edges[v].iter().filter(|e| !self.processed[e.to as usize]).copied().collect()
    }

    /// The step that matches v, after which v is gone.
    fn step(&mut self, v: usize) -> Step {
        let mut step = Step::default();
        let signature = self.remaining(v);
        let mut fields = Fields::default();
        self.leave_class(v, &signature, &mut step, &mut fields);
        let pieces = self.pieces(&signature, &mut fields);
        self.processed[v] = true;
        let plans: Vec<Plan> = self.merged(v, pieces).into_iter().map(|m| self.plan(m, &mut fields)).collect();
        for f in &fields.freed {
            if !fields.kept.contains(f) {
                self.slots.free(*f);
            }
        }
        step.keep = self.slots.used.clone();
        for plan in plans {
            self.carry_out(plan, &mut step, &mut fields);
        }
        step.untouched = step.keep.clone();
        for f in fields.changed {
            if let Some(word) = step.untouched.get_mut(f.word as usize) {
                *word &= !(f.mask << f.shift);
            }
        }
        step
    }

    /// The class of v loses v.
    fn leave_class(&mut self, v: usize, signature: &[Edge], step: &mut Step, fields: &mut Fields) {
        if !self.open[v] {
            return;
        }
        self.open[v] = false;
        let class = self.classes.get_mut(signature).expect("an open vertex has a class");
        step.own = Some(class.field);
        class.members.retain(|&u| u as usize != v);
        if class.members.is_empty() {
            fields.freed.push(class.field);
            self.classes.remove(signature);
        } else {
            step.own_target = Some(class.field);
            fields.changed.push(class.field);
        }
    }

    /// The neighbours, in their classes before the step: all members of a class are neighbours with equal weights.
    fn pieces(&mut self, signature: &[Edge], fields: &mut Fields) -> Vec<(Vec<Edge>, Piece)> {
        let mut pieces: Vec<(Vec<Edge>, Piece)> = Vec::new();
        let mut fresh: HashMap<Vec<Edge>, usize> = HashMap::new();
        for e in signature {
            let u = e.to as usize;
            let before = self.remaining(u);
            if self.open[u] {
                if let Some(class) = self.classes.remove(&before) {
                    fields.freed.push(class.field);
                    let Class { field, members } = class;
                    pieces.push((before, Piece { source: Some(field), weight: e.weight, members }));
                }
            } else if let Some(&k) = fresh.get(&before) {
                pieces[k].1.members.push(e.to);
            } else {
                fresh.insert(before.clone(), pieces.len());
                pieces.push((before, Piece { source: None, weight: e.weight, members: vec![e.to] }));
            }
        }
        pieces
    }

    /// The classes of the neighbours after the step of v: pieces with equal remaining edges merge, also with classes
    /// that v does not touch.
    fn merged(&mut self, v: usize, pieces: Vec<(Vec<Edge>, Piece)>) -> Vec<(Vec<Edge>, Vec<Piece>)> {
        let mut merged: Vec<(Vec<Edge>, Vec<Piece>)> = Vec::new();
        let mut place: HashMap<Vec<Edge>, usize> = HashMap::new();
        for (mut edges, piece) in pieces {
            edges.retain(|e| e.to as usize != v);
            piece.members.iter().for_each(|&u| self.open[u as usize] = true);
            let k = *place.entry(edges).or_insert_with_key(|edges| {
                merged.push((edges.clone(), Vec::new()));
                merged.len() - 1
            });
            merged[k].1.push(piece);
        }
        merged
    }

    /// Where the deficit of a class will be: it keeps a field that is wide enough.
    fn plan(&mut self, (edges, pieces): (Vec<Edge>, Vec<Piece>), fields: &mut Fields) -> Plan {
        if edges.is_empty() {
            return Plan { edges, pieces, old: None, place: Place::Closed };
        }
        let old = self.classes.remove(&edges);
        let size = pieces.iter().map(|p| &p.members).chain(old.iter().map(|c| &c.members)).map(Vec::len).sum::<usize>();
        let size = size as u64;
        let candidates = old.iter().map(|c| c.field).chain(pieces.iter().filter_map(|p| p.source));
        let stay = candidates.filter(|f| f.mask >= size).max_by_key(|f| std::cmp::Reverse(f.mask));
        fields.freed.extend(old.as_ref().map(|c| c.field));
        fields.kept.extend(stay);
        Plan { edges, pieces, old, place: stay.map_or(Place::New(size), Place::Kept) }
    }

    /// Records what the step does to the deficits of a class, and creates the class.
    fn carry_out(&mut self, plan: Plan, step: &mut Step, fields: &mut Fields) {
        let Plan { edges, pieces, old, place } = plan;
        let target = match place {
            Place::Closed => None,
            Place::Kept(field) => Some(field),
            Place::New(size) => Some(self.slots.allocate(size)),
        };
        let mut members: Vec<u32> = Vec::new();
        for piece in pieces {
            match (piece.source, target) {
                (Some(source), Some(target)) if source != target => step.moves.push((source, target)),
                (Some(source), None) => step.closing.push(source),
                (None, Some(target)) => step.fresh.push((target, piece.members.len() as u64)),
                (None, None) => step.closing_fresh += piece.members.len() as u64,
                _ => {}
            }
            step.choices.push(Choice {
                source: piece.source,
                count: if piece.source.is_some() { 1 } else { piece.members.len() as u64 },
                weight: piece.weight,
                target,
            });
            members.extend(piece.members);
        }
        let Some(target) = target else {
            members.iter().for_each(|&u| self.open[u as usize] = false);
            members.iter().for_each(|&u| self.processed[u as usize] = true);
            return;
        };
        fields.changed.push(target);
        if let Some(old) = old {
            if old.field != target {
                step.moves.push((old.field, target));
            }
            members.extend(old.members);
        }
        let size = members.len() as u64;
        if size > edges.len() as u64 {
            step.caps.push((target, edges.len() as u64));
        }
        self.classes.insert(edges, Class { field: target, members });
    }

    /// The current layer.
    fn space(&self) -> Space {
        let leg = |(edges, class): (&Vec<Edge>, &Class)| Leg {
            field: class.field,
            cap: class.members.len().min(edges.len()) as u32,
            row: self.graph.side(class.members[0] as usize) == 0,
            next: u32::MAX,
        };
        let mut legs: Vec<Leg> = self.classes.iter().map(leg).collect();
        legs.sort_unstable_by_key(|leg| (leg.field.word, leg.field.shift));
        // unmatched rows = unmatched columns: untouched rows + Σ x = untouched columns + Σ x.
        let untouched = |side: usize| {
            let n = self.graph.n();
            (side * n..(side + 1) * n).filter(|&v| !self.processed[v] && !self.open[v]).count()
        };
        let columns: usize = legs.iter().filter(|leg| !leg.row).map(|leg| leg.cap as usize).sum();
        let weight = usize::try_from((untouched(1) + columns) as i64 - untouched(0) as i64).ok();
        // Weights k and all - k have equally many vectors. Up to the middle, a number is at least as large as its
        // summands, so that it is exact below 2⁵²; beyond the middle, the sliding window would keep the errors of far
        // larger ones.
        let all: usize = legs.iter().map(|leg| leg.cap as usize).sum();
        let weight = weight.filter(|&k| k <= all);
        let half = weight.map_or(0, |k| k.min(all - k));
        let mut polynomial = vec![1.0f64];
        for leg in &legs {
            let s = leg.cap as usize;
            let mut next = vec![0.0; (polynomial.len() + s).min(half + 1)];
            let mut window: f64 = 0.0;
            for k in 0..next.len() {
                window += polynomial.get(k).copied().unwrap_or(0.0);
                if k > s {
                    window -= polynomial[k - s - 1];
                }
                // ∞ - ∞: numbers beyond `f64`.
                next[k] = if window.is_nan() { f64::INFINITY } else { window };
            }
            polynomial = next;
        }
        let states = weight.map_or(0.0, |_| polynomial[half]);
        Space { legs, weight, states }
    }
}

/// The steps of the vertices in the given order; vertices whose neighbours have all been removed need no step.
///
/// Vertices without edges would never get a step: the caller has made sure that there are none.
pub(super) fn compile(graph: &Graph, order: &[u32]) -> Program {
    let n = graph.edges.len();
    let mut builder = Builder {
        graph,
        processed: vec![false; n],
        open: vec![false; n],
        classes: HashMap::new(),
        slots: Slots::default(),
    };
    let (mut steps, mut spaces, mut words) = (Vec::new(), vec![builder.space()], 1);
    for &v in order {
        if !builder.processed[v as usize] {
            steps.push(builder.step(v as usize));
            spaces.push(builder.space());
            words = words.max(builder.slots.used.len());
        }
    }
    for t in (0..steps.len()).rev() {
        let [space, next] = &mut spaces[t..t + 2] else { unreachable!("a layer before and after each step") };
        for leg in &mut space.legs {
            leg.next = next.stays(leg, &steps[t]).map_or(t as u32, |later| later.next);
        }
    }
    Program { steps, words, spaces }
}
