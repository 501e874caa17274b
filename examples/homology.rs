//! Homology of a simplicial complex given by its facets: Betti numbers and torsion.

use blackfield::complexes::SimplicialComplex;
use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    // The real projective plane with six vertices.
    let facets = ["0 1 2", "0 2 3", "0 3 4", "0 4 5", "0 1 5", "1 2 4", "2 3 5", "1 3 4", "2 4 5", "1 3 5"];
    let plane = SimplicialComplex::from_facets(facets.map(|facet| facet.split(' ')))?;
    let chain = plane.chain_complex(None, &Silent)?;
    let answer = homology(&chain, &HomologyOptions::default(), &Silent)?;
    for group in &answer.over[0].groups {
        println!("H_{} = {group}", group.degree);
    }
    let groups: Vec<String> = answer.over[0].groups.iter().map(|group| group.to_string()).collect();
    assert_eq!(groups, ["Z", "Z/2", "0"]);
    Ok(())
}
