//! The null space mod p: its dimension, a basis, and random vectors.

use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    let p = Modulus::new(65521)?;
    let a = families::generate("mk7-b2")?.reduce(p);
    let kernel = kernel(&a, &KernelOptions::default(), &Silent)?;
    println!(
        "{} x {} of rank {}: null space of dimension {}",
        a.rows(),
        a.cols(),
        kernel.rank().rank,
        kernel.dimension()
    );

    // One vector a row, as sparse as the pivots leave them; each was multiplied by the matrix before it came out.
    let basis = kernel.basis_matrix(&Silent)?;
    println!("a basis with {} entries", basis.nnz());
    assert_eq!(basis.rows() + kernel.rank().rank, a.cols());

    // Once more by hand: a row of A times a vector of the basis.
    for v in 0..basis.rows() {
        let (places, values) = basis.row(v);
        for i in 0..a.rows() {
            let (cols, entries) = a.row(i);
            let product = cols.iter().zip(entries).fold(0, |sum, (j, &entry)| {
                let at = places.binary_search(j).map_or(0, |k| values[k]);
                p.add(sum, p.mul(entry, at))
            });
            assert_eq!(product, 0);
        }
    }
    Ok(())
}
