//! Block Wiedemann on the matrix itself, on the processor or on GPUs.

use super::answer::Rank;
use super::place;
use super::plan::ENTRY;
use super::work::{SHARED, instead};
use super::{Method, Phases, RankOptions, wiedemann};
use crate::certify::Streams;
use crate::cost::Device;
use crate::gpu::{Device as GpuDevice, Devices, require_devices};
use crate::sparse::SparseMatrix;
use crate::spmv::{GpuCopies, GpuShape, Plan, Product};
use crate::wiedemann::{Outcome, Parameters, Place, Problem, parameters};
use crate::{Error, Forecast, Observer, Result, Step};
use std::time::Instant;

/// The rank of `core` by block Wiedemann. Whether the sequence is computed on a GPU makes no difference to any bit of
/// it, but for one that is projected by itself where its place can do that.
pub(super) fn by_wiedemann(
    core: &SparseMatrix,
    options: &RankOptions,
    streams: &Streams,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let Chosen { parameters: chosen, gpu } = parameters_for(core, options, &mut phases)?;
    let (why, seconds) = (chosen.reason.clone(), chosen.seconds / rayon::current_num_threads() as f64);
    let bytes = chosen.bytes.saturating_add(ENTRY.saturating_mul(core.nnz() as u64));
    observer.forecast(&Forecast { name: "block Wiedemann", why, seconds, bytes });
    observer.check()?;
    let mut run = Run { core, options, chosen: &chosen, streams, phases: &mut phases, observer };
    let start = Instant::now();
    let Ran { outcome, plan, devices, shares } = run.somewhere(gpu, Run::on_gpus)?;
    let step = Step {
        name: "block Wiedemann",
        found: format!("rank {}", outcome.rank),
        why: "asked for".into(),
        rank: Some(outcome.rank),
        predicted: devices.is_empty().then_some(chosen.seconds),
        seconds: start.elapsed().as_secs_f64(),
    };
    Ok(Rank {
        rank: outcome.rank,
        method: Method::Wiedemann,
        path: vec![step],
        reason: format!("{}{}; {}", chosen.reason, if shares { SHARED } else { "" }, outcome.ground),
        certainty: outcome.certainty,
        wiedemann: Some(outcome.report),
        phases,
        plan,
        devices,
        minor: None,
    })
}

/// Parameters of block Wiedemann, and whether a GPU makes the sequence.
pub(super) struct Chosen {
    pub parameters: Parameters,
    pub gpu: bool,
}

/// The parameters of block Wiedemann on `core`, where it is predicted to take the least time, with why there.
///
/// # Errors
/// [`Error::Memory`] if it does not fit, [`Error::Usage`] if an error bound is out of reach.
pub(super) fn parameters_for(core: &SparseMatrix, options: &RankOptions, phases: &mut Phases) -> Result<Chosen> {
    let symmetric = phases.time("plan", || core.is_symmetric())?;
    let (modulus, rows, cols, nnz, valued) = (core.modulus(), core.rows(), core.cols(), core.nnz(), core.valued());
    let problem = Problem { modulus, rows, cols, nnz, valued, symmetric, grid: 1, scratch: 0, levels: 0, gpu: None };
    let (machine, threads) = (&options.machine, rayon::current_num_threads());
    let wanted = options.wiedemann().within(rows.min(cols));
    let here = || parameters(&problem, &wanted, machine);
    let there = |threads| parameters(&Problem { gpu: Some(threads), ..problem }, &wanted, &machine.with_gpu(threads));
    let start = (machine.device.find + machine.device.start) * threads as f64;
    let (mut chosen, gpu, why) = match options.devices {
        Devices::Processor => (here()?, false, String::new()),
        Devices::Auto => {
            let (here, mut there) = (here()?, there(threads)?);
            there.seconds += start;
            if here.seconds <= start {
                let why = place::soon(start / threads as f64);
                (here, false, why)
            } else if here.seconds <= there.seconds {
                let why = place::here([here.seconds, there.seconds], threads);
                (here, false, why)
            } else {
                let why = place::there(Some(here.seconds), there.seconds, threads);
                (there, true, why)
            }
        }
        _ => (there(Device::THREADS)?, true, String::new()),
    };
    if !why.is_empty() {
        chosen.reason += &format!("; {why}");
    }
    if let Some(limit) = options.max_memory.filter(|&limit| chosen.bytes > limit) {
        let (needed, limit) = (chosen.bytes.div_ceil(1 << 20), limit >> 20);
        let message = "; the method hybrid may need less (--method hybrid)";
        return Err(Error::Memory(format!(
            "block Wiedemann on the matrix needs about {needed} MB, {limit} MB are left for it{message}"
        )));
    }
    Ok(Chosen { parameters: chosen, gpu })
}

/// What a run came to, and where.
struct Ran {
    outcome: Outcome,
    plan: Option<Plan>,
    devices: Vec<GpuDevice>,
    /// Whether there was no room for the transpose on a GPU.
    shares: bool,
}

/// What a run needs, wherever it takes place.
struct Run<'a> {
    core: &'a SparseMatrix,
    options: &'a RankOptions,
    chosen: &'a Parameters,
    streams: &'a Streams<'a>,
    phases: &'a mut Phases,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    /// On GPUs, which `on_gpus` does, or on the processor. One that is missing or fails is an error only where a GPU is
    /// demanded: what it has computed is dropped, and the processor begins anew.
    fn somewhere(&mut self, gpu: bool, mut on_gpus: impl FnMut(&mut Self) -> Result<Ran>) -> Result<Ran> {
        if gpu {
            match on_gpus(self) {
                // Memory of the host as well: the processor needs less of it.
                Err(reason @ (Error::Device(_) | Error::Memory(_))) if self.options.devices == Devices::Auto => {
                    self.observer.warning(&instead(&reason));
                }
                done => return done,
            }
        }
        let (outcome, plan) = self.on_processor()?;
        Ok(Ran { outcome, plan: Some(plan), devices: vec![], shares: false })
    }

    fn on_processor(&mut self) -> Result<(Outcome, Plan)> {
        let width = self.options.plan.width.unwrap_or(self.chosen.block * self.chosen.degree);
        let options = self.options.plan.clone().width(width);
        let Parameters { products, seconds, .. } = *self.chosen;
        let ready = self.core.nnz() as f64 * self.options.machine.passes.ready;
        // A trial has two layouts at a time.
        let tried = !self.options.is_tight(self.core.nnz()) && Plan::trial_pays(products, seconds, ready);
        let plan = self.phases.shown("plan", self.observer, || match tried {
            true => Plan::by_trial(self.core, &options, &|| self.observer.check()),
            false => Plan::choose(self.core, &options),
        })?;
        let product = self.phases.time("plan", || Product::new(self.core, &plan))?;
        Ok((self.trials(Place::Processor(&product))?, plan))
    }

    fn on_gpus(&mut self) -> Result<Ran> {
        let asked = self.options.devices;
        let devices = asked.first_or_named(self.phases.time("device", require_devices)?)?;
        let devices = GpuDevice::each_limited(devices, self.options.max_device_memory);
        let Parameters { block, degree, products, .. } = *self.chosen;
        let shape = GpuShape { modulus: self.core.modulus(), block, degree };
        let whole = self.chosen.projects_itself_on(shape, &devices);
        let matrix = self.phases.time("device", || GpuCopies::new(&devices, self.core, shape, products, whole))?;
        let (shares, outcome) = (matrix.shares_storage(), self.trials(Place::Gpu(&matrix))?);
        Ok(Ran { outcome, plan: None, devices: matrix.devices().to_vec(), shares })
    }

    fn trials(&mut self, place: Place<'_>) -> Result<Outcome> {
        wiedemann::trials(place, self.chosen, &self.options.wiedemann(), self.streams, self.phases, self.observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::rank;
    use crate::cost::Machine;
    use crate::field::Modulus;
    use crate::{DeviceReason, Silent, families};
    use std::sync::Mutex;

    /// Keeps warnings.
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Observer for Heard {
        fn warning(&self, message: &str) {
            self.0.lock().unwrap().push(message.into());
        }
    }

    /// A GPU that fails after all of its work changes nothing but the place, or is an error where it is demanded.
    #[test]
    fn a_failure_in_the_middle_never_shows_in_the_answer() {
        let a = families::generate("bibd_9_5").unwrap().reduce(Modulus::new(65521).unwrap());
        let problem = Problem {
            modulus: a.modulus(),
            rows: a.rows(),
            cols: a.cols(),
            nnz: a.nnz(),
            valued: 0,
            symmetric: false,
            grid: 1,
            scratch: 0,
            levels: 0,
            gpu: None,
        };
        for devices in [Devices::Auto, Devices::Gpus] {
            let options = RankOptions::default().method(Method::Wiedemann).devices(devices);
            let chosen = parameters(&problem, &options.wiedemann(), &options.machine).unwrap();
            let (streams, mut phases, heard) = (Streams::of(&a, 1), Phases::default(), Heard::default());
            let mut run = Run {
                core: &a,
                options: &options,
                chosen: &chosen,
                streams: &streams,
                phases: &mut phases,
                observer: &heard,
            };
            let mut outcomes = Vec::new();
            let found = run.somewhere(true, |run| {
                outcomes.push(run.on_processor()?.0.rank);
                Err(Error::device(DeviceReason::Failed, "a kernel failed"))
            });
            let told = heard.0.into_inner().unwrap();
            match (devices, found) {
                (Devices::Auto, Ok(Ran { outcome, plan: Some(_), devices, .. })) => {
                    assert!(devices.is_empty());
                    assert_eq!((outcome.rank, &outcomes[..]), (36, &[36][..]));
                    assert!(told.len() == 1 && told[0].contains("a kernel failed"), "{told:?}");
                }
                (Devices::Gpus, Err(Error::Device(no))) => {
                    assert!(no.reason == DeviceReason::Failed && told.is_empty());
                }
                (devices, found) => panic!("{devices:?}: {:?}", found.map(|ran| ran.outcome.rank)),
            }
        }
    }

    /// With and without a GPU: the answer is the processor's, or the reason is told.
    #[test]
    fn gpus_are_used_or_the_reason_is_told() {
        let there = require_devices();
        for (name, p) in [("bibd_9_5", 65521), ("bibd_9_5", 3), ("mk7-b2", 251)] {
            let a = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
            let mut machine = Machine::default();
            // A GPU that is there at once.
            (machine.device.find, machine.device.start) = (0.0, 0.0);
            let options = RankOptions::default().method(Method::Wiedemann).block(4).machine(machine);
            let expected = rank(&a, &options, &Silent).unwrap();
            let heard = Heard::default();
            let auto = rank(&a, &options.clone().devices(Devices::Auto), &heard).unwrap();
            assert_eq!((auto.rank, auto.wiedemann), (expected.rank, expected.wiedemann));
            // One that takes longer to start than all of it is not asked for, and that is said.
            let slow = RankOptions::default().method(Method::Wiedemann).devices(Devices::Auto);
            let unheard = Heard::default();
            let never = rank(&a, &slow, &unheard).unwrap();
            assert!(never.devices.is_empty() && never.reason.contains("before a GPU is ready"), "{}", never.reason);
            assert!(unheard.0.into_inner().unwrap().iter().all(|text| !text.contains("CUDA")));
            let told = heard.0.into_inner().unwrap().into_iter().filter(|text| text.contains("CUDA")).count();
            let demanded = rank(&a, &options.clone().devices(Devices::Gpus), &Silent);
            match (&there, demanded) {
                (Ok(_), Ok(found)) => {
                    assert!(found.devices.len() == 1 && auto.devices.len() == 1 && told == 0);
                    assert_eq!((found.rank, found.wiedemann), (expected.rank, expected.wiedemann));
                }
                (Err(Error::Device(reason)), Err(Error::Device(same))) => {
                    assert!(reason == &same && auto.devices.is_empty() && told == 1);
                }
                // A GPU without the compiler of kernels.
                (Ok(_), Err(Error::Device(no))) if no.reason == DeviceReason::NoCompiler => assert_eq!(told, 1),
                (there, found) => panic!("{there:?}, {found:?}"),
            }
            several_gpus_are_as_good_as_one(&a, &there);
            let other = options.method(Method::Elimination).devices(Devices::Gpus);
            let refused = rank(&a, &other, &Silent);
            assert!(matches!(refused, Err(Error::Device(no)) if no.reason == DeviceReason::NoKernel));
        }
    }

    /// One GPU plays several; one that is not there is named.
    fn several_gpus_are_as_good_as_one(a: &SparseMatrix, there: &Result<Vec<GpuDevice>>) {
        // Three words and more in a row.
        let options = |method| RankOptions::default().method(method).block(32);
        let expected = rank(a, &options(Method::Wiedemann), &Silent).unwrap();
        for (method, text, count) in
            [(Method::Wiedemann, "cuda:0,0", 2), (Method::Wiedemann, "cuda:0,0,0", 3), (Method::Hybrid, "cuda:0,0", 2)]
        {
            let devices: Devices = text.parse().unwrap();
            let found = rank(a, &options(method).devices(devices), &Silent);
            match (there, found) {
                (Ok(_), Ok(found)) => {
                    // Nothing may be left for them by the other method.
                    let several = found.devices.len() == count || method == Method::Hybrid && found.devices.is_empty();
                    assert!(several && found.rank == expected.rank, "{text}: {found:?}");
                    assert!(method == Method::Hybrid || found.wiedemann == expected.wiedemann);
                }
                (Err(Error::Device(reason)), Err(Error::Device(same))) => assert_eq!(reason, &same),
                (Ok(_), Err(Error::Device(no))) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                (there, found) => panic!("{there:?}, {found:?}"),
            }
        }
        let missing = rank(a, &RankOptions::default().devices("cuda:0,200".parse().unwrap()), &Silent);
        match (there, missing) {
            (Ok(_), Err(Error::Device(no))) => {
                assert!(no.reason == DeviceReason::NoDevice && no.message.contains("no CUDA device 200"), "{no}");
            }
            (Err(_), Err(Error::Device(_))) => {}
            (there, missing) => panic!("{there:?}, {missing:?}"),
        }
    }
}
